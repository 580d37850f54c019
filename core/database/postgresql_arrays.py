"""Transfers whole batches to and from PostgreSQL: each column is one array, in binary, bound by the server.

Compared with Django's `executemany` and with COPY into a temporary table (benchmarks/RESULTS.md): COPY saves the client
a little time, but its table costs the server more than the arrays do, in every transaction.
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

# Type of a column (without its length) -> the Python type that the driver takes for it.
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


def execute(statement: str, parameters: Sequence[Any]) -> None:
    """Execute a statement whose parameters (%b) are sent in binary."""
    with _bound() as cursor:
        cursor.execute(statement, parameters)


def fetch(statement: str, parameters: Sequence[Any], *, binary: bool) -> list[tuple[Any, ...]]:
    """Execute a statement and return its rows. binary: format of the result; JSON must be fetched as text."""
    with _bound(Format.BINARY if binary else Format.TEXT) as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def table(
    model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]], unique: Sequence[str] = ()
) -> tuple[str, list[Any]]:
    """Return an SQL table expression for the rows with these columns, and its parameters.

    unique: columns whose combination must be unique; of several such rows the last one is used, as if they were written
    one by one.
    """
    if unique:
        unique_values = itemgetter(*map(columns.index, unique))
        rows = list({unique_values(row): row for row in rows}.values())
    types = [column_type(model, name) for name in columns]
    arrays = [array_values(type_, column) for type_, column in zip(types, zip(*rows, strict=True), strict=True)]
    return f"unnest({', '.join(f'%b::{type_}[]' for type_ in types)})", arrays


def array_values(type_: str, column: Collection[Any]) -> list[Any]:
    """Convert a column to the driver's type: psycopg needs arrays of one type, so choices become str and int float."""
    plain = PLAIN[type_]
    if set(map(type, column)) <= {plain, type(None)}:
        return list(column)
    if plain is datetime:
        return [datetime.fromisoformat(value) if isinstance(value, str) else value for value in column]
    return [None if value is None else plain(value) for value in column]


@lru_cache(maxsize=256)  # more entries than columns in use
def column_type(model: type[models.Model], column: str) -> str:
    """The type of a column without its length: too long a value must be refused, but a cast would cut it off."""
    field = next(field for field in model._meta.concrete_fields if field.column == column)
    return (field.db_type(connection) or "").partition("(")[0]


@contextmanager
def _bound(format_: Format = Format.TEXT) -> Iterator[CursorWrapper]:
    """A cursor whose parameters the server binds; Django's cursor writes them into the statement as text."""
    with connection.cursor() as django_cursor:
        bound: Any = Cursor(django_cursor.connection)
        bound.format = format_
        wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
        with wrap(bound) as cursor:
            yield cursor
