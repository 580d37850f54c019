"""Reads and writes rows in batches: a few prepared statements on SQLite, a single statement on PostgreSQL.

Django's `bulk_create(update_conflicts=True)` and `filter(…__in=…)` do the same at two to three times the cost per
row. So this module is for the code that every record passes through; other code uses Django.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import Any

import msgspec
from django.db import connection, models

from core.database import postgresql_arrays
from core.database.dialects import dialect

CHUNK = 500  # parameters of one IN (…); SQLite's limit is 32,766, but planning time grows with the number
# How many rows one INSERT of SQLite has, the largest first; few sizes, so that the statements stay prepared. Most of
# what a short row costs is its statement: it opens the table and its indexes, and copies their pages in case it fails.
ROWS_OF_STATEMENTS = (100, 20, 1)


def chunks[T](values: Iterable[T], size: int = CHUNK) -> Iterable[list[T]]:
    """Yield the values in lists of at most `size`."""
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
    """Return the columns of the rows whose `column` is one of the values (numbers or texts, any number of them).

    equal: other columns and the number that they must hold. JSON columns are returned as text.
    """
    if not values:
        return []
    quote = connection.ops.quote_name
    condition, parameter = _model_condition(model, column, values)
    others = "".join(f" AND {quote(name)} = %s" for name in equal)
    statement = (
        f"SELECT {', '.join(map(quote, columns))} FROM {quote(model._meta.db_table)} "  # noqa: S608 names only
        f"WHERE {condition}{others}"
    )
    if uses_arrays():
        binary = not any(postgresql_arrays.column_type(model, name) == "jsonb" for name in columns)
        return postgresql_arrays.fetch(statement, [parameter, *equal.values()], binary=binary)
    with connection.cursor() as cursor:
        cursor.execute(statement, [parameter, *equal.values()])
        return list(cursor.fetchall())


def fetch_in(statement: str, column: str, values: Collection[int] | Collection[str]) -> list[tuple[Any, ...]]:
    """Return the rows of a SELECT statement whose `column` is one of the values. For what `select_in` cannot say.

    statement: SQL of our own, with {condition} where this condition belongs.
    """
    if not values:
        return []
    condition, parameter = in_condition(column, values)
    with connection.cursor() as cursor:
        cursor.execute(statement.format(condition=condition), [parameter])
        return list(cursor.fetchall())


def update_in(model: type[models.Model], column: str, value: Any, pks: Collection[int]) -> None:
    """Set a column to one value in the rows with these ids, in one statement whatever their number."""
    if not pks:
        return
    quote = connection.ops.quote_name
    condition, parameter = _model_condition(model, "id", pks)
    statement = f"UPDATE {quote(model._meta.db_table)} SET {quote(column)} = %s WHERE {condition}"  # noqa: S608 names only
    if uses_arrays():
        postgresql_arrays.execute(statement, [value, parameter])
        return
    with connection.cursor() as cursor:
        cursor.execute(statement, [value, parameter])


def uses_arrays() -> bool:
    """Whether the database takes a batch of rows as arrays."""
    return dialect().takes_arrays


def in_condition(column: str, values: Collection[int] | Collection[str]) -> tuple[str, Any]:
    """The SQL condition that a column is one of the values (numbers or texts, of any number), and its one parameter.

    In order, because SQLite makes an index of the values, which takes half as long again for unordered ones.
    """
    name = connection.ops.quote_name(column)
    if uses_arrays():
        return f"{name} = ANY(%s)", list(values)
    return f"{name} IN (SELECT value FROM json_each(%s))", as_json(sorted(values))  # noqa: S608 names only


def _model_condition(
    model: type[models.Model], column: str, values: Collection[int] | Collection[str]
) -> tuple[str, Any]:
    """As `in_condition`, for a column of a model, with the parameter as `select_in` and `update_in` bind it."""
    if not uses_arrays():
        return in_condition(column, values)
    kind = postgresql_arrays.column_type(model, column)
    return f"{connection.ops.quote_name(column)} = ANY(%b::{kind}[])", postgresql_arrays.array_values(kind, values)


def as_json(value: Any) -> str:
    """Convert a value to the text of a JSON column."""
    return msgspec.json.encode(value).decode()


def as_timestamp(value: datetime) -> Any:
    """Convert a date and time to what the driver of the database in use takes."""
    return connection.ops.adapt_datetimefield_value(value)


def upsert(
    model: type[models.Model],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    unique: Sequence[str],
    replaced: Sequence[str],
) -> None:
    """Insert the rows; if a row with the same `unique` columns exists, update only its columns `replaced` (maybe none).

    columns: column names in the order of the values; values as the database driver takes them. Of rows with the same
    unique columns, the last one wins.
    """
    quote = connection.ops.quote_name
    action = "UPDATE SET " + ", ".join(f"{quote(name)} = excluded.{quote(name)}" for name in replaced)
    conflict = f" ON CONFLICT ({', '.join(map(quote, unique))}) DO {action if replaced else 'NOTHING'}"
    _insert(model, columns, rows, conflict, unique)


def tally(
    model: type[models.Model],
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    unique: Sequence[str],
    raised: Sequence[str] = (),
) -> None:
    """Insert the rows; if a row with the same `unique` columns exists, add the values to its other columns. Of those
    in `raised`, the higher value is kept instead. Each row has other values in the unique columns.
    """
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    steps = []
    for name in map(quote, (name for name in columns if name not in unique)):
        stored, given = f"{table}.{name}", f"excluded.{name}"
        highest = f"CASE WHEN {given} > {stored} THEN {given} ELSE {stored} END"
        steps.append(f"{name} = {highest if name in map(quote, raised) else f'{stored} + {given}'}")
    conflict = f" ON CONFLICT ({', '.join(map(quote, unique))}) DO UPDATE SET {', '.join(steps)}"
    _insert(model, columns, rows, conflict, unique)


def insert(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert the rows; the database assigns the ids."""
    _insert(model, columns, rows, "")


