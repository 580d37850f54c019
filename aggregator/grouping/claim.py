"""Reads the records of one batch with their kinds and the rulings, and tells later whether any of these changed."""

from collections.abc import Buffer
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import QuerySet

from aggregator.grouping.kinds import KindRow, kind_row
from aggregator.grouping.rulings.meaning import Rulings
from aggregator.grouping.rulings.rows import rulings_in_force
from aggregator.matching import recall_features
from aggregator.models import Member
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord


class ClaimedRow(NamedTuple):
    """A row of SourceRecord; the fields are columns."""

    id: int
    public_id: str
    record: Buffer
    deleted: bool
    repository_id: int
    suppressed_at: Any

    @property
    def is_live(self) -> bool:
        """Whether the record takes part in grouping: neither deleted by its provider nor withheld by staff."""
        return not self.deleted and not self.suppressed_at


type Version = tuple[int, bytes, bool, bool]  # id, packed record, deleted, withheld: the state that a batch depends on


@dataclass(frozen=True, slots=True)
class Claim:
    """The records of one batch as they were read, by primary key. Deleted and withheld ones are in `names` and
    `owners` only. owners: record -> id of its repository. named: public id -> record, of those that rulings in force
    name.
    """

    names: dict[int, str]  # record -> public id
    owners: dict[int, int]
    named: dict[str, BibliographicRecord]
    kinds: dict[int, KindRow]
    rulings: Rulings
    versions: frozenset[Version]

    def ruled(self) -> list[int]:
        """The records that staff ruled about. A ruling may be new, or undone, although its record has not changed."""
        about = self.rulings.names | self.rulings.former
        return [pk for pk, name in self.names.items() if name in about]

    def still_holds(self) -> bool:
        """Whether records and rulings are unchanged since they were read. Needed where the records are not locked."""
        now = map(ClaimedRow._make, select_in(SourceRecord, ClaimedRow._fields, "id", self.names))
        return self.versions == frozenset(map(_version, now)) and self.rulings == rulings_in_force()


def claim(records: QuerySet[SourceRecord]) -> Claim | None:
    """Return these records with their kinds, or None where there are none.

    Where the query locks the rows, they stay locked until the commit: a harvest or ruling that changes one of them
    waits, and marks it for aggregation again. Rulings are therefore read after the records are locked. The lock
    leaves the rows' keys free (`no_key`), because groups of other workers may refer to these records.
    """
    rows = _rows(records)
    if not rows:
        return None
    rows += _older_companions([row.id for row in rows])
    rulings = rulings_in_force()
    named: dict[str, BibliographicRecord] = {}
    kinds: dict[int, KindRow] = {}
    for row in rows:
        if row.is_live and row.record:
            record = unpack_record(row.record)
            kinds[row.id] = kind_row(row.public_id, recall_features(record), rulings)
            if row.public_id in rulings.names:
                named[row.public_id] = record
    names = {row.id: row.public_id for row in rows}
    owners = {row.id: row.repository_id for row in rows}
    return Claim(names, owners, named, kinds, rulings, frozenset(map(_version, rows)))


def _rows(records: QuerySet[SourceRecord]) -> list[ClaimedRow]:
    return list(map(ClaimedRow._make, records.values_list(*ClaimedRow._fields)))


def _older_companions(pks: list[int]) -> list[ClaimedRow]:
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
    return _rows(locked) if others else []


def _version(row: ClaimedRow) -> Version:
    return row.id, bytes(row.record), bool(row.deleted), row.suppressed_at is not None
