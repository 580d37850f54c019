"""The key tables of a site of an earlier release are copied into ones without row numbers, on SQLite only."""

from importlib import import_module

import pytest
from django.db import connection

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import MatchKey, WorkKey
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="about the tables of SQLite"),
]
migration = import_module("aggregator.migrations.0047_keys_in_one_tree")


def definition(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
        return str(cursor.fetchone()[0])


def test_a_site_keeps_its_keys() -> None:
    shelf = Shelf()
    for number in range(3):
        shelf.put("library", f"{number}", record(f"{number}", title=f"本{number}", creator="夏目, 漱石"))
    sum(aggregate_pending())
    before = [sorted(model.objects.values_list()) for model in (MatchKey, WorkKey)]
    assert all(before)
    for table, columns, key in migration.TABLES:
        with connection.cursor() as cursor:  # as an earlier release made it
            cursor.execute(f'CREATE TABLE "made" ({columns}, PRIMARY KEY ({key}))')
            cursor.execute(f'INSERT INTO "made" SELECT * FROM "{table}"')
            cursor.execute(f'DROP TABLE "{table}"')
            cursor.execute(f'ALTER TABLE "made" RENAME TO "{table}"')
    migration.use_one_tree(None, connection.schema_editor())
    assert [sorted(model.objects.values_list()) for model in (MatchKey, WorkKey)] == before
    assert all(definition(table).endswith("WITHOUT ROWID") for table, _columns, _key in migration.TABLES)


def test_a_new_site_has_such_tables() -> None:
    assert all(definition(table).endswith("WITHOUT ROWID") for table, _columns, _key in migration.TABLES)
