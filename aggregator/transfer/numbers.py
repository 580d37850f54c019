"""The last primary key that a table has assigned, for PostgreSQL and SQLite.

It is exported and restored so that the key of a deleted row is never assigned again.
"""

from django.db import connection
from django.db.models import Max

from aggregator.transfer.tables import Table


def last_number(table: Table) -> int:
    """Return the highest primary key ever assigned; 0 if the table assigns none, or has assigned none so far."""
    name = table._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [name])
            row = cursor.fetchone()
            return int(row[0]) if row else 0
        sequence = _sequence(table)
        if not sequence:
            return 0
        cursor.execute(f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 names only
        value, is_called = cursor.fetchone()
    # Unlike in SQLite, a row that is inserted with an explicit key does not advance PostgreSQL's sequence.
    highest = table._base_manager.aggregate(highest=Max("pk"))["highest"] or 0
    return max(int(value) if is_called else 0, highest)


def set_last_number(table: Table, number: int) -> None:
    """Make the table assign keys above this number. 0: leave it as it is."""
    if not number:
        return
    name = table._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [name])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [name, number])
        elif sequence := _sequence(table):
            cursor.execute("SELECT setval(%s, %s)", [sequence, number])


def _sequence(table: Table) -> str:
    """Return the quoted name of PostgreSQL's sequence; "" if the table's keys are assigned elsewhere."""
    column = table._meta.pk.column
    if not column:
        return ""
    with connection.cursor() as cursor:
        quoted = connection.ops.quote_name(table._meta.db_table)
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [quoted, column])
        return str(cursor.fetchone()[0] or "")
