"""Limits the rows of a transaction so that other writers need not wait long for it.

SQLite has one writer at a time, and how long a row takes depends on the machine and its load. So each kind of work
measures how long its last transaction lasted and puts more or fewer rows into the next one. The first one of a process,
and every job is a process of its own, is small: with all rows it held up a login for 3.7 s on a busy machine. On
PostgreSQL, writers of different rows do not wait for each other; there a transaction always has the maximum size.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from core.database.dialects import dialect

TARGET_SECONDS = 0.1  # from the beginning of a transaction to its end; some take half as long again
FIRST = 10  # the first transaction has this part of the maximum
GROWTH = 1.5  # a transaction has at most this many times the rows of the one before


class Pace:
    """The size of the transactions of one kind of work in this process. most, least: rows per transaction."""

    def __init__(self, most: int, least: int = 20) -> None:
        self._most, self._least = most, least
        self._size = float(max(least, most // FIRST))

    def size(self, most: int | None = None) -> int:
        """How many rows the next transaction may have; never more than `most`."""
        size = self._most if dialect().locks_rows else int(self._size)
        return min(most or self._most, size)

    @contextmanager
    def transaction(self, rows: int) -> Iterator[None]:
        """Open a transaction that writes `rows` rows, and measure how long it takes."""
        with transaction.atomic():
            begun = time.monotonic()
            yield
        self.learn(rows, time.monotonic() - begun)

    def learn(self, rows: int, seconds: float) -> None:
        """Adjust the size after a transaction of `rows` rows that took `seconds`."""
        if dialect().locks_rows:
            return
        if seconds < TARGET_SECONDS and rows < int(self._size):  # a fast but small transaction tells little
            return
        fitting = rows * TARGET_SECONDS / max(seconds, 1e-6)
        self._size = max(self._least, min(fitting, self._size * GROWTH, self._most))
