"""How much one transaction does: no more than others can wait for.

SQLite has one writer at a time, and how long rows take depends on the machine and on who else works on it: so each kind
of work measures how long its last transaction kept the others out, and takes more or fewer rows into its next one. On
PostgreSQL nobody waits for whoever writes other rows: there it is as much as it may be.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

AIM = 0.1  # seconds from the beginning of a transaction to its end; some take half as long again
GROWTH = 1.5  # at most, from one transaction to the next


class Pace:
    """Of one kind of work, in this process. most, least: rows of one transaction."""

    def __init__(self, most: int, least: int = 20) -> None:
        self._most, self._least = most, least
        self._size = float(most)

    def size(self, most: int | None = None) -> int:
        """How many rows the next transaction may take; never more than `most`."""
        return min(most or self._most, int(self._size))

    @contextmanager
    def transaction(self, rows: int) -> Iterator[None]:
        """One that writes so many rows."""
        with transaction.atomic():
            begun = time.monotonic()
            yield
        self.learn(rows, time.monotonic() - begun)

    def learn(self, rows: int, seconds: float) -> None:
        """A transaction with so many rows kept others out for so long."""
        if connection.vendor != "sqlite" or (seconds < AIM and rows < int(self._size)):  # few rows say little of many
            return
        fitting = rows * AIM / max(seconds, 1e-6)
        self._size = max(self._least, min(fitting, self._size * GROWTH, self._most))
