"""What may be given on otherwise from now on, noted in the transaction that changed it. Decides nothing.

An item of `Provided` is numbered by what it stands for: see `of_record`, `of_merged`, `number_of`.
"""

from collections.abc import Iterable

from aggregator.models import Provided
from core.database.deferred_writes import Writes

MERGED = 0  # the origin of merged records
COLUMNS = ("id", "origin", "public_id", "waiting", "deleted", "types", "digest")


def of_record(number: int) -> int:
    """The item of a source record."""
    return number * 2


def of_merged(number: int) -> int:
    """The item of a manifestation."""
    return number * 2 + 1


def is_merged(item: int) -> bool:
    return item % 2 == 1


def number_of(item: int) -> int:
    """The number of the source record or manifestation that an item stands for."""
    return item // 2


def mark_records(records: Iterable[tuple[int, int, str]], writes: Writes) -> None:
    """Source records were stored, changed, deleted or brought back: number, repository's row, public id."""
    _mark([(of_record(pk), origin, public_id) for pk, origin, public_id in records], writes)


def mark_merged(numbers: Iterable[int], writes: Writes) -> None:
    """Manifestations were merged anew, or are left without members."""
    _mark([(of_merged(number), MERGED, "") for number in numbers], writes)


def _mark(items: list[tuple[int, int, str]], writes: Writes) -> None:
    # Always in the order of their numbers: two who mark at the same time wait for each other, never in a ring.
    rows = [(*each, True, False, "", b"") for each in sorted(items)]
    writes.upsert(Provided, COLUMNS, rows, unique=("id",), replaced=("waiting",))
