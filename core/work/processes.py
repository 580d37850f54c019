"""Processes that only calculate: each has Django's settings and no database of its own. Knows no work."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process

import django

LOST_PARENT = 1  # exit code


def cores() -> int:
    """How many processes can calculate at once."""
    return os.cpu_count() or 1


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Started afresh, not forked: connections and locks of this process stay its own. They end with it, even killed."""
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the one that writes decides
    threading.Thread(target=_follow, daemon=True).start()
    django.setup()


def _follow() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(LOST_PARENT)
