"""Python's search for cycles, put off while a batch is under way. Knows nothing of what is done meanwhile."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_cycles() -> Iterator[None]:
    """Without the search: a batch fills memory with containers, none of which is in a cycle, and to look at them
    again and again costs an eighth of it.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()
