"""SQLite's write-ahead log is cut off where it grew. Elsewhere nothing happens.

A page of the log can be used again only when no reader still sees what is older. On a site that is read all the time
there always is one, and the file grows for as long as that lasts: by 300 MB in a minute of full load. So now and then
whoever writes most holds all writers up for a moment, until the readers of before are done.
"""

from pathlib import Path

from django.db import connections

from core.database.sqlite.base import DatabaseWrapper

LONG = 128 << 20  # bytes; a log that is begun anew in time stays at 32 MB
PATIENCE = 500  # milliseconds that writers are held up for readers


def shorten_log() -> bool:
    """Whether the log was long and is empty now. A reader of longer than PATIENCE leaves it until the next time."""
    connection = connections["default"]
    if not isinstance(connection, DatabaseWrapper):
        return False
    log = Path(f"{connection.settings_dict['NAME']}-wal")
    if not log.exists() or log.stat().st_size <= LONG:
        return False
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")  # nearly all of it, while others write
        cursor.execute("PRAGMA busy_timeout")
        usual = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        try:
            with connection.queued():
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                busy = cursor.fetchone()[0]
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
    return not busy
