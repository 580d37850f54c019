"""Reads the records of one batch with their kinds and the rulings, and tells later whether any of these changed."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from aggregator.grouping.kinds import KindRow, kind_row
from aggregator.grouping.rulings.meaning import Rulings
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.matching import extract_features
from aggregator.models import Member
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

COLUMNS = ("id", "public_id", "record", "deleted", "repository_id", "suppressed_at")

type Version = tuple[int, bytes, bool, bool]  # id, packed record, deleted, withheld: the state that a batch depends on


@dataclass(frozen=True, slots=True)
class Claim:
    """The records of one batch as they were read, by primary key. Deleted and withheld ones are in `names` and
    `owners` only. owners: record -> id of its repository.
    """

    names: dict[int, str]  # record -> public id
    owners: dict[int, int]
    records: dict[int, BibliographicRecord]
    kinds: dict[int, KindRow]
    rulings: Rulings
    versions: frozenset[Version]

    def ruled(self) -> list[int]:
        """The records that staff ruled about. A ruling may be new, or undone, although its record has not changed."""
        about = self.rulings.names | self.rulings.former
        return [pk for pk, name in self.names.items() if name in about]

    def still_holds(self) -> bool:
        """Whether records and rulings are unchanged since they were read. Needed where the records are not locked."""
        now = select_in(SourceRecord, COLUMNS, "id", self.names)
        return self.versions == frozenset(map(_version, now)) and self.rulings == rulings_in_force()


def claim(records: QuerySet[SourceRecord]) -> Claim | None:
    """Return these records with their kinds, or None where there are none.

    Where the query locks the rows, they stay locked until the commit: a harvest or ruling that changes one of them
    waits, and marks it for aggregation again. Rulings are therefore read after the records are locked. The lock
    leaves the rows' keys free (`no_key`), because groups of other workers may refer to these records.
    """
    rows = list(records.values_list(*COLUMNS))
    if not rows:
        return None
    rows += _older_companions([row[0] for row in rows])
    # A record that staff withhold leaves its group, just as one that its provider deleted does.
    live = {pk: bytes(record) for pk, _name, record, deleted, _owner, withheld in rows if not deleted and not withheld}
    names = {pk: name for pk, name, *_rest in rows}
    unpacked = {pk: unpack_record(record) for pk, record in live.items() if record}
    rulings = rulings_in_force()
    kinds = {pk: kind_row(names[pk], extract_features(record), rulings) for pk, record in unpacked.items()}
    owners = {row[0]: row[4] for row in rows}
    return Claim(names, owners, unpacked, kinds, rulings, frozenset(map(_version, rows)))


def _older_companions(pks: list[int]) -> list[tuple[Any, ...]]:
    """The rows of further records to aggregate with these: other members of their books without a kind.

    An older release matched them, before there were kinds. They join the batch, so that a book is regrouped as a
    whole. Those that another worker has claimed are regrouped in that worker's batch.
    """
    books = [
        book
        for book, kind in select_in(Member, ("manifestation_id", "kind_id"), "source_record_id", pks)
        if kind is None
    ]
    members = select_in(Member, ("source_record_id", "kind_id"), "manifestation_id", books)
    others = {pk for pk, kind in members if kind is None}.difference(pks)
    locked = SourceRecord.objects.filter(pk__in=others).select_for_update(no_key=True, skip_locked=True)
    return list(locked.values_list(*COLUMNS)) if others else []


def _version(row: tuple[Any, ...]) -> Version:
    pk, _name, record, deleted, _owner, withheld = row
    return pk, bytes(record), bool(deleted), withheld is not None
