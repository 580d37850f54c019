"""Rows into and out of tables in batches: one prepared statement on SQLite, one statement in all on PostgreSQL.

Django's `bulk_create(update_conflicts=True)` and `filter(…__in=…)` do the same at two to three times the cost a
row, so only the paths that every record takes come here.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.db import connection, models

from core.database import postgresql_arrays

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


def select_in(
    model: type[models.Model],
    columns: Sequence[str],
    column: str,
    values: Collection[int] | Collection[str],
    **equal: int,
) -> list[tuple[Any, ...]]:
    """The columns of the rows whose `column` is one of the values (numbers or texts, any number of them).

    equal: other columns and the number that they must hold. JSON columns come as their text.
    """
    if not values:
        return []
    quote = connection.ops.quote_name
    condition, parameter = _among(model, column, values)
    others = "".join(f" AND {quote(name)} = %s" for name in equal)
    statement = (
        f"SELECT {', '.join(map(quote, columns))} FROM {quote(model._meta.db_table)} "  # noqa: S608 names only
        f"WHERE {condition}{others}"
    )
    if by_arrays():
        binary = not any(postgresql_arrays.kind(model, name) == "jsonb" for name in columns)
        return postgresql_arrays.ask(statement, [parameter, *equal.values()], binary=binary)
    with connection.cursor() as cursor:
        cursor.execute(statement, [parameter, *equal.values()])
        return list(cursor.fetchall())


def update_in(model: type[models.Model], column: str, value: Any, pks: Collection[int]) -> None:
    """Set a column to one value in the rows with these ids: one statement, whatever their number."""
    if not pks:
        return
    quote = connection.ops.quote_name
    condition, parameter = _among(model, "id", pks)
    statement = f"UPDATE {quote(model._meta.db_table)} SET {quote(column)} = %s WHERE {condition}"  # noqa: S608 names only
    if by_arrays():
        postgresql_arrays.run(statement, [value, parameter])
        return
    with connection.cursor() as cursor:
        cursor.execute(statement, [value, parameter])


def by_arrays() -> bool:
    """Whether the database takes a batch as arrays."""
    return connection.vendor == "postgresql"


def among(column: str, values: Collection[int] | Collection[str]) -> tuple[str, Any]:
    """The condition that a column holds one of the values (numbers or texts, any number of them); its one parameter."""
    name = connection.ops.quote_name(column)
    if connection.vendor == "sqlite":
        return f"{name} IN (SELECT value FROM json_each(%s))", as_json(list(values))  # noqa: S608 names only
    return f"{name} = ANY(%s)", list(values)


def _among(model: type[models.Model], column: str, values: Collection[int] | Collection[str]) -> tuple[str, Any]:
    """The same of a model's column, as `select_in` binds it."""
    if not by_arrays():
        return among(column, values)
    kind = postgresql_arrays.kind(model, column)
    return f"{connection.ops.quote_name(column)} = ANY(%b::{kind}[])", postgresql_arrays.values(kind, values)


def as_json(value: Any) -> str:
    """A value for a JSON column."""
    return msgspec.json.encode(value).decode()


def as_moment(value: datetime) -> Any:
    """A moment for a date-time column of the database in use."""
    return connection.ops.adapt_datetimefield_value(value)


def upsert(
    model: type[models.Model],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    unique: Sequence[str],
    replaced: Sequence[str],
) -> None:
    """Insert the rows; where `unique` exists already, replace only the columns `replaced` (perhaps none).

    columns: column names in the order of the values; values as the database driver takes them.
    """
    quote = connection.ops.quote_name
    action = "UPDATE SET " + ", ".join(f"{quote(name)} = excluded.{quote(name)}" for name in replaced)
    conflict = f" ON CONFLICT ({', '.join(map(quote, unique))}) DO {action if replaced else 'NOTHING'}"
    _insert(model, columns, rows, conflict, unique)


def insert(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert the rows; the database numbers them."""
    _insert(model, columns, rows, "")


def update(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Set columns; each row of values ends with the id. Rows that are not there are passed over."""
    if not rows:
        return
    quote = connection.ops.quote_name
    if by_arrays():
        names = (*columns, "id")
        values, parameters = postgresql_arrays.table(model, names, rows, unique=names[-1:])
        settings = ", ".join(f"{quote(name)} = given.{quote(name)}" for name in columns)
        statement = (
            f"UPDATE {quote(model._meta.db_table)} AS stored SET {settings} "  # noqa: S608 names only
            f"FROM {values} AS given({', '.join(map(quote, names))}) WHERE stored.{quote('id')} = given.{quote('id')}"
        )
        postgresql_arrays.run(statement, parameters)
        return
    settings = ", ".join(f"{quote(name)} = %s" for name in columns)
    statement = f"UPDATE {quote(model._meta.db_table)} SET {settings} WHERE {quote('id')} = %s"  # noqa: S608 names only
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def delete(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Delete the rows that hold these values. Those that are not there are passed over."""
    if not rows:
        return
    quote = connection.ops.quote_name
    if by_arrays():
        values, parameters = postgresql_arrays.table(model, columns, rows)
        same = " AND ".join(f"stored.{quote(name)} = given.{quote(name)}" for name in columns)
        statement = (
            f"DELETE FROM {quote(model._meta.db_table)} AS stored "  # noqa: S608 names only
            f"USING {values} AS given({', '.join(map(quote, columns))}) WHERE {same}"
        )
        postgresql_arrays.run(statement, parameters)
        return
    condition = " AND ".join(f"{quote(name)} = %s" for name in columns)
    with connection.cursor() as cursor:
        cursor.executemany(f"DELETE FROM {quote(model._meta.db_table)} WHERE {condition}", rows)  # noqa: S608 names only


def _insert(
    model: type[models.Model],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    conflict: str,
    unique: Sequence[str] = (),
) -> None:
    if not rows:
        return
    quote = connection.ops.quote_name
    into = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(map(quote, columns))}) "
    if by_arrays():
        values, parameters = postgresql_arrays.table(model, columns, rows, unique)
        postgresql_arrays.run(f"{into}SELECT * FROM {values}{conflict}", parameters)  # noqa: S608 names only
        return
    with connection.cursor() as cursor:
        cursor.executemany(f"{into}VALUES ({', '.join(['%s'] * len(columns))}){conflict}", rows)
