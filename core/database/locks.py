"""Named locks across processes: only one worker at a time does each kind of work.

On PostgreSQL they hold across machines; on SQLite, whose processes are all on one machine, they are locks on files.
All are released when the process that has them ends, however it ends.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import OperationalError
from django.utils.translation import gettext as _

from core.database.dialects import dialect
from core.database.dialects.base import Work

__all__ = ["Work", "lock_until_commit", "lockable_transaction", "try_lock", "wait_for_lock", "wait_until_unlocked"]

POLL_SECONDS = 0.02


def try_lock(work: Work) -> AbstractContextManager[bool]:
    """Try to take the lock for the block. Gives whether it was taken: False while another process has it."""
    return dialect().try_lock(work)


@contextmanager
def wait_for_lock(work: Work, timeout: float) -> Iterator[None]:
    """Take the lock for the block, waiting for at most `timeout` seconds. Raises OperationalError after that."""
    end = time.monotonic() + timeout
    while True:
        with try_lock(work) as acquired:
            if acquired:
                yield
                return
        if time.monotonic() > end:
            text = _("another process has been doing this work for more than %(seconds)s seconds (%(work)s)")
            raise OperationalError(text % {"seconds": round(timeout), "work": work.name.lower()})
        time.sleep(POLL_SECONDS)


def lockable_transaction(work: Work) -> AbstractContextManager[Callable[[], object]]:
    """A transaction for the block. Gives a function that takes the lock, which is held until after the commit."""
    return dialect().lockable_transaction(work)


def wait_until_unlocked(work: Work, timeout: float) -> bool:
    """Wait until no transaction has the lock; return whether that was so within `timeout` seconds.

    Others may wait in the same way at the same time.
    """
    return dialect().wait_until_unlocked(work, timeout)


def lock_until_commit(work: Work, seconds: int) -> None:
    """Take the lock for the rest of the open transaction. On SQLite an open write transaction already excludes others.

    seconds: how long to wait for the lock at most, and how long the transaction may compute between two statements.
    Raises OperationalError after that.
    """
    dialect().lock_until_commit(work, seconds)
