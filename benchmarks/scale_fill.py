"""Multiplies the template of `benchmarks/scale_template.py`, in pieces: a fill that was killed goes on where it was.

A piece is one copy of one table. It is written in the same transaction as the row of `scale_filled` that says so. On
PostgreSQL all indexes and constraints of the tables are removed before and made again afterwards, which takes a small
part of the time that updating them row by row would take; their definitions are kept in `scale_definitions` meanwhile.
Foreign keys are not checked when they are made again.
"""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.models import F

from aggregator.models import ListCounting, Manifestation, MatchKey, NumberCounter, ResourceClock, WorkKey
from benchmarks.scale_template import NUMBERED, RECORDS, columns, highest, one, run_sql, table, value
from harvesting.models import SourceRecord

AT_ONCE = 2  # tables that PostgreSQL fills at the same time
type Tables = Sequence[type[models.Model]]

# Foreign keys are made last and removed first: the others need the primary keys of their tables.
_DEFINITIONS = """
INSERT INTO scale_definitions (rank, name, remove, make)
SELECT CASE contype WHEN 'f' THEN 3 ELSE 2 END, conname, format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname),
    format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    || CASE contype WHEN 'f' THEN ' NOT VALID' ELSE '' END
FROM pg_constraint WHERE contype IN ('p', 'u') AND conrelid = ANY(%(tables)s::regclass[])
    OR contype = 'f' AND (conrelid = ANY(%(tables)s::regclass[]) OR confrelid = ANY(%(tables)s::regclass[]))
UNION ALL
SELECT 1, indexrelid::regclass::text, format('DROP INDEX %%s', indexrelid::regclass), pg_get_indexdef(indexrelid)
FROM pg_index WHERE indrelid = ANY(%(tables)s::regclass[])
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
"""


def make_tables() -> None:
    """Create the tables in which the state of the fill is kept."""
    run_sql("CREATE TABLE scale_copies (copy BIGINT PRIMARY KEY, turn BIGINT)")
    run_sql("CREATE TABLE scale_filled (name VARCHAR(80), copy BIGINT, PRIMARY KEY (name, copy))")
    run_sql("CREATE TABLE scale_definitions (rank INT, name VARCHAR(80) PRIMARY KEY, remove TEXT, make TEXT)")


def copies_made() -> int:
    return one("SELECT COUNT(*) FROM scale_copies")


def next_copy() -> int:
    """Return the number of the next copy. A number is left free: measurements use its row numbers."""
    spans = dict.fromkeys((SourceRecord, Manifestation), RECORDS) | {model: 1 + highest(model) for model in NUMBERED}
    latest = (one(f"SELECT COALESCE(MAX(id), 0) FROM {table(model)}") // span for model, span in spans.items())
    return max(one("SELECT COALESCE(MAX(copy), -1) FROM scale_copies"), *latest) + 2


def add_copies(count: int) -> None:
    """Note that so many more copies are wanted. `fill` makes them."""
    if count < 1:
        return
    first = next_copy()
    pick = random.Random(first)
    with transaction.atomic(), connection.cursor() as cursor:
        turns = [(copy, pick.getrandbits(63)) for copy in range(first, first + count)]
        cursor.executemany("INSERT INTO scale_copies VALUES (%s, %s)", turns)


def fill(tables: Tables) -> Iterator[str]:
    """Make all copies that are missing. Yields what was done, step by step."""
    missing = {model: copies for model in tables if (copies := _missing(model))}
    if missing:
        NumberCounter.objects.all().delete()  # so that the next number assigned is above those of the copies
        ListCounting.objects.all().delete()  # and what is counted is counted again
        # The copies are in the lists already. They have the last second of the template, which would be read again.
        ResourceClock.objects.update(at=F("at") + 1, seen=F("at") + 1, blocks=None)
        yield from _fill_sqlite(missing) if connection.vendor == "sqlite" else _fill_postgresql(missing)
    is_unfinished = bool(missing) or one("SELECT COUNT(*) FROM scale_definitions") > 0
    yield from _make_indexes()
    if is_unfinished:
        for sql in connection.ops.sequence_reset_sql(no_style(), [SourceRecord, *NUMBERED]):
            run_sql(sql)
        names = ", ".join(map(table, tables))
        run_sql("ANALYZE" if connection.vendor == "sqlite" else f"VACUUM (ANALYZE) {names}")


def _missing(model: type[models.Model]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT copy FROM scale_copies WHERE copy NOT IN (SELECT copy FROM scale_filled WHERE name = %s) ORDER BY 1",
            [table(model)],
        )
        return [copy for (copy,) in cursor.fetchall()]


def _fill_sqlite(missing: dict[type[models.Model], list[int]]) -> Iterator[str]:
    run_sql("PRAGMA journal_mode=OFF")  # after a crash, everything can be made again
    run_sql("PRAGMA synchronous=OFF")
    for model, copies in missing.items():
        # Keys of all copies in one sorted statement: copy by copy, every key would rewrite a page of the index.
        keyed = model in (MatchKey, WorkKey)
        for part in [copies] if keyed else [[copy] for copy in copies]:
            _make_copies(model, part, "ORDER BY 1, 2" if keyed else "")
        yield table(model)


def _fill_postgresql(missing: dict[type[models.Model], list[int]]) -> Iterator[str]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_DEFINITIONS, {"tables": [table(model) for model in missing]})
        cursor.execute("SELECT remove FROM scale_definitions ORDER BY rank DESC")
        for (statement,) in cursor.fetchall():
            cursor.execute(
                statement.replace("DROP CONSTRAINT", "DROP CONSTRAINT IF EXISTS").replace(
                    "DROP INDEX", "DROP INDEX IF EXISTS"
                )
            )
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda model: _copy_by_copy(model, missing[model]), missing)


def _copy_by_copy(model: type[models.Model], copies: list[int]) -> str:
    run_sql("SET synchronous_commit = off")
    for copy in copies:
        _make_copies(model, [copy])
    connection.close()
    return table(model)


def _make_copies(model: type[models.Model], copies: list[int], order: str = "") -> None:
    name, own = table(model), columns(model)
    chosen = ", ".join(map(str, copies))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {name} ({', '.join(own)}) SELECT {', '.join(value(model, column) for column in own)} "
            f"FROM scale_{name} t CROSS JOIN scale_copies c WHERE c.copy IN ({chosen}) {order}"
        )
        cursor.executemany("INSERT INTO scale_filled VALUES (%s, %s)", [(name, copy) for copy in copies])


def _make_indexes() -> Iterator[str]:
    """Make the indexes and constraints that a fill has removed, one by one; each is taken from the list when it is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, make FROM scale_definitions ORDER BY rank, name")
        wanted = cursor.fetchall()
    for name, statement in wanted:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            cursor.execute("DELETE FROM scale_definitions WHERE name = %s", [name])
        yield name
