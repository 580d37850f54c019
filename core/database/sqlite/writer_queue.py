"""The queue of those who want to write to one SQLite file: threads and processes of one machine. No Django, no SQLite.

SQLite has one writer at a time, and who waits for it looks again after pauses of up to a tenth of a second. Who writes
again and again, a harvest or an aggregation, is between two transactions for a millisecond, which others mostly sleep
through: a login waited for ten of them. So whoever wants to write takes two locks on files beside the database: that
of the place behind the writer, then, as the only one who waits for it, that of the writer. Who has just written is
behind the one at that place.

The queue only orders: SQLite's own lock keeps writers apart. Who stands in it too long, or may not open its files, goes
on without it.
"""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

PATIENCE = 10.0  # seconds
NEXT, OTHERS = 0.001, 0.005  # seconds between two looks of the one at the place behind the writer, and of others


class WriterQueue:
    """A connection's way into the queue. path: of the database."""

    def __init__(self, path: str) -> None:
        self._paths = [Path(f"{path}-{name}") for name in ("next", "writer")]
        self._files: list[int] = []
        self._process = 0  # that opened the files: a child has the same locks as its parent
        self._ours = False

    def enter(self) -> None:
        """Wait for our turn, which lasts until `leave`."""
        if self._ours and self._process == os.getpid():
            return
        if not self._open():
            return
        end = time.monotonic() + PATIENCE
        place, writer = self._files
        if _lock(place, end, OTHERS):
            self._ours = _lock(writer, end, NEXT)
            fcntl.flock(place, fcntl.LOCK_UN)

    def leave(self) -> None:
        """Others may write. To be called any number of times."""
        if self._ours and self._process == os.getpid():
            self._ours = False
            fcntl.flock(self._files[1], fcntl.LOCK_UN)

    def close(self) -> None:
        """Leave it for good, or until somebody enters again."""
        self.leave()
        for each in self._files:
            os.close(each)
        self._files = []

    def _open(self) -> bool:
        if self._files and self._process == os.getpid():
            return True
        self.close()
        self._ours, self._process = False, os.getpid()
        with suppress(OSError):
            for path in self._paths:
                self._files.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            return True
        self.close()
        return False


def _lock(file: int, end: float, pause: float) -> bool:
    """Whether it was ours before the end."""
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(pause)
        else:
            return True
