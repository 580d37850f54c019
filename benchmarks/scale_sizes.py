"""The size of every table and index in bytes, on SQLite and PostgreSQL."""

from typing import NamedTuple

from django.db import connection

_POSTGRESQL = """
SELECT t.relname, i.relname, CASE WHEN i.relname IS NULL THEN pg_table_size(t.oid) ELSE pg_relation_size(i.oid) END
FROM pg_class t CROSS JOIN LATERAL (
    SELECT oid, relname FROM pg_class WHERE oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = t.oid)
    UNION ALL SELECT NULL, NULL) i
WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace
"""
_SQLITE = """
SELECT m.tbl_name, CASE WHEN m.type = 'index' THEN m.name END, s.pgsize
FROM (SELECT name, pgsize FROM dbstat WHERE aggregate = 1) s JOIN sqlite_master m ON m.name = s.name
"""


class Size(NamedTuple):
    """The bytes of an index. index: "" stands for the table itself, with values that are stored out of line."""

    table: str
    index: str  # type: ignore[assignment]  # every tuple has a method of this name, which nobody calls here
    bytes: int


def sizes() -> list[Size]:
    """Return the sizes of all tables and indexes. SQLite reads its whole file for this."""
    with connection.cursor() as cursor:
        cursor.execute(_POSTGRESQL if connection.vendor == "postgresql" else _SQLITE)
        return [Size(table, index or "", int(size)) for table, index, size in cursor.fetchall()]


def report_sizes(rows: dict[str, int], records: int) -> int:
    """Print a line for each table: bytes per row and per record. Return the bytes per record of all tables together."""
    found = [size for size in sizes() if size.table in rows]
    print(f"{'table':28}{'rows a record':>14}{'bytes a row':>12}{'of indexes':>11}{'bytes a record':>15}")
    for name, count in sorted(rows.items()):
        whole = sum(size.bytes for size in found if size.table == name)
        indexes = sum(size.bytes for size in found if size.table == name and size.index)
        per = f"{whole / count:12.0f}{indexes / count:11.0f}" if count else f"{'':23}"
        print(f"{name:28}{count / records:14.3f}{per}{whole / records:15.0f}")
    for size in sorted(found, key=lambda size: -size.bytes)[:12]:
        if size.index:
            print(f"    {size.index:58}{size.bytes / rows[size.table]:8.1f} bytes a row")
    return sum(size.bytes for size in found) // records
