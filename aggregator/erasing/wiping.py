"""Makes deleted data unreadable in the database files as well, for SQLite and PostgreSQL.

SQLite keeps deleted data in free pages until these are reused; so data is overwritten as it is deleted, and the file is
rewritten at the end. PostgreSQL keeps it in dead rows until the tables are vacuumed.
"""

from django.db import OperationalError, connection

from core.database.dialects import dialect


def overwrite_deleted() -> None:
    """Make this connection overwrite what it deletes from now on, where the database can do so."""
    dialect().overwrite_deleted()


def wipe() -> bool:
    """Rewrite the database without the deleted data. Return False if other connections make that impossible now."""
    if connection.in_atomic_block:
        return False
    try:
        return dialect().wipe()
    except OperationalError:
        return False
