"""The region of a batch: all records whose groups it may change. Read-only.

The groups of a record depend on the records that it reaches through pairs that score high enough to be grouped (edges),
and on nothing else (`aggregator.matching.groups.solve.solve`). A batch changes only edges of its dirty records: those
that changed, those with a key that became or ceased to be crowded, and those with an ISBN that became or ceased to be
suspect. So the region is everything that can be reached now from the dirty records and from those they had an edge to
before.

Only pairs with a dirty record are compared. The scores of all other pairs are stored: of two records in one group in
the group's row (`scores`), of two in different groups among the pairs to review, which contain every pair that might be
grouped.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from aggregator.grouping.crowds import KeyCounts
from aggregator.grouping.rows import Row, stored_rows, unpack_scores
from aggregator.grouping.rulings import Rulings
from aggregator.grouping.suspects import Suspects
from aggregator.matching import JOIN, REVIEW, Comparisons
from aggregator.models import Manifestation, Member, ReviewPair
from core.database.batches import select_in
from core.database.deferred_writes import Writes
from harvesting.models import SourceRecord

type Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A row of ReviewPair."""

    pk: int
    score: float
    joined: bool
    asked: bool


@dataclass(slots=True)
class Region:
    """Everything that one batch may regroup. Ids are source-record numbers; a pair has the smaller number first."""

    changed: dict[int, str]  # record -> public id, of the batch
    rulings: Rulings
    keys: KeyCounts
    writes: Writes  # what the batch will write; nothing of it is in the tables yet
    old: dict[int, Row] = field(default_factory=dict)  # the changed records as they were
    # members as they are now: those of the batch and all that were loaded
    rows: dict[int, Row] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)  # record -> manifestation before this batch
    suspects: Suspects = field(default_factory=Suspects)
    dirty: set[int] = field(default_factory=set)  # see the module's docstring
    names: dict[int, str] = field(default_factory=dict)  # record -> public id, of the region
    members: set[int] = field(default_factory=set)
    likely: dict[Pair, float] = field(default_factory=dict)  # pair that shares a key and might be grouped -> score
    review: dict[Pair, StoredPair] = field(default_factory=dict)  # as stored, of the region and the batch
    comparisons: Comparisons[int] = field(init=False)

    def __post_init__(self) -> None:
        rows = self.rows  # the lambda must not refer to self: a cycle would keep the batch in memory
        self.comparisons = Comparisons(lambda pk: rows[pk].features, self.suspects.now)

    def load(self, pks: Iterable[int]) -> None:
        """Load the rows of those members that are not loaded yet."""
        unknown = [pk for pk in pks if pk not in self.rows and pk not in self.changed]
        for pk, group, row in stored_rows(unknown):
            self.rows[pk], self.groups[pk] = row, group
        self.suspects.look_up(self.rows[pk] for pk in unknown if pk in self.rows)


def gather(region: Region) -> None:
    """Fill the region: find all records that this batch may regroup, and load their pairs, public ids and present
    groups.
    """
    frontier = region.dirty | _whole_groups({region.groups[pk] for pk in region.dirty if pk in region.groups})
    gone = {pk for pk in region.changed if pk not in region.rows}
    while frontier:
        region.load(frontier)
        reached = _stored_edges(region, frontier)
        frontier = {pk for pk in frontier if pk in region.rows}  # staff may rule about records that are no members now
        region.members |= frontier
        reached |= _compare(region, frontier & region.dirty) | _ruled_together(region, frontier)
        reached |= _whole_groups({region.groups[pk] for pk in frontier if pk in region.groups})
        frontier = reached - region.members - gone
    _add_known_scores(region)


