"""Makes deleted data unreadable in the database files as well, for SQLite and PostgreSQL.

SQLite keeps deleted data in free pages until these are reused; so data is overwritten as it is deleted, and the file is
rewritten at the end. PostgreSQL keeps it in dead rows until the tables are vacuumed.
"""

from django.db import OperationalError, connection

VACUUMED_TABLES = (
    "harvesting_sourcerecord",
    "harvesting_recordissue",
    "harvesting_resolvedissue",
    "harvesting_recordversion",
    "aggregator_manifestation",
    "aggregator_member",
    "aggregator_resourcechange",
)


def overwrite_deleted() -> None:
    """Make this connection overwrite what it deletes from now on (SQLite)."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")


def wipe() -> bool:
    """Rewrite the database without the deleted data. Return False if other connections make that impossible now."""
    if connection.in_atomic_block:
        return False
    try:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("VACUUM")
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                return not cursor.fetchone()[0]  # 1 means that a reader still uses the log
            for table in VACUUMED_TABLES:
                cursor.execute(f"VACUUM (ANALYZE) {table}")
    except OperationalError:
        return False
    return True
