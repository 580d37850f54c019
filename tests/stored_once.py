"""Fixtures that store the same rows for many tests: the first test of a process makes them, the others get copies.

Copies of rows and of the search index take a twentieth of the time that storing, matching and indexing take. On
PostgreSQL every test makes its own.
"""

import shutil
from collections.abc import Callable
from copy import deepcopy
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from django.conf import settings
from django.core.cache import caches
from django.db import connection
from django.db.models import Model

type Rows = dict[str, list[tuple[Any, ...]]]

# Written by migrations only.
CONSTANT = {"django_migrations", "django_content_type", "auth_permission"}


class Stored(NamedTuple):
    """What a fixture has left behind: changed tables, the index, its result, and the state of what it was given."""

    rows: Rows
    index: TemporaryDirectory[str]
    result: Any
    given: dict[str, Any]


_stored: dict[tuple[object, ...], Stored] = {}


def stored_once[**P, T](make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a fixture that needs the database and only other rows or helpers of tests as arguments."""

    @wraps(make)
    def fixture(*unnamed: P.args, **given: P.kwargs) -> T:
        if connection.vendor != "sqlite":
            return make(*unnamed, **given)
        key = (make, *_beginning())
        if key in _stored:
            return _again(_stored[key], given)
        before = _rows()
        result = make(*unnamed, **given)
        changed = {table: rows for table, rows in _rows().items() if rows != before[table]}
        index = TemporaryDirectory()
        if Path(settings.SEARCH_DIR).exists():
            shutil.copytree(settings.SEARCH_DIR, index.name, dirs_exist_ok=True)
        _stored[key] = Stored(changed, index, *deepcopy((result, given)))
        return result

    return fixture


def _beginning() -> list[tuple[Any, ...]]:
    """Return what the same beginning is recognised by: the number of rows of every table, and the last number given.

    After a test that committed its rows the numbers go on, and the stored rows refer to others.
    """
    counts = _all(" UNION ALL ".join(f'SELECT count(*) FROM "{table}"' for table in _tables()))
    return counts + _all("SELECT name, seq FROM sqlite_sequence ORDER BY name")


def _rows() -> Rows:
    """Return all rows as SQLite stores them. A column would be converted, an expression is not."""
    return {table: _all(f'SELECT {columns} FROM "{table}"') for table, columns in _tables().items()}


@cache
def _tables() -> dict[str, str]:
    """Return table -> its columns as expressions."""
    names = [name for (name,) in _all("SELECT name FROM sqlite_master WHERE type = 'table'") if name not in CONSTANT]
    return {name: ", ".join(f'+"{row[1]}"' for row in _all(f'PRAGMA table_info("{name}")')) for name in names}


def _all(statement: str) -> list[tuple[Any, ...]]:
    return connection.connection.execute(statement).fetchall()


def _again(stored: Stored, given: dict[str, Any]) -> Any:
    """Store the rows again, and return the result as if it had been made from what is given now."""
    for table, rows in stored.rows.items():
        connection.connection.execute(f'DELETE FROM "{table}"')
        if rows:
            places = ", ".join("?" * len(rows[0]))
            connection.connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)
    for store in caches.all():  # the rows have the same moments again, by which pages are recognised
        store.clear()
    settings.SEARCH_DIR = Path(settings.SEARCH_DIR) / "copy"
    shutil.copytree(stored.index.name, settings.SEARCH_DIR)
    present: dict[int, Any] = {}
    for name, value in given.items():
        present[id(stored.given[name])] = value
    for name, value in given.items():
        if value is not None and not isinstance(value, Model):
            vars(value).update({key: deepcopy(old, present) for key, old in vars(stored.given[name]).items()})
    return deepcopy(stored.result, present)
