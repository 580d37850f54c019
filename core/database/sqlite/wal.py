"""Truncates SQLite's write-ahead log when it has grown. Does nothing on other databases.

A page of the log can be reused only when no reader still needs an older state. On a site that is read all the time
there always is such a reader, and the file grows meanwhile: by 300 MB in a minute of full load. So the process that
writes most now and then blocks all writers briefly, until the earlier readers are done.
"""

from pathlib import Path

from django.db import connections

from core.database.sqlite.base import DatabaseWrapper

MAX_LOG_BYTES = 128 << 20  # a log that is restarted in time stays at 32 MB
READER_WAIT = 500  # milliseconds that writers are blocked to wait for readers


def shorten_log() -> bool:
    """Truncate the log if it is long; return whether it was truncated: not if a reader lasts beyond READER_WAIT."""
    connection = connections["default"]
    if not isinstance(connection, DatabaseWrapper):
        return False
    log = Path(f"{connection.settings_dict['NAME']}-wal")
    if not log.exists() or log.stat().st_size <= MAX_LOG_BYTES:
        return False
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")  # copies nearly all of the log while others write
        cursor.execute("PRAGMA busy_timeout")
        usual_timeout = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {READER_WAIT}")
        try:
            with connection.queued():
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                busy = cursor.fetchone()[0]
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual_timeout}")
    return not busy
