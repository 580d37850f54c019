"""The region of a batch: all cores whose groups it may change. Read-only.

The group of a core depends on the cores that it reaches through pairs that score high enough to be grouped (edges), and
on nothing else (`aggregator.matching.groups.solve.solve`). A batch changes only edges of its dirty cores: those that
changed, those that are now compared with others because a key became or ceased to be crowded, and those with an ISBN
that became or ceased to be suspect. So the region is everything that can be reached now from the dirty cores and from
those they had an edge to before.

Only pairs with a dirty core are compared. The scores of all other pairs are stored: those of pairs within a group in
`Manifestation.scores`, those of pairs across groups in ReviewPair, which holds every such pair that shares a key and
reaches the review threshold.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from aggregator.grouping.key_counts import KeyCounts
from aggregator.grouping.rows import Row, StoredCore, stored_cores, unpack_scores
from aggregator.grouping.suspects import Suspects
from aggregator.matching import JOIN, REVIEW, Comparisons, Ruled
from aggregator.models import Core, Manifestation, ReviewPair
from core.database.batches import select_in

SIDES = ("first_core_id", "second_core_id")  # of ReviewPair

type Pair = tuple[int, int]


class Figures(NamedTuple):
    """What a row of ReviewPair says about its pair."""

    chance: float
    worth: float
    joined: bool
    asked: bool


class PairRow(NamedTuple):
    """A row of ReviewPair as it is read; the fields are columns."""

    first_core_id: int
    second_core_id: int
    id: int
    score: float
    chance: float
    worth: float
    joined: bool
    asked: bool
    first_id: int
    second_id: int


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A row of ReviewPair. examples: the records that stand for its cores."""

    pk: int
    figures: Figures
    examples: Pair


@dataclass(slots=True)
class Region:
    """Everything that one batch may regroup. Cores are given by number; a pair has the smaller number first.

    members: the cores found so far. start: those from which the region grows: the dirty ones, and those whose number
    of kinds changed, whose records move between cores or return, that staff ruled about, or whose book has members
    that an older release matched. dirty: see the module's docstring. gone: cores that the batch removes. rows, stored:
    the loaded cores as they are after the batch and as they were before it.
    """

    keys: KeyCounts
    suspects: Suspects
    gone: frozenset[int]
    fresh: Mapping[int, Row]  # the cores that the batch changes, as they are now
    rows: dict[int, Row] = field(default_factory=dict)
    stored: dict[int, StoredCore] = field(default_factory=dict)
    start: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)
    members: set[int] = field(default_factory=set)
    likely: dict[Pair, float] = field(default_factory=dict)  # pairs that share a key and reach REVIEW -> score
    review: dict[Pair, StoredPair] = field(default_factory=dict)  # the stored pairs of members and of gone cores
    comparisons: Comparisons = field(init=False)

    def __post_init__(self) -> None:
        self.rows.update(self.fresh)
        rows = self.rows  # the lambda must not refer to self: a cycle would keep the batch in memory
        self.comparisons = Comparisons(lambda core: rows[core].features, self.suspects.now)

    def load(self, cores: Iterable[int]) -> None:
        """Load the rows of those cores that are not loaded yet."""
        unknown = [core for core in cores if core not in self.rows and core not in self.gone]
        for core, stored in stored_cores(unknown):
            self.rows[core], self.stored[core] = stored.row, stored
        self.suspects.look_up(self.rows[core] for core in unknown if core in self.rows)


def gather(region: Region, ruled: Ruled) -> None:
    """Fill the region: find all cores that this batch may regroup, and load them with their stored pairs and scores.

    ruled: staff's rulings about all cores.
    """
    together = _together(ruled)
    frontier = region.start | region.gone | _whole_groups(region, region.start | region.gone)
    while frontier:
        region.load(frontier)
        reached = _stored_edges(region, frontier)
        frontier = {core for core in frontier if core in region.rows}
        region.members |= frontier
        reached |= _compare(region, frontier & region.dirty)
        reached |= {other for core in frontier for other in together.get(core, ())}
        reached |= _whole_groups(region, frontier)
        frontier = reached - region.members - region.gone
    _add_known_scores(region)


