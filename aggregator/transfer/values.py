"""One value of a column as JSON has it, and as a database takes it. The same from and for every database."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import connection, models

from core.database.batches import as_json

type Change = Callable[[Any], Any]
MICROSECOND = timedelta(microseconds=1)


def _same(value: Any) -> Any:
    return value


def _told_moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _told_bytes(value: Any) -> str:
    return b64encode(bytes(value)).decode()


# Kind of column -> into JSON, out of JSON. The first that fits counts; others are as they are.
KINDS: tuple[tuple[type[models.Field[Any, Any]], Change, Change], ...] = (
    (models.BinaryField, _told_bytes, b64decode),
    (models.DateTimeField, _told_moment, datetime.fromisoformat),
    (models.DateField, date.isoformat, date.fromisoformat),
    (models.TimeField, time.isoformat, time.fromisoformat),
    (models.DurationField, lambda value: value // MICROSECOND, lambda value: value * MICROSECOND),
)


def into_json(column: models.Field[Any, Any]) -> Change:
    """How a value of this column, as Django reads it, is told."""
    told = next((told for kind, told, _read in KINDS if isinstance(_target(column), kind)), _same)
    return _unless_null(told)


def out_of_json(column: models.Field[Any, Any]) -> Change:
    """How what was told becomes a value for the driver of the database in use. ValueError, TypeError if it cannot."""
    target = _target(column)
    if isinstance(target, models.JSONField):
        return _unless_null(as_json)
    read = next((read for kind, _told, read in KINDS if isinstance(target, kind)), _same)
    if isinstance(target, models.BinaryField):
        return _unless_null(read)
    return _unless_null(lambda value: target.get_db_prep_value(read(value), connection))


def _target(column: models.Field[Any, Any]) -> models.Field[Any, Any]:
    """Of a reference the column that it refers to."""
    return _target(column.target_field) if isinstance(column, models.ForeignKey) else column


def _unless_null(change: Change) -> Change:
    if change is _same:
        return _same
    return lambda value: None if value is None else change(value)
