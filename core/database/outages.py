"""Tells failures of the database server, its disk or its locks from faults of the program.

The former end by themselves or by an operator's act; the same request works later.
"""

import sqlite3

from django.db import InterfaceError, OperationalError

# What Django raises when the server ends a session: psycopg calls a statement on a closed connection an InterfaceError.
LOST = (OperationalError, InterfaceError)
# Primary result codes of SQLite (https://www.sqlite.org/rescode.html). SQLITE_ERROR, for example a missing table, is a
# fault of the program.
_SQLITE_CODES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
    }
)
# Classes of PostgreSQL's codes: connection, transaction state, resources, object state (locks), operator, system.
_POSTGRESQL_CLASSES = ("08", "25P03", "40", "53", "55", "57", "58")


def is_outage(error: BaseException | None) -> bool:
    """Return whether the database could not be reached, or could not work at that moment."""
    if not isinstance(error, LOST):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return (getattr(cause, "sqlite_errorcode", 0) & 0xFF) in _SQLITE_CODES
    code = getattr(cause, "sqlstate", None)
    return code is None or str(code).startswith(_POSTGRESQL_CLASSES)  # a lost connection has no code
