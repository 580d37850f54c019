"""Creates a database in the state of each release, fills its tables, migrates it to the current version, exports it.

Runs in its own process: `python -m tests.aggregator.upgrades.upgrade FOLDER RELEASE …` writes FOLDER/<release>.zip for
each release and for the current version, and their columns to FOLDER/columns.json. Uses SQLite, or databases on the
server that DATABASE_URL names.
"""

import json
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
import psycopg
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.aggregator.upgrades.releases import HEAD, RELEASES
from tests.database import fill as copy_migrated


@contextmanager
def new_database(folder: Path) -> Iterator[None]:
    """Connect to a new, empty database."""
    connection.close()
    name, before = f"upgrade_{secrets.token_hex(4)}", connection.settings_dict["NAME"]
    url = os.environ.get("DATABASE_URL", "")
    if connection.vendor == "postgresql":
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f'CREATE DATABASE "{name}"')
    connection.settings_dict["NAME"] = name if connection.vendor == "postgresql" else str(folder / f"{name}.sqlite3")
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before
        if connection.vendor == "postgresql":
            with psycopg.connect(url, autocommit=True) as server:
                server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def migrate(release: str) -> Apps:
    """Migrate to the state of a release. Return the models of that state."""
    executor = MigrationExecutor(connection)
    targets = executor.loader.graph.leaf_nodes() if release == HEAD else list(RELEASES[release].items())
    return executor.migrate(targets).apps


def upgrade(release: str, folder: Path) -> dict[str, list[str]]:
    from aggregator.transfer.tables import columns, table_name, tables  # noqa: PLC0415  (Django is set up later)
    from aggregator.transfer.writing import write_everything  # noqa: PLC0415
    from tests.aggregator.transfer.filled import fill, tables_of  # noqa: PLC0415

    with new_database(folder):
        if release == HEAD and connection.vendor == "sqlite":
            copy_migrated(Path(connection.settings_dict["NAME"]))
        old_tables = tables_of(migrate(release), [table._meta.db_table for table in tables()])
        fill(old_tables)
        migrate(HEAD)
        write_everything(folder / f"{release}.zip", lambda _rows: None)
    return {table_name(table): [column.column for column in columns(table)] for table in old_tables}


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    if not os.environ.get("DATABASE_URL"):
        os.environ.pop("DATABASE_URL", None)
    django.setup()
    folder = Path(sys.argv[1])
    columns_of = {release: upgrade(release, folder) for release in (*sys.argv[2:], HEAD)}
    (folder / "columns.json").write_text(json.dumps(columns_of))
