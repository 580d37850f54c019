"""Conversion of column values to JSON and back. The JSON is the same from and for every kind of database."""

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


def _encode_datetime(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _encode_bytes(value: Any) -> str:
    return b64encode(bytes(value)).decode()


# Kind of column, encoder to JSON, decoder from JSON. The first match counts; values of other columns stay unchanged.
KINDS: tuple[tuple[type[models.Field[Any, Any]], Change, Change], ...] = (
    (models.BinaryField, _encode_bytes, b64decode),
    (models.DateTimeField, _encode_datetime, datetime.fromisoformat),
    (models.DateField, date.isoformat, date.fromisoformat),
    (models.TimeField, time.isoformat, time.fromisoformat),
    (models.DurationField, lambda value: value // MICROSECOND, lambda value: value * MICROSECOND),
)


def json_encoder(column: models.Field[Any, Any]) -> Change:
    """Return the function that converts a value of this column, as Django reads it, to JSON."""
    encode = next((encode for kind, encode, _read in KINDS if isinstance(_target(column), kind)), _same)
    return _unless_null(encode)


def json_decoder(column: models.Field[Any, Any]) -> Change:
    """Return the function that converts a JSON value of this column for the driver of the database in use.

    It raises ValueError or TypeError for values that do not fit.
    """
    target = _target(column)
    if isinstance(target, models.JSONField):
        return _unless_null(as_json)
    decode = next((decode for kind, _told, decode in KINDS if isinstance(target, kind)), _same)
    if isinstance(target, models.BinaryField):
        return _unless_null(decode)
    return _unless_null(lambda value: target.get_db_prep_value(decode(value), connection))


def _target(column: models.Field[Any, Any]) -> models.Field[Any, Any]:
    """Return the column that a foreign key refers to; any other column itself."""
    return _target(column.target_field) if isinstance(column, models.ForeignKey) else column


def _unless_null(change: Change) -> Change:
    if change is _same:
        return _same
    return lambda value: None if value is None else change(value)
