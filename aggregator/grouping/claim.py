"""The records that one batch takes: as they are now, what they are compared by, and whether that still holds."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from aggregator.grouping.rows import Row, new_row
from aggregator.grouping.ruling_rows import in_force
from aggregator.grouping.rulings import Rulings
from aggregator.matching import extract_features
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

COLUMNS = ("id", "public_id", "record", "deleted", "repository_id", "suppressed_at")

type Version = tuple[int, bytes, bool, bool]  # id, packed record, deleted, withheld: what a batch goes by


@dataclass(frozen=True, slots=True)
class Claim:
    """Records that one batch takes. deleted ones have no row; owners: repositories' rows."""

    names: dict[int, str]  # record -> public id
    owners: dict[int, int]
    records: dict[int, BibliographicRecord]
    packed: dict[int, bytes]  # the same as stored
    fresh: dict[int, Row]
    rulings: Rulings
    versions: frozenset[Version]

    def still_holds(self) -> bool:
        """Whether records and rulings are what they were. For who has not locked them."""
        now = select_in(SourceRecord, COLUMNS, "id", self.names)
        return self.versions == frozenset(map(_version, now)) and self.rulings == in_force()


def claim(records: QuerySet[SourceRecord]) -> Claim | None:
    """These records and what they are compared by now; None where there are none.

    Where the query locks them they are ours until the commit, so a harvest or a ruling that changes one meanwhile waits
    and marks it again: hence the rulings are read behind the lock. Not as keys: the group of another worker may lean on
    one of them.
    """
    found = list(records.values_list(*COLUMNS))
    if not found:
        return None
    # What staff withhold leaves its group as what its provider deleted does.
    live = {pk: bytes(record) for pk, _name, record, deleted, _owner, withheld in found if not deleted and not withheld}
    packed = {pk: record for pk, record in live.items() if record}
    names = {pk: name for pk, name, *_rest in found}
    unpacked = {pk: unpack_record(record) for pk, record in packed.items()}
    rulings = in_force()
    fresh = {pk: new_row(names[pk], extract_features(record), rulings) for pk, record in unpacked.items()}
    owners = {row[0]: row[4] for row in found}
    return Claim(names, owners, unpacked, packed, fresh, rulings, frozenset(map(_version, found)))


def _version(row: tuple[Any, ...]) -> Version:
    pk, _name, record, deleted, _owner, withheld = row
    return pk, bytes(record), bool(deleted), withheld is not None
