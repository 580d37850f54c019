"""Which records one aggregation batch may regroup: who would join whom, before the batch or after it. Reads only.

The groups of a record depend on the records that it reaches by pairs that would join (an edge), and on nothing else
(`aggregator.matching.groups.solve.solve`). What a batch changes are edges of its dirty records: those that changed,
that hold a key which became or ceased to be crowded, or bear an ISBN whose standing changed. So the neighbourhood is
what can be reached now from the dirty records and from those that they had an edge to before.

Only pairs with a dirty record are compared. What the others amount to is known: of two in one group from the row of the
group (`scores`), of two in different groups from the pairs to review, where everything is that might be joined.
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
from metadata.record import BibliographicRecord

type Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A row of ReviewPair."""

    pk: int
    score: float
    joined: bool
    asked: bool


@dataclass(slots=True)
class Neighbourhood:
    """Everything that one batch may regroup. Ids are source-record numbers; pairs are in their order."""

    changed: dict[int, str]  # record -> public id, of the batch
    rulings: Rulings
    keys: KeyCounts
    writes: Writes  # what the batch is to write; nothing of it is in the tables yet
    old: dict[int, Row] = field(default_factory=dict)  # changed ones as they were
    rows: dict[int, Row] = field(default_factory=dict)  # members as they are now; those of the batch and who was met
    groups: dict[int, int] = field(default_factory=dict)  # record -> manifestation before this batch
    suspects: Suspects = field(default_factory=Suspects)
    dirty: set[int] = field(default_factory=set)  # see above
    names: dict[int, str] = field(default_factory=dict)  # record -> public id, of the region
    region: set[int] = field(default_factory=set)
    likely: dict[Pair, float] = field(default_factory=dict)  # share a key and might be joined -> score
    review: dict[Pair, StoredPair] = field(default_factory=dict)  # as they stand, of the region and the batch
    comparisons: Comparisons[int] = field(init=False)
    records: dict[int, BibliographicRecord] = field(default_factory=dict)  # of the batch; others are loaded late
    packed: dict[int, bytes] = field(default_factory=dict)  # the same as stored

    def __post_init__(self) -> None:
        rows = self.rows  # not itself: a cycle would keep the batch in memory
        self.comparisons = Comparisons(lambda pk: rows[pk].features, self.suspects.now)

    def load(self, pks: Iterable[int]) -> None:
        """Those members that are not known yet."""
        unknown = [pk for pk in pks if pk not in self.rows and pk not in self.changed]
        for pk, group, row in stored_rows(unknown):
            self.rows[pk], self.groups[pk] = row, group
        self.suspects.look_up(self.rows[pk] for pk in unknown if pk in self.rows)


def gather(area: Neighbourhood) -> None:
    """The region that may be regrouped, its edges, and the names and groups of all in it."""
    frontier = area.dirty | _whole_groups({area.groups[pk] for pk in area.dirty if pk in area.groups})
    gone = {pk for pk in area.changed if pk not in area.rows}
    while frontier:
        area.load(frontier)
        reached = _stored_edges(area, frontier)
        frontier = {pk for pk in frontier if pk in area.rows}  # staff may rule about what is no member now
        area.region |= frontier
        reached |= _compare(area, frontier & area.dirty) | _ruled_together(area, frontier)
        reached |= _whole_groups({area.groups[pk] for pk in frontier if pk in area.groups})
        frontier = reached - area.region - gone
    _recall(area)


def _stored_edges(area: Neighbourhood, frontier: Collection[int]) -> set[int]:
    """Whom the frontier would have joined before this batch, in other groups than theirs."""
    columns = ("first_id", "second_id", "id", "score", "joined", "asked")
    reached: set[int] = set()
    for side in columns[:2]:
        for first, second, pk, total, joined, asked in select_in(ReviewPair, columns, side, frontier):
            area.review[first, second] = StoredPair(pk, total, bool(joined), bool(asked))
            if joined:
                continue
            if total >= JOIN:
                reached |= {first, second}
            if first not in area.dirty and second not in area.dirty:
                area.likely[first, second] = total
    return reached


def _compare(area: Neighbourhood, dirty: Collection[int]) -> set[int]:
    """Compare each of these with all that share a key with it; returns those that it would join."""
    area.keys.look_up(key for pk in dirty for key in area.rows[pk].keys)
    crowds, holders = area.keys.crowds, area.keys.now
    sharing: dict[int, set[int]] = {
        pk: set().union(*[holders[key] for key in area.rows[pk].keys if key not in crowds]) for pk in dirty
    }
    area.load(set().union(*sharing.values()))
    reached: set[int] = set()
    score = area.comparisons.score
    for pk, others in sharing.items():
        for other in others:
            if pk == other or other < pk and other in sharing:  # met from the other's side
                continue
            total = score(pk, other)
            if total < REVIEW:
                continue
            area.likely[(pk, other) if pk < other else (other, pk)] = total
            if total >= JOIN:
                reached |= {pk, other}
    return reached


def _ruled_together(area: Neighbourhood, frontier: Collection[int]) -> set[int]:
    """Name the frontier; whom staff hold together with it."""
    named = {pk: area.changed[pk] for pk in frontier if pk in area.changed}
    named.update(select_in(SourceRecord, ("id", "public_id"), "id", [pk for pk in frontier if pk not in named]))
    area.names.update(named)
    classes = area.rulings.classes
    names = {other for name in named.values() if name in classes for other in classes[name]}
    return {pk for (pk,) in select_in(SourceRecord, ("id",), "public_id", names)}


def _whole_groups(groups: Collection[int]) -> set[int]:
    return {pk for (pk,) in select_in(Member, ("source_record_id",), "manifestation_id", groups)}


def _recall(area: Neighbourhood) -> None:
    """What is known of the pairs that stood in one group and of which neither is dirty."""
    area.comparisons.learn(area.likely)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for pk, number in area.groups.items():
        if pk in area.region or pk in area.changed:
            groups[number].append(pk)
    several = {
        number: sorted(pks) for number, pks in groups.items() if len(area.region.intersection(pks) - area.dirty) > 1
    }
    stored = dict(select_in(Manifestation, ("id", "scores"), "id", several))
    for number, pks in several.items():
        pairs = list(combinations(pks, 2))
        known = unpack_scores(stored[number])
        if len(known) == len(pairs):
            _learn(area, pairs, known)
        else:
            _look_again(area, pairs)


def _learn(area: Neighbourhood, pairs: Sequence[Pair], known: Sequence[tuple[float, bool]]) -> None:
    clean = {pair: each for pair, each in zip(pairs, known, strict=True) if area.dirty.isdisjoint(pair)}
    area.comparisons.learn({pair: total for pair, (total, _likely) in clean.items()})
    area.likely.update({pair: total for pair, (total, likely) in clean.items() if likely})


def _look_again(area: Neighbourhood, pairs: Sequence[Pair]) -> None:
    """As `_learn`, of a group whose scores are not kept."""
    clean = [pair for pair in pairs if area.dirty.isdisjoint(pair)]
    keys = {pk: area.rows[pk].keys for pair in clean for pk in pair}
    crowds = area.keys.crowded({key for each in keys.values() for key in each})
    for first, second in clean:
        total = area.comparisons.score(first, second)
        if total >= REVIEW and not (keys[first] & keys[second]) <= crowds:
            area.likely[first, second] = total
