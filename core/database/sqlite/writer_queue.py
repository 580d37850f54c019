"""Queue of the threads and processes of one machine that want to write to an SQLite file. No Django, no SQLite.

SQLite allows one writer; waiters poll at intervals of up to 100 ms. A busy writer (a harvest, an aggregation) releases
the lock for about 1 ms between two transactions, which pollers usually miss: a login was seen to wait for ten
transactions. So a writer takes two locks on files beside the database: first "next", the place behind the current
writer, then "writer", for which only the holder of "next" waits. A process that has just written must queue behind it.

The queue only orders writers; SQLite's own lock keeps them apart. A writer that waits in the queue for more than
MAX_WAIT, or may not open its files, goes on without it.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from core.file_locks import unlock_file, wait_for_file

MAX_WAIT = 10.0  # seconds
# Seconds between two attempts to take a lock: "writer" (by the holder of "next"), and "next" (by all others).
NEXT_POLL, OTHERS_POLL = 0.001, 0.005


class WriterQueue:
    """The place of one connection in the queue. path: of the database."""

    def __init__(self, path: str) -> None:
        self._paths = [Path(f"{path}-{name}") for name in ("next", "writer")]
        self._files: list[int] = []
        self._process = 0  # the process that opened the files: a forked child shares the locks of its parent
        self._ours = False

    def enter(self) -> None:
        """Wait for our turn to write, which lasts until `leave`."""
        if self._ours and self._process == os.getpid():
            return
        if not self._open():
            return
        end = time.monotonic() + MAX_WAIT
        next_file, writer_file = self._files
        if wait_for_file(next_file, end, OTHERS_POLL):
            self._ours = wait_for_file(writer_file, end, NEXT_POLL)
            unlock_file(next_file)

    def leave(self) -> None:
        """Let others write. May be called any number of times."""
        if self._ours and self._process == os.getpid():
            self._ours = False
            unlock_file(self._files[1])

    def close(self) -> None:
        """Leave the queue and close its files; `enter` opens them again."""
        self.leave()
        for file in self._files:
            os.close(file)
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
