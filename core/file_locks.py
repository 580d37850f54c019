"""Locks on open files, between the processes and threads of one machine. No Django.

A lock ends when its file is closed, and so also when its process ends, however it ends.
"""

import fcntl
import time
from typing import IO

type OpenFile = int | IO[str]  # a descriptor, or a file object


def lock_file(file: OpenFile) -> None:
    """Lock the file, however long that takes."""
    fcntl.flock(file, fcntl.LOCK_EX)


def try_lock_file(file: OpenFile, *, shared: bool = False) -> bool:
    """Return whether the file could be locked at once. shared: with others that share it."""
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_file(file: OpenFile, end: float, pause: float, *, shared: bool = False) -> bool:
    """Try to lock the file, every `pause` seconds until `end` (see time.monotonic). Return whether it is locked."""
    while not try_lock_file(file, shared=shared):
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def unlock_file(file: OpenFile) -> None:
    """Let others lock the file."""
    fcntl.flock(file, fcntl.LOCK_UN)
