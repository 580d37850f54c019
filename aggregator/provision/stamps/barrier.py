"""Makes listing wait briefly for any stamping in progress, so that no change falls between two consecutive lists.

A stamp is the second in which it is given. A list ends at the second in which it began, and the next list of the same
client begins there. So the list must contain every stamp up to that second, even if its transaction had not been
committed when the list began. Therefore stamping holds an exclusive lock from reading the clock until the commit, and
listing reads the clock, waits until no stamping is in progress, and then reads the rows.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager

from django.db import OperationalError

from core.database.dialects import dialect
from core.database.locks import Work, lockable_transaction, wait_until_unlocked

MAX_WAIT = 3.0  # seconds; stamping usually holds the lock for a tenth of a second


class StampingTimeout(OperationalError):
    """Stamping has not finished within MAX_WAIT seconds; the request can be repeated later."""


def stamping() -> AbstractContextManager[Callable[[], object]]:
    """A transaction that gives stamps. Yields a function that takes the lock; call it before reading the clock."""
    return lockable_transaction(Work.STAMPING)


def current_second() -> int:
    """Return the current second since 1970, by the database's clock where machines' clocks may differ."""
    return dialect().clock()


def wait_for_stamps() -> None:
    """Wait until all stamps given before this call are committed. Raises StampingTimeout."""
    if not wait_until_unlocked(Work.STAMPING, MAX_WAIT):
        raise StampingTimeout
