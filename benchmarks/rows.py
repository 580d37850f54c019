"""Fills a table by one SQL statement, for benchmarks that need a full database but no harvest. SQLite only."""

from django.db import connection, models

NAMES = {models.BooleanField: "0", models.JSONField: "'{}'", models.BinaryField: "X''", models.DateTimeField: "''"}


def fill(model: type[models.Model], rows: int, **values: str) -> None:
    """Insert a row for every number n from 1 to `rows`.

    values: column -> SQL expression, which may use n. Other columns become NULL, zero or empty.
    """
    columns = {field.column: values.get(field.column, _least(field)) for field in model._meta.concrete_fields}
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) "
            f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows}) "
            f"SELECT {', '.join(columns.values())} FROM numbers"
        )


def _least(field: models.Field) -> str:
    if field.primary_key:
        return "n"
    if field.null:
        return "NULL"
    if isinstance(field, models.IntegerField | models.FloatField | models.ForeignKey):
        return "0"
    return next((least for kind, least in NAMES.items() if isinstance(field, kind)), "''")
