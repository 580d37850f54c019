"""Finds which kinds and cores appear, vanish or change by the records of a batch. Read-only.

A record of a known kind changes no core: it only becomes a member of the book. See `matching.groups.cores`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from aggregator.grouping.rows import (
    MATCHER,
    Row,
    StoredCore,
    members_of_cores,
    new_row,
    stored_cores,
    with_numbers_only,
)
from aggregator.grouping.rulings.meaning import Rulings
from aggregator.matching import Features, Rules, decode_features, encode_features
from aggregator.matching.groups.cores import core_number, kind_number, make_profile, stands_alone
from aggregator.models import FormerMember, Kind, Member
from core.database.batches import fetch_in, select_in

RULES = Rules()
# In the order of an index; of very many records with one description only one row is returned.
_KINDS_OF_BOOKS = (
    f"SELECT DISTINCT manifestation_id, kind_id FROM {Member._meta.db_table} "  # noqa: S608 names only
    "WHERE {condition} AND kind_id IS NOT NULL"
)


class KindRow(msgspec.Struct, frozen=True, gc=False):
    """The kind of a record. kind, core: numbers. ignored: ISBNs that staff chose to ignore. isolated: it is not grouped
    by evidence, see `Rulings.isolated`.
    """

    kind: int
    core: int
    features: Features
    packed: bytes
    ignored: tuple[str, ...] = ()
    isolated: bool = False


def kind_row(name: str, features: Features, rulings: Rulings) -> KindRow:
    """The kind of a record as it is now. name: its public id.

    A record that a ruling names for itself alone is a kind of its own, so that the ruling concerns no other record; so
    is one with an ignored ISBN, and one that says too little (`stands_alone`).
    """
    effective, ignored = rulings.effective(name, with_numbers_only(features))
    packed = encode_features(effective)
    alone = name in rulings.exact or bool(ignored) or stands_alone(effective, RULES)
    kind = kind_number(packed, name if alone else "")
    core = kind if alone else core_number(effective, kind)
    return KindRow(kind, core, effective, packed, tuple(sorted(ignored)), name in rulings.isolated)


@dataclass(frozen=True, slots=True)
class Membership:
    """The book and the kind that are stored for a record. kind: None if an older release matched the record."""

    manifestation: int
    kind: int | None


@dataclass(frozen=True, slots=True)
class KindChanges:
    """What a batch changes in kinds and cores, which are given by number, and records, given by primary key.

    before: the stored cores that the batch touches. fresh: the rows of the touched cores that exist after it;
    kind_counts, record_counts: how many kinds and records these have then.
    """

    memberships: dict[int, Membership]  # of the records of the batch, before it
    kinds: dict[int, KindRow]  # of the live records of the batch
    returning: frozenset[int] = frozenset()  # the records that had left the catalogue and are live again
    core_of_kind: dict[int, int] = field(default_factory=dict)  # of all kinds that records of the batch have or leave
    # of the kinds that appear, vanish or change in size: how many records they have after the batch, and the new row
    records_by_kind: dict[int, tuple[int, KindRow | None]] = field(default_factory=dict)
    before: dict[int, StoredCore] = field(default_factory=dict)
    fresh: dict[int, Row] = field(default_factory=dict)
    kind_counts: dict[int, int] = field(default_factory=dict)
    record_counts: dict[int, int] = field(default_factory=dict)

    def core_before(self, pk: int) -> int | None:
        """The core that a record had before the batch; None if it had none."""
        kind = self.memberships[pk].kind if pk in self.memberships else None
        if kind is None:
            return None
        row = self.kinds.get(pk)
        return row.core if row and row.kind == kind else self.core_of_kind[kind]

    def changed(self) -> set[int]:
        """The cores that are to be compared again: they appear or vanish, their features, keys or ISBNs changed, or
        they were last compared by other rules.
        """
        touched = self.before.keys() | self.fresh.keys()
        return {core for core in touched if not self._unchanged(core)}

    def _unchanged(self, core: int) -> bool:
        return core in self.before and core in self.fresh and self.before[core].row.same_as(self.fresh[core])

    def reweighed(self) -> set[int]:
        """The cores whose number of kinds, and so their weight in a group, changed."""
        return {
            core for core in self.fresh if core in self.before and self.before[core].kinds != self.kind_counts[core]
        }

    def cores_of(self, pks: Iterable[int]) -> set[int]:
        """The cores of records of the batch, before it and after it."""
        of = set(pks)
        before = {self.core_before(pk) for pk in of}
        return {core for core in before if core is not None} | {self.kinds[pk].core for pk in of & self.kinds.keys()}

    def books_of_older_release(self) -> set[int]:
        """The books of records that were matched by an older release: other parts of them may have cores already."""
        return {stored.manifestation for stored in self.memberships.values() if stored.kind is None}

    def exchanging(self) -> set[int]:
        """The cores between which records of the batch move, and to which they return: which book keeps its number, or
        gets it back, depends on all of them.
        """
        moves = {
            (self.core_before(pk), row.core)
            for pk, row in self.kinds.items()
            if pk in self.memberships and self.core_before(pk) != row.core
        }
        returned = {self.kinds[pk].core for pk in self.returning}
        return returned | {core for move in moves for core in move if core is not None and core in self.fresh}

    def recounted(self) -> set[int]:
        """The cores whose number of records changed, including new and vanished ones."""
        return {
            core
            for core in self.fresh
            if core not in self.before or self.before[core].records != self.record_counts[core]
        } | (self.before.keys() - self.fresh.keys())


def count_kinds(pks: Collection[int], kinds: Mapping[int, KindRow]) -> KindChanges:
    """Compare the kinds of the records of a batch with the stored ones. kinds: record -> its kind now, if it is
    live.
    """
    columns = ("source_record_id", "manifestation_id", "kind_id")
    memberships = {pk: Membership(book, kind) for pk, book, kind in select_in(Member, columns, "source_record_id", pks)}
    noted = select_in(FormerMember, ("source_record_id",), "source_record_id", kinds.keys() - memberships.keys())
    changes = KindChanges(memberships, dict(kinds), frozenset(pk for (pk,) in noted))
    moved = Counter[int]()
    for pk in pks:
        old = memberships[pk].kind if pk in memberships else None
        new = kinds[pk].kind if pk in kinds else None
        if old is not None and old != new:
            moved[old] -= 1
        if new is not None and old != new:
            moved[new] += 1
    rows = {row.kind: row for row in kinds.values()}
    stored = {
        kind: (core, records) for kind, core, records in select_in(Kind, ("id", "core_id", "records"), "id", moved)
    }
    for kind, change in moved.items():
        records = max(0, stored[kind][1] + change) if kind in stored else change
        if change or kind not in stored:
            changes.records_by_kind[kind] = records, rows[kind] if kind not in stored else None
    appeared = [row for _records, row in changes.records_by_kind.values() if row]
    vanished = {kind for kind, (records, _row) in changes.records_by_kind.items() if not records}
    _find_cores(changes, stored, appeared, vanished)
    return changes


def _find_cores(
    changes: KindChanges,
    stored: Mapping[int, tuple[int, int]],
    appeared: Collection[KindRow],
    vanished: Collection[int],
) -> None:
    """Fill in the cores of the batch, before and after it."""
    core_of = {row.kind: row.core for row in changes.kinds.values()} | {
        kind: core for kind, (core, _n) in stored.items()
    }
    changes.core_of_kind.update(core_of)
    touched = set(core_of.values())
    changes.before.update(stored_cores(touched))
    reshaped = {row.core for row in appeared} | {core_of[kind] for kind in vanished}
    stale = {core for core in touched if core in changes.before and changes.before[core].row.stored.matcher != MATCHER}
    alone = {row.core for row in changes.kinds.values() if row.core == row.kind}  # a ruling may isolate or free them
    profiles = _profiles(_books(changes, reshaped | stale | alone), appeared, vanished)
    change: defaultdict[int, int] = defaultdict(int)
    for kind, (records, _row) in changes.records_by_kind.items():
        change[core_of[kind]] += records - (stored[kind][1] if kind in stored else 0)
    special = {row.core: row for row in changes.kinds.values() if row.ignored or row.isolated}
    for core in touched:
        before = changes.before.get(core)
        if core in profiles:
            features, changes.kind_counts[core] = profiles[core]
            row = special.get(core)
            changes.fresh[core] = new_row(features, row.ignored if row else (), isolated=bool(row and row.isolated))
        elif before is not None and core not in reshaped:
            changes.fresh[core], changes.kind_counts[core] = before.row, before.kinds
        else:
            continue
        changes.record_counts[core] = (before.records if before else 0) + change[core]


def _books(changes: KindChanges, cores: Iterable[int]) -> dict[int, int]:
    """Core -> its book before the batch, for those of the cores that it had then."""
    return {core: changes.before[core].manifestation for core in cores if core in changes.before}


def _profiles(
    book_of: Mapping[int, int], appeared: Collection[KindRow], vanished: Collection[int]
) -> dict[int, tuple[Features, int]]:
    """The profiles of cores after the batch, with their numbers of kinds; none for a core without kinds.

    book_of: see `_books`; the cores in which kinds appear have profiles in any case.
    """
    kinds: defaultdict[int, dict[int, Features]] = defaultdict(dict)
    found = fetch_in(_KINDS_OF_BOOKS, "manifestation_id", frozenset(book_of.values()))
    in_books = {kind for _book, kind in found}.difference(vanished)
    for core, kind, packed in select_in(Kind, ("core_id", "id", "features"), "id", in_books):
        if core in book_of:
            kinds[core][kind] = decode_features(packed)
    for row in appeared:
        kinds[row.core][row.kind] = row.features
    return {
        core: (make_profile([of_core[kind] for kind in sorted(of_core)]), len(of_core))
        for core, of_core in kinds.items()
    }


def find_examples(changes: KindChanges) -> dict[int, int]:
    """Choose a record for people to see: core -> record, for cores that have none yet or whose example leaves them."""
    members: defaultdict[int, set[int]] = defaultdict(set)
    for pk, row in changes.kinds.items():
        members[row.core].add(pk)
    leaving = {
        pk for pk in changes.memberships if pk not in changes.kinds or changes.kinds[pk].core != changes.core_before(pk)
    }
    wanted = {core for core in changes.fresh if core not in changes.before or changes.before[core].example in leaving}
    examples = {core: min(members[core]) for core in wanted if core in members}
    others = sorted(members_of_cores(_books(changes, wanted - examples.keys())))
    for pk, _kind, core in others:
        if pk not in leaving:
            examples.setdefault(core, pk)
    return examples
