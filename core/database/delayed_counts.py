"""Counts in memory that are added to the database from time to time, so that counting costs a request no write.

The counts that a killed process has not yet written are lost.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping

from django.db import DatabaseError, transaction

logger = logging.getLogger(__name__)


class DelayedCounts[Key: Hashable]:
    """The counts of this process.

    store: adds counts to the rows; runs in a transaction. seconds: between two writes. most: different keys in memory;
    others are not counted until the next write. 0 = no limit.
    """

    def __init__(
        self,
        store: Callable[[Mapping[Key, int]], None],
        seconds: float,
        most: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._counts: Counter[Key] = Counter()
        self._next = clock() + seconds
        self._lock = threading.Lock()

    def add(self, key: Key) -> None:
        """Count one; write if it is time."""
        self.note(key)
        self.write_due()

    def note(self, key: Key) -> None:
        """Count one, for `write_due` to write it later."""
        with self._lock:
            if not self._most or key in self._counts or len(self._counts) < self._most:
                self._counts[key] += 1

    def write_due(self) -> None:
        """Write what waits, if it is time."""
        if self._counts and self._clock() >= self._next:
            self.write()

    def write(self) -> None:
        """Write the counts to the database. If that fails, they are kept for the next attempt."""
        with self._lock:
            if not self._counts:
                return
            counts, self._counts = self._counts, Counter()
            self._next = self._clock() + self._seconds
        try:
            with transaction.atomic():
                self._store(counts)
        except DatabaseError:
            logger.warning("counts could not be written: %s", self._store.__qualname__, exc_info=True)
            with self._lock:
                self._counts.update(counts)