def _together(ruled: Ruled) -> dict[int, set[int]]:
    """Core -> the cores that staff ruled to be the same book."""
    together: defaultdict[int, set[int]] = defaultdict(set)
    for first, second in ruled.same:
        together[first].add(second)
        together[second].add(first)
    return dict(together)


def _stored_edges(region: Region, frontier: Collection[int]) -> set[int]:
    """Load the stored pairs of the frontier. Return the cores in other groups to which the frontier had an edge
    before the batch.
    """
    reached: set[int] = set()
    for side in SIDES:
        for row in map(PairRow._make, select_in(ReviewPair, PairRow._fields, side, frontier)):
            pair = row.first_core_id, row.second_core_id
            figures = Figures(row.chance, row.worth, bool(row.joined), bool(row.asked))
            region.review[pair] = StoredPair(row.id, figures, (row.first_id, row.second_id))
            if row.joined:
                continue
            if row.score >= JOIN:
                reached.update(pair)
            if region.dirty.isdisjoint(pair) and region.gone.isdisjoint(pair):
                region.likely[pair] = row.score
    return reached


def _compare(region: Region, dirty: Collection[int]) -> set[int]:
    """Compare each dirty core with all that share a key with it; return those to which it has an edge."""
    keys = {core: region.rows[core].keys for core in dirty}
    region.keys.look_up(keys)
    sharing = {core: region.keys.partners(core, own) for core, own in keys.items()}
    region.load(set().union(*sharing.values()))
    reached: set[int] = set()
    score = region.comparisons.score
    for core, others in sharing.items():
        for other in others:
            if core == other or other < core and other in sharing:  # the pair is compared from the other's side
                continue
            total = score(core, other)
            if total < REVIEW:
                continue
            region.likely[(core, other) if core < other else (other, core)] = total
            if total >= JOIN:
                reached |= {core, other}
    return reached


def _whole_groups(region: Region, cores: Collection[int]) -> set[int]:
    return cores_of_books({region.stored[core].manifestation for core in cores if core in region.stored})


def cores_of_books(books: Collection[int]) -> set[int]:
    """The cores of these manifestations before the batch."""
    return {core for (core,) in select_in(Core, ("id",), "manifestation_id", books)}


def _add_known_scores(region: Region) -> None:
    """Add the scores of those pairs within one group of which neither core is dirty; they need no new comparison."""
    region.comparisons.learn(region.likely)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for core, stored in region.stored.items():
        if core in region.members or core in region.gone:
            groups[stored.manifestation].append(core)
    several = {
        number: sorted(cores)
        for number, cores in groups.items()
        if len(region.members.intersection(cores) - region.dirty) > 1
    }
    packed = dict(select_in(Manifestation, ("id", "scores"), "id", several))
    for number, cores in several.items():
        known = unpack_scores(packed[number])
        if len(known) == len(cores) * (len(cores) - 1) // 2:
            _use_stored_scores(region, list(combinations(cores, 2)), known)
        else:
            _compare_again(region, [core for core in cores if core not in region.dirty and core not in region.gone])


def _is_clean(region: Region, pair: Pair) -> bool:
    return region.dirty.isdisjoint(pair) and region.gone.isdisjoint(pair)


def _use_stored_scores(region: Region, pairs: Sequence[Pair], known: Sequence[tuple[float, bool]]) -> None:
    clean = {pair: scored for pair, scored in zip(pairs, known, strict=True) if _is_clean(region, pair)}
    region.comparisons.learn({pair: total for pair, (total, _likely) in clean.items()})
    region.likely.update({pair: total for pair, (total, likely) in clean.items() if likely})


def _compare_again(region: Region, cores: Iterable[int]) -> None:
    """Add what `_use_stored_scores` adds, for the clean cores of a group whose scores are not stored: compare those
    that share a key. The score of any other pair is computed where it is needed.
    """
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for core in cores:
        for key in region.rows[core].keys:
            holders[key].append(core)
    for first, second in region.keys.pairs(holders):
        total = region.comparisons.score(first, second)
        if total >= REVIEW:
            region.likely[first, second] = total