def update(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Update columns by id: each row of values ends with the id. Ids that do not exist are ignored."""
    if not rows:
        return
    quote = connection.ops.quote_name
    if uses_arrays():
        names = (*columns, "id")
        values, parameters = postgresql_arrays.table(model, names, rows, unique=names[-1:])
        settings = ", ".join(f"{quote(name)} = given.{quote(name)}" for name in columns)
        statement = (
            f"UPDATE {quote(model._meta.db_table)} AS stored SET {settings} "  # noqa: S608 names only
            f"FROM {values} AS given({', '.join(map(quote, names))}) WHERE stored.{quote('id')} = given.{quote('id')}"
        )
        postgresql_arrays.execute(statement, parameters)
        return
    settings = ", ".join(f"{quote(name)} = %s" for name in columns)
    statement = f"UPDATE {quote(model._meta.db_table)} SET {settings} WHERE {quote('id')} = %s"  # noqa: S608 names only
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def update_one(model: type[models.Model], values: Mapping[str, Any], **equal: Any) -> bool:
    """Set fields of the row in which other fields have these values; return whether there is one.

    For a row that is written again with every batch: Django takes longer to put such a statement together than the
    database to execute it.
    """
    table, columns, parameters = connection.ops.quote_name(model._meta.db_table), [], []
    for name, value in (*values.items(), *equal.items()):
        field: Any = model._meta.get_field(name)  # a column of the table, not a relation to it
        columns.append(f"{connection.ops.quote_name(field.column)} = %s")
        parameters.append(field.get_db_prep_save(value, connection))
    settings, condition = ", ".join(columns[: len(values)]), " AND ".join(columns[len(values) :])
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {settings} WHERE {condition}", parameters)  # noqa: S608 names only
        return bool(cursor.rowcount)


def note_differences(model: type[models.Model], flag: str, column: str, rows: Sequence[tuple[Any, int]]) -> None:
    """Set a boolean column by id: whether another column differs from a value. rows: of value and id.

    Ids that do not exist are ignored. Neither column may be NULL.
    """
    if not rows:
        return
    quote = connection.ops.quote_name
    name, table = quote(column), quote(model._meta.db_table)
    if uses_arrays():
        values, parameters = postgresql_arrays.table(model, (column, "id"), rows)
        statement = (
            f"UPDATE {table} AS stored SET {quote(flag)} = stored.{name} <> given.value "  # noqa: S608 names only
            f"FROM {values} AS given(value, id) WHERE stored.id = given.id"
        )
        postgresql_arrays.execute(statement, parameters)
        return
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {table} SET {quote(flag)} = {name} <> %s WHERE id = %s", rows)  # noqa: S608 names only


def add(model: type[models.Model], column: str, rows: Sequence[tuple[int, int]]) -> None:
    """Add amounts (maybe negative) to a column of numbers by id: rows of amount and id. Unknown ids are ignored.

    The rows are locked in the order of their ids, so that concurrent writers cannot deadlock.
    """
    if not rows:
        return
    name, table = connection.ops.quote_name(column), connection.ops.quote_name(model._meta.db_table)
    ordered = sorted(rows, key=itemgetter(1))
    if not uses_arrays():
        with connection.cursor() as cursor:
            cursor.executemany(f"UPDATE {table} SET {name} = {name} + %s WHERE id = %s", ordered)  # noqa: S608 names only
        return
    amounts, pks = zip(*ordered, strict=True)
    lock = f"SELECT id FROM {table} WHERE id = ANY(%b::bigint[]) ORDER BY id FOR NO KEY UPDATE"  # noqa: S608 names only
    postgresql_arrays.execute(lock, [list(pks)])
    statement = (
        f"UPDATE {table} AS stored SET {name} = stored.{name} + given.amount "  # noqa: S608 names only
        "FROM unnest(%b::bigint[], %b::bigint[]) AS given(amount, id) WHERE stored.id = given.id"
    )
    postgresql_arrays.execute(statement, [list(amounts), list(pks)])


def delete(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Delete the rows that hold these values in the columns. Rows that do not exist are ignored."""
    if not rows:
        return
    quote = connection.ops.quote_name
    if uses_arrays():
        values, parameters = postgresql_arrays.table(model, columns, rows)
        same = " AND ".join(f"stored.{quote(name)} = given.{quote(name)}" for name in columns)
        statement = (
            f"DELETE FROM {quote(model._meta.db_table)} AS stored "  # noqa: S608 names only
            f"USING {values} AS given({', '.join(map(quote, columns))}) WHERE {same}"
        )
        postgresql_arrays.execute(statement, parameters)
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
    if uses_arrays():
        values, parameters = postgresql_arrays.table(model, columns, rows, unique)
        postgresql_arrays.execute(f"{into}SELECT * FROM {values}{conflict}", parameters)  # noqa: S608 names only
        return
    row = f"({', '.join('?' * len(columns))})"  # not %s, which Django would replace again in every call
    with connection.cursor() as cursor:
        for size, groups in _statements(rows):
            cursor.executemany(f"{into}VALUES {', '.join([row] * size)}{conflict}", groups)


def _statements(rows: Sequence[Sequence[Any]]) -> Iterator[tuple[int, list[list[Any]]]]:
    """Yield numbers of rows, each with the parameters of the statements that have so many; all rows in their order."""
    start = 0
    for size in ROWS_OF_STATEMENTS:
        end = len(rows) - (len(rows) - start) % size
        if end > start:
            yield size, [list(chain.from_iterable(rows[first : first + size])) for first in range(start, end, size)]
        start = end
