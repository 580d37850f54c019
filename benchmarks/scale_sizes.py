"""Bytes of each table and index, on SQLite and PostgreSQL. Knows no benchmark."""

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
    """index: "" for the rows themselves, with what is stored out of line."""

    table: str
    index: str
    bytes: int


def sizes() -> list[Size]:
    """SQLite reads its whole file for it."""
    with connection.cursor() as cursor:
        cursor.execute(_POSTGRESQL if connection.vendor == "postgresql" else _SQLITE)
        return [Size(table, index or "", int(size)) for table, index, size in cursor.fetchall()]


def report_sizes(rows: dict[str, int], records: int) -> int:
    """A line a table, bytes a row and a record; returns the bytes a record of all of them together."""
    found = [each for each in sizes() if each.table in rows]
    print(f"{'table':28}{'rows a record':>14}{'bytes a row':>12}{'of indexes':>11}{'bytes a record':>15}")
    for name, count in sorted(rows.items()):
        whole = sum(each.bytes for each in found if each.table == name)
        indexes = sum(each.bytes for each in found if each.table == name and each.index)
        per = f"{whole / count:12.0f}{indexes / count:11.0f}" if count else f"{'':23}"
        print(f"{name:28}{count / records:14.3f}{per}{whole / records:15.0f}")
    for each in sorted(found, key=lambda each: -each.bytes)[:12]:
        if each.index:
            print(f"    {each.index:58}{each.bytes / rows[each.table]:8.1f} bytes a row")
    return sum(each.bytes for each in found) // records
