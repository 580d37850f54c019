"""Writes the differences between the new groups and the stored ones.

Which group has which number: see `book_numbers`. Reads the tables as they were before the batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from django.utils import timezone

from aggregator.grouping.book_numbers import number_groups
from aggregator.grouping.kinds import KindChanges
from aggregator.grouping.region import Region
from aggregator.grouping.rows import SCORED_AT_MOST, StoredCore, evidence_json, members_of_cores, pack_scores
from aggregator.grouping.works import pack_work_keys, stored_places, write_works
from aggregator.libraries.holding_rows import drop_holdings
from aggregator.matching import VERSION, Group
from aggregator.matching.groups.works import NO_WORK_KEYS, WorkKeys, work_keys
from aggregator.models import Core, Kind, Manifestation, Member
from aggregator.provision.pending import mark_merged
from core.database.batches import as_timestamp, select_in
from core.database.deferred_writes import Writes

type Cores = frozenset[int]
type Moment = Any  # as the driver takes it: see `as_timestamp`


class BookRow(NamedTuple):
    """A row of Manifestation for a book that consists of other cores than before; the fields are columns."""

    id: int
    merge_since: Moment
    work_keys: bytes
    scores: bytes
    successor_id: None
    index_pending: bool
    changed_at: Moment
    record: bytes  # of a new book; that of an old one stays until it is merged again


class LinkedCore(NamedTuple):
    """A row of Core; the fields are columns. linked_to, score, evidence: its strongest link."""

    id: int
    manifestation_id: int
    linked_to: int | None
    score: float
    evidence: str
    example_id: int
    kinds: int
    records: int
    features: bytes
    fullness: int
    keys: bytes
    isbns: bytes
    matcher: int


class NewKind(NamedTuple):
    """A row of Kind; the fields are columns."""

    id: int
    core_id: int
    features: bytes
    version: int
    records: int


class MemberRow(NamedTuple):
    """A row of Member; the fields are columns."""

    source_record_id: int
    manifestation_id: int
    kind_id: int


@dataclass(frozen=True, slots=True)
class Books:
    """The groups of a region by the number of their book. before: the cores of each book before the batch.

    book_of: core -> number now. touched: books with a member that changed, came or left; resized: those to which a
    record came, or from which one left. retired: numbers without a group. successors: number out of use -> the number
    that it leads to.
    """

    groups: Mapping[int, Group]
    before: Mapping[int, Cores]
    book_of: Mapping[int, int]
    touched: frozenset[int]
    resized: frozenset[int]
    retired: frozenset[int]
    successors: Mapping[int, int]

    def different(self) -> set[int]:
        """The books that consist of other cores than before."""
        return {number for number, group in self.groups.items() if self.before.get(number) != frozenset(group.cores)}


def write_groups(
    region: Region, changes: KindChanges, groups: Sequence[Group], examples: Mapping[int, int], writes: Writes
) -> tuple[frozenset[int], int]:
    """Write the groups of the region. Return the numbers of the books that now consist of other cores or none, and how
    many records these books have now.

    examples: core -> a record of it, for the cores that the batch changes.
    """
    books = _numbered(region, changes, groups, writes)
    different = books.different()
    keys_of = {number: _work_keys(region, books.groups[number]) for number in _with_other_titles(region, books)}
    keys_of |= dict.fromkeys(books.retired, NO_WORK_KEYS)
    places = stored_places(keys_of)
    _write_manifestations(region, books, different, keys_of, writes)
    _write_cores(region, changes, books, examples, writes)
    _write_kinds(changes, writes)
    _write_members(changes, region, books, writes)
    _retire(books, writes)
    write_works(places, keys_of, writes)
    records = {core: stored.records for core, stored in region.stored.items()} | changes.record_counts
    regrouped = sum(records[core] for number in different for core in books.groups[number].cores)
    return frozenset(different | books.retired), regrouped


def _numbered(region: Region, changes: KindChanges, groups: Sequence[Group], writes: Writes) -> Books:
    before = region.books_before()
    former = before.keys() | {stored.manifestation for stored in changes.memberships.values() if stored.kind is None}
    numbers = number_groups(region, changes, groups, former, writes)
    by_number = dict(zip(numbers.of_groups, groups, strict=True))
    book_of = {core: number for number, group in by_number.items() for core in group.cores}
    now = {pk: book_of.get(row.core) or changes.before[row.core].manifestation for pk, row in changes.kinds.items()}
    was = {pk: stored.manifestation for pk, stored in changes.memberships.items()}
    resized = {
        number for pk in now.keys() | was.keys() if now.get(pk) != was.get(pk) for number in (now.get(pk), was.get(pk))
    }
    old = {number: frozenset(cores) for number, cores in before.items()}
    return Books(
        groups=by_number,
        before=old,
        book_of=book_of,
        touched=frozenset({*now.values(), *was.values()}) - numbers.retired,
        resized=frozenset(number for number in resized if number is not None) - numbers.retired,
        retired=numbers.retired,
        successors=numbers.successors,
    )


def _with_other_titles(region: Region, books: Books) -> set[int]:
    """The books whose work keys may have changed."""
    return books.different() | {books.book_of[core] for core in region.dirty if core in books.book_of}


def _work_keys(region: Region, group: Group) -> WorkKeys:
    return work_keys([region.rows[core].features for core in group.cores])


def _write_manifestations(
    region: Region, books: Books, different: set[int], keys_of: Mapping[int, WorkKeys], writes: Writes
) -> None:
    """Write books and mark those with changed members for merging.

    A book with other cores or records than before is indexed again in any case; any other only if merging changes its
    record, so that a rematch costs only what it changes.
    """
    moment = as_timestamp(timezone.now())
    scores = {number: _scores(region, books.groups[number].cores) for number in keys_of if number in books.groups}
    packed = {number: pack_work_keys(own) for number, own in keys_of.items()}
    rows = [BookRow(number, moment, packed[number], scores[number], None, True, moment, b"") for number in different]
    writes.upsert(Manifestation, BookRow._fields, rows, unique=("id",), kept=("record",))
    compared = scores.keys() - different
    again = [(packed[number], scores[number], number) for number in compared]
    writes.update(Manifestation, ("work_keys", "scores"), again)
    resized = [(moment, True, moment, number) for number in books.resized - different]
    writes.update(Manifestation, ("merge_since", "index_pending", "changed_at"), resized)
    changed = books.touched - books.resized - different
    writes.update(Manifestation, ("merge_since",), [(moment, number) for number in changed])


def _scores(region: Region, cores: Sequence[int]) -> bytes:
    """The packed scores of the group's pairs, which a later batch need not compare again. cores: in order."""
    if not 1 < len(cores) <= SCORED_AT_MOST:
        return b""
    score = region.comparisons.score
    return pack_scores([(score(*pair), pair in region.likely) for pair in combinations(cores, 2)])


