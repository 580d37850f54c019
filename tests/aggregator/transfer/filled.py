"""Fills every table of any version of the site with rows that have a value in every column."""

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.apps.registry import Apps
from django.db import models

from aggregator.libraries.holdings import Copy, pack_copies
from aggregator.transfer.tables import table_name
from harvesting.records.compression import pack_encoded, pack_record
from tests.books import record

ROWS = (1, 2)
BEGIN = datetime(2026, 1, 10, 1, 2, 3, 456789, UTC)
# Values that must have a certain form because of a constraint or their meaning: table -> column -> value for row n.
SPECIAL = {
    "harvesting.repository": {"number": lambda n: f"R90000000{n}"},
    "harvesting.issuednumber": {"number": lambda n: f"R90000000{n}"},
    "harvesting.harvest": {"received": lambda n: 5 * n},
    "harvesting.feed": {"cron": lambda n: ""},
    "auth.group": {"name": lambda n: ("staff", "librarians")[n - 1]},
    "harvesting.letter": {"secret": lambda n: False},
    "harvesting.sourcerecord": {"record": lambda n: pack_record(record(f"b{n}", title=f"見本の本{n}"))},
    "aggregator.manifestation": {"record": lambda n: pack_record(record(f"b{n}", title=f"見本の本{n}"))},
    "aggregator.holding": {"packed": lambda n: pack_encoded(pack_copies([Copy(record=f"R{n}")]))},
    "aggregator.resourceset": {"name": lambda n: f"R90000000{n}"},
}


def fill(tables: list[type[models.Model]]) -> None:
    """Insert rows. tables: ordered so that every table comes after those that it refers to."""
    names = {table._meta.db_table for table in tables}
    for table in tables:
        special = SPECIAL.get(table_name(table), {})
        columns = [column for column in table._meta.concrete_fields if column.column]
        rows = [
            {
                column.attname: special[column.name](n) if column.name in special else value(column, n, names)
                for column in columns
            }
            for n in ROWS
        ]
        table._base_manager.bulk_create([table(**row) for row in rows])
        automatic = [c.attname for c in columns if getattr(c, "auto_now", False) or getattr(c, "auto_now_add", False)]
        for row in rows if automatic else ():  # Django has replaced the values by the current time
            table._base_manager.filter(pk=row[table._meta.pk.attname]).update(**{name: row[name] for name in automatic})


def tables_of(apps: Apps, names: list[str]) -> list[type[models.Model]]:
    """Return the models of the tables with these database names, leaving out those that the version does not have."""
    models_by_table = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    return [models_by_table[name] for name in names if name in models_by_table]


def value(column: models.Field, n: int, names: Collection[str]) -> Any:
    """Return a value that is different for every column and row.

    A foreign key refers to the row with the same number; within a table it refers to the other row, so that one of the
    two references points to a later row.
    """
    if column.is_relation and column.related_model._meta.db_table not in names:
        return None
    if column.is_relation:
        return 3 - n if column.related_model._meta.label == column.model._meta.label else n
    if isinstance(column, models.JSONField):
        document = {"值": f"{column.column} {n}", "b": [n, 1.5, None, True], "a": {}}
        return [document, n] if isinstance(column.get_default(), list) else document
    for kind, make in KINDS:
        if isinstance(column, kind):
            return make(column, n)
    raise AssertionError(column)


WIDENED = {"language": 5}  # columns that were shorter once: a later release fills them with the same text
KINDS: tuple[tuple[type[models.Field], Any], ...] = (
    (models.BinaryField, lambda column, n: b"\x00\xff%d" % n + column.column.encode()),
    (models.DateTimeField, lambda column, n: BEGIN + timedelta(days=n, microseconds=len(column.column))),
    (models.DateField, lambda column, n: date(2026, 1, n)),
    (models.TimeField, lambda column, n: time(n, 30)),
    (models.DurationField, lambda column, n: timedelta(hours=n, microseconds=5)),
    (models.BooleanField, lambda column, n: n == 1),
    (models.FloatField, lambda column, n: n / 7),
    (models.IntegerField, lambda column, n: n),
    (
        models.CharField,
        lambda column, n: f"{n} {column.column} 'ü\t<値>'"[: WIDENED.get(column.column, column.max_length)],
    ),
    (models.TextField, lambda column, n: f'{n} {column.column}\n"𠮷" \\'),
)
