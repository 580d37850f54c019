"""Marks items whose redistributed content may have changed, in the transaction of the change; `stamping` compares them.

The key of an item in `Provided` is derived from its record: see `of_record`, `of_merged`, `number_of`.
"""

from collections.abc import Iterable
from typing import NamedTuple

from aggregator.models import Provided
from core.database.deferred_writes import Writes

MERGED = 0  # the origin of merged records


class NewItem(NamedTuple):
    """A row of Provided as it begins; the fields are columns. Of an item that exists, only `waiting` is replaced."""

    id: int
    origin: int
    public_id: str
    waiting: bool = True
    deleted: bool = False
    types: str = ""
    digest: bytes = b""


def of_record(number: int) -> int:
    """Return the item of a source record."""
    return number * 2


def of_merged(number: int) -> int:
    """Return the item of a manifestation."""
    return number * 2 + 1


def is_merged(item: int) -> bool:
    return item % 2 == 1


def number_of(item: int) -> int:
    """Return the key of the source record or manifestation of an item."""
    return item // 2


def mark_records(records: Iterable[tuple[int, int, str]], writes: Writes) -> None:
    """Mark source records that were stored, changed, deleted or restored: key, key of the provider, public id."""
    _mark([(of_record(pk), origin, public_id) for pk, origin, public_id in records], writes)


def mark_merged(numbers: Iterable[int], writes: Writes) -> None:
    """Mark manifestations that were merged again, or have lost all members."""
    _mark([(of_merged(number), MERGED, "") for number in numbers], writes)


def _mark(items: list[tuple[int, int, str]], writes: Writes) -> None:
    # Sorted, so that concurrent writers cannot deadlock.
    rows = [NewItem(*item) for item in sorted(items)]
    kept = ("origin", "public_id", "deleted", "types", "digest")
    writes.upsert(Provided, NewItem._fields, rows, unique=("id",), kept=kept)
