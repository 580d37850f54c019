"""What PostgreSQL goes by when it plans. Elsewhere nothing happens."""

from django.db import connection


def take_statistics() -> None:
    """Count the tables now. Of those that were just filled in one go PostgreSQL knows nothing yet, and reads them from
    end to end for every question until it has looked by itself, which takes a minute or, where that is off, for ever.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
