"""What is deleted must not be readable in the file of the database either. Knows both databases.

SQLite keeps what was deleted in free pages until they are used again: they are overwritten, and the file is written
anew. PostgreSQL keeps it in dead rows until they are vacuumed.
"""

from django.db import OperationalError, connection

WRITTEN_ANEW = (
    "harvesting_sourcerecord",
    "harvesting_recordissue",
    "harvesting_resolvedissue",
    "harvesting_recordversion",
    "aggregator_manifestation",
    "aggregator_member",
    "aggregator_resourcechange",
)


def overwrite_deleted() -> None:
    """From here on this connection overwrites what it deletes."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")


def wipe() -> bool:
    """Write the database anew without what was deleted. False if somebody uses it so that it cannot be done now."""
    if connection.in_atomic_block:
        return False
    try:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("VACUUM")
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                return not cursor.fetchone()[0]  # 1: a reader keeps the log
            for table in WRITTEN_ANEW:
                cursor.execute(f"VACUUM (ANALYZE) {table}")
    except OperationalError:
        return False
    return True
