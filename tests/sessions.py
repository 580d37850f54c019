"""Ends the database session of a test as a restart of PostgreSQL does. For tests without a transaction of their own."""

import psycopg
from django.db import connection


def end_session() -> None:
    """Have the server end the session that Django has open in this thread; Django does not know of it yet."""
    connection.ensure_connection()
    pid = connection.connection.info.backend_pid
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
