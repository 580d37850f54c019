"""The records of one batch: what they contain, the features they are compared by, and whether this is still true."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from aggregator.grouping.rows import Row, new_row
from aggregator.grouping.ruling_rows import rulings_in_force
from aggregator.grouping.rulings import Rulings
from aggregator.matching import extract_features
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

COLUMNS = ("id", "public_id", "record", "deleted", "repository_id", "suppressed_at")

type Version = tuple[int, bytes, bool, bool]  # id, packed record, deleted, withheld: the state that a batch depends on


@dataclass(frozen=True, slots=True)
class Claim:
    """The records of one batch. Deleted ones have no row in `fresh`. owners: record -> id of its repository."""

    names: dict[int, str]  # record -> public id
    owners: dict[int, int]
    records: dict[int, BibliographicRecord]
    fresh: dict[int, Row]
    rulings: Rulings
    versions: frozenset[Version]

    def still_holds(self) -> bool:
        """Whether records and rulings are unchanged since they were read. Needed where the records are not locked."""
        now = select_in(SourceRecord, COLUMNS, "id", self.names)
        return self.versions == frozenset(map(_version, now)) and self.rulings == rulings_in_force()


def claim(records: QuerySet[SourceRecord]) -> Claim | None:
    """Return these records with what they are compared by, or None where there are none.

    Where the query locks the rows, they stay locked until the commit: a harvest or ruling that changes one of them
    waits, and marks it for aggregation again. Rulings are therefore read after the records are locked. The lock
    leaves the rows' keys free (`no_key`), because groups of other workers may refer to these records.
    """
    rows = list(records.values_list(*COLUMNS))
    if not rows:
        return None
    # A record that staff withhold leaves its group just as one that its provider deleted.
    live = {pk: bytes(record) for pk, _name, record, deleted, _owner, withheld in rows if not deleted and not withheld}
    names = {pk: name for pk, name, *_rest in rows}
    unpacked = {pk: unpack_record(record) for pk, record in live.items() if record}
    rulings = rulings_in_force()
    fresh = {pk: new_row(names[pk], extract_features(record), rulings) for pk, record in unpacked.items()}
    owners = {row[0]: row[4] for row in rows}
    return Claim(names, owners, unpacked, fresh, rulings, frozenset(map(_version, rows)))


def _version(row: tuple[Any, ...]) -> Version:
    pk, _name, record, deleted, _owner, withheld = row
    return pk, bytes(record), bool(deleted), withheld is not None
