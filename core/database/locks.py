"""Named locks across processes: only one worker at a time does each kind of work.

On PostgreSQL advisory locks, which hold across machines; on SQLite, whose processes are all on one machine, locks on
files. All are released when the process that has them ends, however it ends.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection, transaction
from django.utils.translation import gettext as _

from core.file_locks import lock_file, try_lock_file, wait_for_file


class Work(Enum):
    """Kinds of work with a lock. The values are the numbers of the advisory locks."""

    REREAD = 0x72657264
    INDEX = 0x696E6478
    RESOURCES = 0x72737263
    AGGREGATE = 0x61676772
    STAMPING = 0x7374616D


POLL_SECONDS = 0.02
SHORT_POLL_SECONDS = 0.005  # for locks that are held for a fraction of a second


@contextmanager
def try_lock(work: Work) -> Iterator[bool]:
    """Try to take the lock for the block. Yields whether it was taken: False while another process has it."""
    if connection.vendor == "postgresql":
        with _session_lock(work.value) as acquired:
            yield acquired
        return
    with _file(work).open("a") as handle:
        yield try_lock_file(handle.fileno())


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
def lockable_transaction(work: Work) -> Iterator[Callable[[], object]]:
    """A transaction for the block. Yields a function that takes the lock, which is held until after the commit."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            yield partial(_take_advisory_lock, work)
        return
    # Opened before the transaction begins, and so closed, which unlocks it, after the commit.
    with _file(work).open("a") as handle, transaction.atomic():
        yield partial(lock_file, handle.fileno())


def wait_until_unlocked(work: Work, timeout: float) -> bool:
    """Wait until no transaction has the lock; return whether that was so within `timeout` seconds.

    Others may wait in the same way at the same time.
    """
    if connection.vendor == "postgresql":
        with suppress(OperationalError), transaction.atomic():
            _take_advisory_lock(work, timeout, shared=True)
            return True
        return False
    with _file(work).open("a") as handle:
        return wait_for_file(handle.fileno(), time.monotonic() + timeout, SHORT_POLL_SECONDS, shared=True)


def lock_until_commit(work: Work, seconds: int) -> None:
    """Take the lock for the rest of the open transaction. On SQLite an open write transaction already excludes others.

    seconds: how long to wait for the lock at most, and how long the transaction may compute between two statements.
    Raises OperationalError after that.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {seconds * 1000:d}")
            _take_advisory_lock(work, seconds)
            cursor.execute("SET LOCAL lock_timeout TO DEFAULT")


def _take_advisory_lock(work: Work, timeout: float | None = None, *, shared: bool = False) -> None:
    """Take PostgreSQL's lock for the rest of the open transaction. Raises OperationalError after `timeout` seconds, by
    default the setting of the connection.
    """
    statement = "SELECT pg_advisory_xact_lock_shared(%s)" if shared else "SELECT pg_advisory_xact_lock(%s)"
    with connection.cursor() as cursor:
        if timeout is not None:
            cursor.execute(f"SET LOCAL lock_timeout = {int(timeout * 1000):d}")
        cursor.execute(statement, [work.value])


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


def _file(work: Work) -> Path:
    return Path(settings.DATA_DIR) / f"{work.name.lower()}.lock"
