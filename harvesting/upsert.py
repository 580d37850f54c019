"""Rows into tables in batches: one prepared INSERT … ON CONFLICT for SQLite and PostgreSQL.

`bulk_create(update_conflicts=True)` does the same at two to three times the cost a row (performance.md).
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models

CHUNK = 500  # parameters of one IN (…): SQLite's limit is 32,766, planning time says less


def chunks[T](values: Iterable[T], size: int = CHUNK) -> Iterable[list[T]]:
    """The values in lists of at most `size`."""
    chunk: list[T] = []
    for value in values:
        chunk.append(value)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def as_json(value: Any) -> str:
    """A value for a JSON column."""
    return json.dumps(value, ensure_ascii=False)


def as_moment(value: datetime) -> Any:
    """A moment for a date-time column of the database in use."""
    return connection.ops.adapt_datetimefield_value(value)


def upsert(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]],
           unique: Sequence[str], replaced: Sequence[str]) -> None:
    """Insert the rows; where `unique` exists already, replace only the columns `replaced` (perhaps none).

    columns: column names in the order of the values; values as the database driver takes them.
    """
    if not rows:
        return
    quote = connection.ops.quote_name
    action = "UPDATE SET " + ", ".join(f"{quote(name)} = excluded.{quote(name)}" for name in replaced)
    statement = (
        f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(map(quote, columns))}) "  # noqa: S608 names only
        f"VALUES ({', '.join(['%s'] * len(columns))}) "
        f"ON CONFLICT ({', '.join(map(quote, unique))}) DO {action if replaced else 'NOTHING'}")
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)