def _stored_edges(region: Region, frontier: Collection[int]) -> set[int]:
    """The records in other groups to which a record of the frontier had an edge before this batch."""
    columns = ("first_id", "second_id", "id", "score", "joined", "asked")
    reached: set[int] = set()
    for side in columns[:2]:
        for first, second, pk, total, joined, asked in select_in(ReviewPair, columns, side, frontier):
            region.review[first, second] = StoredPair(pk, total, bool(joined), bool(asked))
            if joined:
                continue
            if total >= JOIN:
                reached |= {first, second}
            if first not in region.dirty and second not in region.dirty:
                region.likely[first, second] = total
    return reached


def _compare(region: Region, dirty: Collection[int]) -> set[int]:
    """Compare each dirty record with all records that share a key with it; return those to which it has an edge."""
    region.keys.look_up(key for pk in dirty for key in region.rows[pk].keys)
    crowds, holders = region.keys.crowds, region.keys.holders
    sharing: dict[int, set[int]] = {
        pk: set().union(*[holders[key] for key in region.rows[pk].keys if key not in crowds]) for pk in dirty
    }
    region.load(set().union(*sharing.values()))
    reached: set[int] = set()
    score = region.comparisons.score
    for pk, others in sharing.items():
        for other in others:
            if pk == other or other < pk and other in sharing:  # the pair is compared from the other's side
                continue
            total = score(pk, other)
            if total < REVIEW:
                continue
            region.likely[(pk, other) if pk < other else (other, pk)] = total
            if total >= JOIN:
                reached |= {pk, other}
    return reached


def _ruled_together(region: Region, frontier: Collection[int]) -> set[int]:
    """Look up the public ids of the frontier; return the records that staff have ruled to be the same as one of it."""
    named = {pk: region.changed[pk] for pk in frontier if pk in region.changed}
    named.update(select_in(SourceRecord, ("id", "public_id"), "id", [pk for pk in frontier if pk not in named]))
    region.names.update(named)
    classes = region.rulings.classes
    names = {other for name in named.values() if name in classes for other in classes[name]}
    return {pk for (pk,) in select_in(SourceRecord, ("id",), "public_id", names)}


def _whole_groups(groups: Collection[int]) -> set[int]:
    return {pk for (pk,) in select_in(Member, ("source_record_id",), "manifestation_id", groups)}


def _add_known_scores(region: Region) -> None:
    """Add the stored scores of pairs within one group of which neither record is dirty."""
    region.comparisons.learn(region.likely)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for pk, number in region.groups.items():
        if pk in region.members or pk in region.changed:
            groups[number].append(pk)
    several = {
        number: sorted(pks)
        for number, pks in groups.items()
        if len(region.members.intersection(pks) - region.dirty) > 1
    }
    stored = dict(select_in(Manifestation, ("id", "scores"), "id", several))
    for number, pks in several.items():
        pairs = list(combinations(pks, 2))
        known = unpack_scores(stored[number])
        if len(known) == len(pairs):
            _use_stored_scores(region, pairs, known)
        else:
            _compare_again(region, pairs)


def _use_stored_scores(region: Region, pairs: Sequence[Pair], known: Sequence[tuple[float, bool]]) -> None:
    clean = {pair: scored for pair, scored in zip(pairs, known, strict=True) if region.dirty.isdisjoint(pair)}
    region.comparisons.learn({pair: total for pair, (total, _likely) in clean.items()})
    region.likely.update({pair: total for pair, (total, likely) in clean.items() if likely})


def _compare_again(region: Region, pairs: Sequence[Pair]) -> None:
    """Compare the pairs of a group whose scores are not stored; otherwise as `_use_stored_scores`."""
    clean = [pair for pair in pairs if region.dirty.isdisjoint(pair)]
    keys = {pk: region.rows[pk].keys for pair in clean for pk in pair}
    crowds = region.keys.crowded({key for pair_keys in keys.values() for key in pair_keys})
    for first, second in clean:
        total = region.comparisons.score(first, second)
        if total >= REVIEW and not (keys[first] & keys[second]) <= crowds:
            region.likely[first, second] = total
