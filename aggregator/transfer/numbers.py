"""The last number that a table gave a row: never given again, also if the row is gone. Knows both databases."""

from django.db import connection
from django.db.models import Max

from aggregator.transfer.tables import Table


def last_number(table: Table) -> int:
    """0 where the table gives none, or has given none so far."""
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
    # A row that was given its number elsewhere does not move the sequence, as it does in SQLite.
    highest = table._base_manager.aggregate(highest=Max("pk"))["highest"] or 0
    return max(int(value) if is_called else 0, highest)


def set_last_number(table: Table, number: int) -> None:
    """The next row gets a higher one."""
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
    """Its quoted name; "" for a table whose rows get their numbers elsewhere."""
    column = table._meta.pk.column
    if not column:
        return ""
    with connection.cursor() as cursor:
        quoted = connection.ops.quote_name(table._meta.db_table)
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [quoted, column])
        return str(cursor.fetchone()[0] or "")
