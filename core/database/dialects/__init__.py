"""SQLite and PostgreSQL: this is the only place that asks which database is in use."""

from collections.abc import Mapping

from django.db import connection

from core.database.dialects.base import Dialect
from core.database.dialects.postgresql import PostgreSQL
from core.database.dialects.sqlite import SQLite

_DIALECTS: Mapping[str, Dialect] = {made.name: made for made in (SQLite(), PostgreSQL())}


def dialect() -> Dialect:
    """Return the dialect of the default database."""
    return _DIALECTS[connection.vendor]