def _write_cores(
    region: Region, changes: KindChanges, books: Books, examples: Mapping[int, int], writes: Writes
) -> None:
    """Write the cores that changed or moved, with the evidence for their strongest link."""
    rows = []
    for number, group in books.groups.items():
        for link in group.members:
            stored, row = region.stored.get(link.core), region.rows[link.core]
            kinds = changes.kind_counts.get(link.core, stored.kinds if stored else 0)
            records = changes.record_counts.get(link.core, stored.records if stored else 0)
            example = examples.get(link.core, stored.example if stored else 0)
            now = StoredCore(row, number, kinds, records, example, (link.linked_to, link.score))
            if region.dirty.isdisjoint((link.core, link.linked_to)) and stored and now.same_as(stored):
                continue
            evidence = evidence_json(link.evidence(region.comparisons))
            place = (link.core, number, link.linked_to, link.score, evidence)
            rows.append(LinkedCore(*place, example, kinds, records, *row.stored))
    writes.upsert(Core, LinkedCore._fields, rows, unique=("id",))
    _count_records(region, changes, books, examples, writes)
    writes.delete(Core, ("id",), [(core,) for core in region.gone])


def _count_records(
    region: Region, changes: KindChanges, books: Books, examples: Mapping[int, int], writes: Writes
) -> None:
    """Write the number of records and the example of changed cores outside the region: only records of known kinds
    came to these or left them.
    """
    rows = [
        (changes.record_counts[core], examples.get(core, changes.before[core].example), core)
        for core in changes.recounted() | examples.keys()
        if core in changes.fresh and core not in books.book_of
    ]
    writes.update(Core, ("records", "example_id"), rows)


def _write_kinds(changes: KindChanges, writes: Writes) -> None:
    changed = changes.records_by_kind
    fresh = [
        NewKind(kind, row.core, row.packed, VERSION, records)
        for kind, (records, row) in changed.items()
        if row is not None
    ]
    writes.upsert(Kind, NewKind._fields, fresh, unique=("id",))
    known = [(records, kind) for kind, (records, row) in changed.items() if row is None and records]
    writes.update(Kind, ("records",), known)
    writes.delete(Kind, ("id",), [(kind,) for kind, (records, _row) in changed.items() if not records])


def _write_members(changes: KindChanges, region: Region, books: Books, writes: Writes) -> None:
    """Write the memberships of the batch, and those of cores that moved to another book."""
    rows = []
    for pk, row in changes.kinds.items():
        number = books.book_of.get(row.core) or changes.before[row.core].manifestation
        stored = changes.memberships.get(pk)
        if stored is None or (stored.manifestation, stored.kind) != (number, row.kind):
            rows.append(MemberRow(pk, number, row.kind))
    rows += _moved_members(changes, region, books)
    writes.upsert(Member, MemberRow._fields, rows, unique=("source_record_id",))
    gone = [(pk,) for pk in changes.memberships if pk not in changes.kinds]
    writes.delete(Member, ("source_record_id",), gone)


def _moved_members(changes: KindChanges, region: Region, books: Books) -> list[MemberRow]:
    moved = {
        core: number
        for core, number in books.book_of.items()
        if core in region.stored and region.stored[core].manifestation != number
    }
    members = members_of_cores({core: region.stored[core].manifestation for core in moved})
    return [MemberRow(pk, moved[core], kind) for pk, kind, core in members if pk not in changes.memberships]


def _retire(books: Books, writes: Writes) -> None:
    """Empty the books whose numbers are out of use from now on, and let all such numbers lead to their successors."""
    moment = as_timestamp(timezone.now())
    writes.update(
        Manifestation,
        ("record", "work_keys", "scores", "successor_id", "index_pending", "changed_at", "merge_since"),
        [(b"", b"", b"", books.successors.get(number), True, moment, None, number) for number in books.retired],
    )
    drop_holdings(books.retired, writes)
    mark_merged(books.retired, writes)
    stored = select_in(Manifestation, ("id", "successor_id"), "id", books.successors.keys() - books.retired)
    moved = [
        (books.successors[number], number) for number, successor in stored if successor != books.successors[number]
    ]
    writes.update(Manifestation, ("successor_id",), moved)
