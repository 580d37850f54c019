"""Named locks across processes: only one worker at a time does each kind of work. Callers usually skip, not wait.

On PostgreSQL an advisory lock of the session, which holds across machines; on SQLite, whose processes are all on one
machine, a lock on a file. Both are released when the process that has them ends, however it ends.
"""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection
from django.utils.translation import gettext as _


class Work(Enum):
    """Kinds of work with a lock. The values are the numbers of the advisory locks."""

    REREAD = 0x72657264
    INDEX = 0x696E6478
    RESOURCES = 0x72737263
    AGGREGATE = 0x61676772


POLL_SECONDS = 0.02  # seconds


@contextmanager
def try_lock(work: Work) -> Iterator[bool]:
    """Try to take the lock for the block. Yields whether it was taken: False while another process has it."""
    if connection.vendor == "postgresql":
        with _session_lock(work.value) as acquired:
            yield acquired
        return
    with (settings.DATA_DIR / f"{work.name.lower()}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


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


@contextmanager
def _session_lock(number: int) -> Iterator[bool]:
    acquired = _call_lock_function("SELECT pg_try_advisory_lock(%s)", number)
    try:
        yield acquired
    finally:
        if acquired:
            with suppress(DatabaseError):  # a lost connection has released its locks
                _call_lock_function("SELECT pg_advisory_unlock(%s)", number)


def _call_lock_function(statement: str, number: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, [number])
        return bool(cursor.fetchone()[0])
