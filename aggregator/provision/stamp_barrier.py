"""Who lists waits for who stamps, for a moment: then no change can be missed between two lists. Knows the database.

A stamp is the second in which it is given. Whoever lists says at which second it began, and the next list of the same
client begins there: so what bears a stamp up to that second must be in the list, also if its transaction was not yet
committed. Hence one who stamps keeps others out from taking the time until the commit, and one who lists takes the
time, waits until nobody stamps, and reads then. With PostgreSQL by advisory locks, which it gives up after a commit;
with SQLite, whose processes are on one machine, by a lock on a file. Both end with their process.
"""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, connection, transaction

LOCK = 0x7374616D  # PostgreSQL advisory lock
PATIENCE = 3.0  # seconds; a stamping keeps it for a tenth of one
LOOK_AGAIN = 0.005


class StampingHangs(OperationalError):
    """Somebody keeps stamping: come again later."""


@contextmanager
def stamping() -> Iterator[Callable[[], object]]:
    """One transaction that gives stamps. To be called in it before the clock is read: nobody lists until the commit."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            yield partial(cursor.execute, "SELECT pg_advisory_xact_lock(%s)", [LOCK])
        return
    with _file().open("a") as handle, transaction.atomic():  # closed, and so unlocked, after the commit
        yield partial(fcntl.flock, handle, fcntl.LOCK_EX)


def second() -> int:
    """The second it is, since 1970. Of many machines one clock counts: that of the database."""
    if connection.vendor != "postgresql":
        return int(time.time())
    with connection.cursor() as cursor:
        cursor.execute("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint")
        now: int = cursor.fetchone()[0]
    return now


def wait_for_stamps() -> None:
    """Return when all stamps given before this call are committed. Raises StampingHangs."""
    if connection.vendor == "postgresql":
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {int(PATIENCE * 1000):d}")
                cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [LOCK])
        except OperationalError as error:
            raise StampingHangs from error
        return
    end = time.monotonic() + PATIENCE
    with _file().open("a") as handle:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return
            except BlockingIOError as error:
                if time.monotonic() > end:
                    raise StampingHangs from error
                time.sleep(LOOK_AGAIN)


def _file() -> Path:
    return Path(settings.DATA_DIR) / "stamping.lock"
