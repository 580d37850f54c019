"""Pools of processes for calculations. Django's settings are loaded in them; the work must not use the database."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process

import django

from core.work.garbage import loading

LOST_PARENT = 1  # exit code


def cores() -> int:
    """The number of processor cores."""
    return os.cpu_count() or 1


@contextmanager
def process_pool(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of spawned, not forked, processes, so that they do not inherit connections and locks of this process.

    They end when this process ends, even if it is killed.
    """
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_start) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    with loading():
        django.setup()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(LOST_PARENT)
