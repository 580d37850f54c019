"""Makes listing wait briefly for any stamping in progress, so that no change falls between two consecutive lists.

A stamp is the second in which it is given. A list ends at the second in which it began, and the next list of the same
client begins there. So the list must contain every stamp up to that second, even if its transaction had not been
committed when the list began. Therefore stamping holds an exclusive lock from reading the clock until the commit, and
listing reads the clock, waits until no stamping is in progress, and then reads the rows. On PostgreSQL the lock is an
advisory lock, which is released after the commit; on SQLite, whose processes are on one machine, it is a lock on a
file. Both are released when their process ends.
"""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, connection, transaction

LOCK = 0x7374616D  # key of the PostgreSQL advisory lock
MAX_WAIT = 3.0  # seconds; stamping usually holds the lock for a tenth of a second
POLL_SECONDS = 0.005


class StampingTimeout(OperationalError):
    """Stamping has not finished within MAX_WAIT seconds; the request can be repeated later."""


@contextmanager
def stamping() -> Iterator[Callable[[], object]]:
    """A transaction that gives stamps. Yields a function that takes the lock; call it before reading the clock."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            yield partial(cursor.execute, "SELECT pg_advisory_xact_lock(%s)", [LOCK])
        return
    with _file().open("a") as handle, transaction.atomic():  # closed, and so unlocked, after the commit
        yield partial(fcntl.flock, handle, fcntl.LOCK_EX)


def current_second() -> int:
    """Return the current second since 1970. On PostgreSQL by the database's clock, since machines' clocks differ."""
    if connection.vendor != "postgresql":
        return int(time.time())
    with connection.cursor() as cursor:
        cursor.execute("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint")
        now: int = cursor.fetchone()[0]
    return now


def wait_for_stamps() -> None:
    """Wait until all stamps given before this call are committed. Raises StampingTimeout."""
    if connection.vendor == "postgresql":
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {int(MAX_WAIT * 1000):d}")
                cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [LOCK])
        except OperationalError as error:
            raise StampingTimeout from error
        return
    end = time.monotonic() + MAX_WAIT
    with _file().open("a") as handle:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return
            except BlockingIOError as error:
                if time.monotonic() > end:
                    raise StampingTimeout from error
                time.sleep(POLL_SECONDS)


def _file() -> Path:
    return Path(settings.DATA_DIR) / "stamping.lock"
