"""Work that one process does at a time, whatever the number of workers: it is taken or left, seldom waited for.

On PostgreSQL by an advisory lock of the session, of all machines one; on SQLite, whose processes are on one machine, by
a lock on a file. Both end with the process that has them, however it ends.
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
    """What there is of it. The numbers are those of the locks."""

    REREAD = 0x72657264
    INDEX = 0x696E6478
    RESOURCES = 0x72737263
    AGGREGATE = 0x61676772


LOOK_AGAIN = 0.02  # seconds


@contextmanager
def turn(work: Work) -> Iterator[bool]:
    """Whether it is ours to do until the end of the block; not while another does it."""
    if connection.vendor == "postgresql":
        with _session_lock(work.value) as ours:
            yield ours
        return
    with (settings.DATA_DIR / f"{work.name.lower()}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def turn_waited_for(work: Work, longest: float) -> Iterator[None]:
    """It is ours until the end of the block; so many seconds are waited for it, then OperationalError."""
    end = time.monotonic() + longest
    while True:
        with turn(work) as ours:
            if ours:
                yield
                return
        if time.monotonic() > end:
            text = _("another process has been at it for %(seconds)s s (%(work)s)")
            raise OperationalError(text % {"seconds": round(longest), "work": work.name.lower()})
        time.sleep(LOOK_AGAIN)


@contextmanager
def _session_lock(number: int) -> Iterator[bool]:
    ours = _asked("SELECT pg_try_advisory_lock(%s)", number)
    try:
        yield ours
    finally:
        if ours:
            with suppress(DatabaseError):  # a connection that is lost holds nothing
                _asked("SELECT pg_advisory_unlock(%s)", number)


def _asked(statement: str, number: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, [number])
        return bool(cursor.fetchone()[0])
