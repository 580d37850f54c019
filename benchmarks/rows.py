"""Fills a table by one SQL statement, for benchmarks that need a full database but no harvest."""

from typing import Any

from django.db import connection, models

MIDNIGHT = "'2026-11-01 00:00:00'"


def fill(model: type[models.Model], rows: int, **values: str) -> None:
    """Insert a row for every number n from 1 to `rows`.

    values: column -> SQL expression, which may use n. Other columns become NULL, zero or empty.
    """
    columns = {str(field.column): values.get(str(field.column), _least(field)) for field in model._meta.concrete_fields}
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) "
            f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows}) "
            f"SELECT {', '.join(columns.values())} FROM numbers"
        )


def padded(number: str) -> str:
    """SQL of a number as text of eight digits. number: SQL."""
    return f"substr('0000000' || ({number}), length('' || ({number})))"


def before(amount: str, unit: str) -> str:
    """SQL of the moment so many units ("minutes", "days") before MIDNIGHT. amount: SQL."""
    if connection.vendor == "sqlite":
        return f"datetime({MIDNIGHT}, '-' || ({amount}) || ' {unit}')"
    return f"TIMESTAMPTZ {MIDNIGHT} - ({amount}) * INTERVAL '1 {unit}'"


def blob(size: int) -> str:
    """SQL of so many zero bytes."""
    return f"zeroblob({size})" if connection.vendor == "sqlite" else f"decode(repeat('00', {size}), 'hex')"


def _least(field: models.Field) -> str:
    if field.primary_key:
        return "n"
    if field.null:
        return "NULL"
    least: dict[Any, str] = {
        models.BooleanField: "FALSE",
        (models.IntegerField, models.FloatField, models.ForeignKey): "0",
        models.DateField: MIDNIGHT,
        models.BinaryField: blob(0),
        models.JSONField: "'{}'",
    }
    return next((value for kinds, value in least.items() if isinstance(field, kinds)), "''")
