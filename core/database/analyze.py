"""Statistics for PostgreSQL's query planner. Does nothing on other databases."""

from django.db import connection


def take_statistics() -> None:
    """Analyze all tables now.

    PostgreSQL has no statistics of tables that were just filled, and scans them whole for every query until autovacuum
    has analyzed them: that takes a minute or, where autovacuum is off, never happens.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
