"""Whole batches to PostgreSQL and back: each column is one array, in binary, bound by the server.

Beside it were measured Django's `executemany` and COPY into a temporary table, see benchmarks/RESULTS.md: COPY spares
the client a little, but its table costs the server more than the arrays do, in every transaction anew.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any

from django.db import connection, models
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor
from psycopg.pq import Format

# Type of a column (without its length) -> what its values are for the driver.
PLAIN: dict[str, type] = {
    "bigint": int,
    "integer": int,
    "smallint": int,
    "double precision": float,
    "boolean": bool,
    "varchar": str,
    "text": str,
    "jsonb": str,
    "bytea": bytes,
    "timestamp with time zone": datetime,
}


def run(statement: str, parameters: Sequence[Any]) -> None:
    """One statement whose parameters (%b) go as they are."""
    with _bound() as cursor:
        cursor.execute(statement, parameters)


def ask(statement: str, parameters: Sequence[Any], *, binary: bool) -> list[tuple[Any, ...]]:
    """The same, and its rows. binary: how they come; JSON must come as text."""
    with _bound(Format.BINARY if binary else Format.TEXT) as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def table(
    model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]], unique: Sequence[str] = ()
) -> tuple[str, list[Any]]:
    """The rows as a table expression with these columns, and its parameters.

    unique: columns of which each combination may come once; the last row stands, as if they came one by one.
    """
    if unique:
        of = itemgetter(*map(columns.index, unique))
        rows = list({of(row): row for row in rows}.values())
    kinds = [kind(model, name) for name in columns]
    arrays = [values(each, one) for each, one in zip(kinds, zip(*rows, strict=True), strict=True)]
    return f"unnest({', '.join(f'%b::{each}[]' for each in kinds)})", arrays


def values(kind: str, column: Collection[Any]) -> list[Any]:
    """A column for the driver, which wants one type in an array: no choices, no integers among floats."""
    plain = PLAIN[kind]
    if set(map(type, column)) <= {plain, type(None)}:
        return list(column)
    if plain is datetime:
        return [datetime.fromisoformat(each) if isinstance(each, str) else each for each in column]
    return [None if each is None else plain(each) for each in column]


@lru_cache(maxsize=256)  # every column of every model that comes here
def kind(model: type[models.Model], column: str) -> str:
    """The type of a column, without its length: what is too long is to be refused, and a cast would cut it."""
    field = next(each for each in model._meta.concrete_fields if each.column == column)
    return (field.db_type(connection) or "").partition("(")[0]


@contextmanager
def _bound(form: Format = Format.TEXT) -> Iterator[CursorWrapper]:
    """A cursor whose parameters the server binds; Django's own writes them into the statement as text."""
    with connection.cursor() as usual:
        bound: Any = Cursor(usual.connection)
        bound.format = form
        wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
        with wrap(bound) as cursor:
            yield cursor
