"""Queue of the threads and processes of one machine that want to write to an SQLite file. No Django, no SQLite.

SQLite allows one writer; waiters poll at intervals of up to 100 ms. A busy writer (a harvest, an aggregation) releases
the lock for about 1 ms between two transactions, which pollers usually miss: a login was seen to wait for ten
transactions. So a writer takes two locks on files beside the database: first "next", the place behind the current
writer, then "writer", for which only the holder of "next" waits. A process that has just written must queue behind it.
Whoever has written for long last time (a harvest, an aggregation) first takes a third lock, "long", and keeps it while
it waits and writes. So only one of them is in the queue, and a login waits for about one of their transactions.

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
LONG = 0.02  # seconds; whoever writes for longer waits with the others of its kind next time


class WriterQueue:
    """The place of one connection in the queue. path: of the database."""

    def __init__(self, path: str) -> None:
        self._paths = [Path(f"{path}-{name}") for name in ("next", "writer", "long")]
        self._files: list[int] = []
        self._process = 0  # the process that opened the files: a forked child shares the locks of its parent
        self._ours = False
        self._begun = 0.0  # when our turn began (time.monotonic)
        self._is_long = False  # whether our last turn was long

    def enter(self) -> None:
        """Wait for our turn to write, which lasts until `leave`."""
        if self._ours and self._process == os.getpid():
            return
        if not self._open():
            return
        end = time.monotonic() + MAX_WAIT
        next_file, writer_file, long_file = self._files
        if self._is_long:
            wait_for_file(long_file, end, OTHERS_POLL)
        if wait_for_file(next_file, end, OTHERS_POLL):
            self._ours = wait_for_file(writer_file, end, NEXT_POLL)
            unlock_file(next_file)
        if not self._ours:
            unlock_file(long_file)
        self._begun = time.monotonic()

    def leave(self) -> None:
        """Let others write. May be called any number of times."""
        if self._ours and self._process == os.getpid():
            self._ours = False
            self._is_long = time.monotonic() - self._begun > LONG
            for file in self._files[1:]:
                unlock_file(file)

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
