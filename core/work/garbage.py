"""Keeps Python's cyclic garbage collection away from what is no garbage: a batch, and what a process loads at first.

A full collection looks at every container. The 200,000 that Django and our modules make live as long as the process,
and looking at them takes a quarter of a second, in the middle of a page or a batch.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the collection for the block.

    A batch fills memory with containers that are in no cycle; searching them again and again takes an eighth of its
    time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def loading() -> Iterator[None]:
    """Load in the block what lives as long as the process: no collection meanwhile, and none later looks at it.

    Forked processes share the loaded memory longer, too, because a collection writes into all that it looks at. An
    error in the block leaves the loaded objects to the collector.
    """
    with gc_paused():
        yield
    gc.freeze()
