"""The region of a batch: all cores whose groups it may change. Read-only.

The group of a core depends on the cores that it reaches through pairs that score high enough to be grouped (edges), and
on nothing else (`aggregator.matching.groups.solve.solve`). A batch changes only edges of its dirty cores: those that
changed, those that are now compared with others because a key became or ceased to be crowded, and those with an ISBN
that became or ceased to be suspect. So the region is everything that can be reached now from the dirty cores and from
those they had an edge to before.

Only pairs with a dirty core are compared. The scores of all other pairs are stored: those of pairs within a group in
`Manifestation.scores`, those of pairs across groups in ReviewPair, which holds every such pair that shares a key and
reaches the review threshold. Of the latter only the edges are needed to form the groups (`gather`). Once these are
known, `add_stored_pairs` reads the pairs whose questions may change.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from aggregator.grouping.key_counts import KeyCounts
from aggregator.grouping.rows import Row, StoredCore, stored_cores, stored_features, unpack_scores
from aggregator.grouping.stored_pairs import StoredPair, representatives, stored_edges, stored_pairs
from aggregator.grouping.suspects import Suspects
from aggregator.matching import JOIN, REVIEW, Comparisons, Features, Group, Ruled
from aggregator.matching.groups.solve import Pair
from aggregator.models import Core, Manifestation
from core.database.batches import select_in


@dataclass(frozen=True, slots=True)
class Cores:
    """The cores that a batch has read or changes, by number; more are read when they are needed.

    gone: the cores that the batch removes. rows, stored: the cores as they are after the batch and as they were before
    it. features: of the cores in `rows`, and of those that are only compared.
    """

    gone: frozenset[int]
    suspects: Suspects
    rows: dict[int, Row]
    stored: dict[int, StoredCore]
    features: dict[int, Features]

    def load(self, cores: Iterable[int]) -> None:
        """Read the rows of those cores that have not been read yet."""
        unknown = [core for core in cores if core not in self.rows and core not in self.gone]
        for core, stored in stored_cores(unknown):
            self.rows[core], self.stored[core] = stored.row, stored
            self.features[core] = stored.row.features
        self.suspects.look_up(self.rows[core] for core in unknown if core in self.rows)

    def load_features(self, cores: Iterable[int]) -> None:
        """Read the features of cores that are compared with loaded ones.

        Most of them turn out to be other books, of which nothing else is needed. Their ISBNs are not looked up among
        the suspects: of a pair, only those count that both cores bear.
        """
        self.features.update(stored_features([core for core in cores if core not in self.features]))


@dataclass(frozen=True, slots=True)
class Beginning:
    """The cores from which a region grows. dirty: see the module's docstring. start: the dirty ones, and those whose
    number of kinds changed, whose records move between cores or return, that staff ruled about, or whose book has
    members that an older release matched.
    """

    cores: Cores
    keys: KeyCounts
    dirty: frozenset[int]
    start: frozenset[int]


@dataclass(frozen=True, slots=True)
class Region:
    """Everything that one batch may regroup. Cores are given by number; a pair has the smaller number first.

    members: the cores. dirty, start: see `Beginning`. likely: pairs that share a key and reach REVIEW, with scores: all
    of those that decide about groups and questions. review: the stored pairs whose question may change.
    """

    cores: Cores
    dirty: frozenset[int]
    start: frozenset[int]
    members: frozenset[int]
    likely: Mapping[Pair, float]
    comparisons: Comparisons
    moved: frozenset[int] = frozenset()
    review: Mapping[Pair, StoredPair] = field(default_factory=dict)

    @property
    def rows(self) -> Mapping[int, Row]:
        return self.cores.rows

    @property
    def stored(self) -> Mapping[int, StoredCore]:
        return self.cores.stored

    @property
    def gone(self) -> frozenset[int]:
        return self.cores.gone

    def books_before(self) -> dict[int, set[int]]:
        """The cores of each book of the region before the batch, also those that are gone."""
        books: defaultdict[int, set[int]] = defaultdict(set)
        for core, stored in self.stored.items():
            if core in self.members or core in self.gone:
                books[stored.manifestation].add(core)
        return dict(books)

    def is_clean(self, pair: Pair) -> bool:
        """Whether the score of the pair is the same as before the batch."""
        return _is_clean(pair, self.dirty, self.gone)


def gather(beginning: Beginning, ruled: Ruled) -> Region:
    """Find all cores that this batch may regroup, and read them with their edges and scores.

    ruled: staff's rulings about all cores.
    """
    growing = _Growing(beginning)
    together = _together(ruled)
    gone = beginning.cores.gone
    frontier = {*beginning.start, *gone, *growing.whole_groups(beginning.start | gone)}
    while frontier:
        beginning.cores.load(frontier)
        reached = growing.stored_edges(frontier)
        frontier = {core for core in frontier if core in beginning.cores.rows}
        growing.members |= frontier
        reached |= growing.compare(frontier & beginning.dirty)
        reached |= {other for core in frontier for other in together.get(core, ())}
        reached |= growing.whole_groups(frontier)
        frontier = reached - growing.members - gone
    growing.add_known_scores()
    return growing.region()


def _together(ruled: Ruled) -> dict[int, set[int]]:
    """Core -> the cores that staff ruled to be the same book."""
    together: defaultdict[int, set[int]] = defaultdict(set)
    for first, second in ruled.same:
        together[first].add(second)
        together[second].add(first)
    return dict(together)


def cores_of_books(books: Collection[int]) -> set[int]:
    """The cores of these manifestations before the batch."""
    return {core for (core,) in select_in(Core, ("id",), "manifestation_id", books)}


class _Growing:
    """A region while it grows. members: the cores found so far; likely: see `Region`."""

    def __init__(self, beginning: Beginning) -> None:
        self._cores = beginning.cores
        self._keys = beginning.keys
        self._dirty = beginning.dirty
        self._start = beginning.start
        self.members: set[int] = set()
        self._likely: dict[Pair, float] = {}
        self._comparisons = Comparisons(self._cores.features.__getitem__, self._cores.suspects.now)

    def region(self) -> Region:
        return Region(
            cores=self._cores,
            dirty=self._dirty,
            start=self._start,
            members=frozenset(self.members),
            likely=self._likely,
            comparisons=self._comparisons,
        )

    def stored_edges(self, frontier: Collection[int]) -> set[int]:
        """Read the stored edges of the frontier. Return the cores in other groups to which it had an edge before the
        batch.
        """
        reached: set[int] = set()
        for pair, score in stored_edges(frontier):
            reached.update(pair)
            if self._is_clean(pair):
                self._likely[pair] = score
        return reached

    def compare(self, dirty: Collection[int]) -> set[int]:
        """Compare each dirty core with all that share a key with it; return those to which it has an edge."""
        keys = {core: self._cores.rows[core].keys for core in dirty}
        self._keys.look_up(keys)
        sharing = {core: self._keys.partners(core, own) for core, own in keys.items()}
        self._cores.load_features(set().union(*sharing.values()))
        reached: set[int] = set()
        score = self._comparisons.score
        for core, others in sharing.items():
            for other in others:
                if core == other or other < core and other in sharing:  # the pair is compared from the other's side
                    continue
                total = score(core, other)
                if total < REVIEW:
                    continue
                self._likely[(core, other) if core < other else (other, core)] = total
                if total >= JOIN:
                    reached |= {core, other}
        return reached

    def whole_groups(self, cores: Collection[int]) -> set[int]:
        """All cores of the books in which these cores were before the batch."""
        stored = self._cores.stored
        return cores_of_books({stored[core].manifestation for core in cores if core in stored})

    def add_known_scores(self) -> None:
        """Add the scores of those pairs within one group of which neither core is dirty; they need no new
        comparison.
        """
        self._comparisons.learn(self._likely)
        several = {
            number: sorted(cores)
            for number, cores in self.region().books_before().items()
            if len(self.members.intersection(cores) - self._dirty) > 1
        }
        packed = dict(select_in(Manifestation, ("id", "scores"), "id", several))
        for number, cores in several.items():
            known = unpack_scores(packed[number])
            if len(known) == len(cores) * (len(cores) - 1) // 2:
                self._use_stored_scores(list(combinations(cores, 2)), known)
            else:
                self._compare_again([core for core in cores if core in self.members and core not in self._dirty])

    def _use_stored_scores(self, pairs: Sequence[Pair], known: Sequence[tuple[float, bool]]) -> None:
        clean = {pair: scored for pair, scored in zip(pairs, known, strict=True) if self._is_clean(pair)}
        self._comparisons.learn({pair: total for pair, (total, _likely) in clean.items()})
        self._likely.update({pair: total for pair, (total, likely) in clean.items() if likely})

    def _compare_again(self, cores: Iterable[int]) -> None:
        """Add what `_use_stored_scores` adds, for the clean cores of a group whose scores are not stored: compare those
        that share a key. The score of any other pair is computed where it is needed.
        """
        holders: defaultdict[int, list[int]] = defaultdict(list)
        for core in cores:
            for key in self._cores.rows[core].keys:
                holders[key].append(core)
        for first, second in self._keys.pairs(holders):
            total = self._comparisons.score(first, second)
            if total >= REVIEW:
                self._likely[first, second] = total

    def _is_clean(self, pair: Pair) -> bool:
        return _is_clean(pair, self._dirty, self._cores.gone)


def _is_clean(pair: Pair, dirty: frozenset[int], gone: frozenset[int]) -> bool:
    return dirty.isdisjoint(pair) and gone.isdisjoint(pair)


def add_stored_pairs(region: Region, groups: Iterable[Group], shown: Collection[int]) -> Region:
    """Return the region with the stored pairs whose question may change, now that its groups are known.

    These are the pairs of cores that are dirty, gone, shown by another record (`shown`) or in a group that consists of
    other old cores than before; and of all other members those that stand for a question, because the number of records
    concerned may have changed. If a pair that stood for the question about two groups has a dirty core, another pair
    may stand for it now, so all pairs of the smaller group are read.
    """
    before = region.books_before()
    moved = _moved(region, groups, before)
    whole = region.dirty | region.gone | moved | region.members.intersection(shown)
    review = stored_pairs(whole)
    open_pairs = [
        pair
        for pair, row in review.items()
        if row.figures.chance and not row.figures.joined and not region.is_clean(pair)
    ]
    smaller = _smaller_books(region, open_pairs, before) - whole
    review |= {  # without the questions about groups outside the region, which stay as they are
        pair: row
        for pair, row in stored_pairs(smaller).items()
        if not row.figures.joined or region.members.issuperset(pair)
    }
    review |= representatives(region.members - whole - smaller)
    clean = {pair: row.score for pair, row in review.items() if not row.figures.joined and region.is_clean(pair)}
    region.comparisons.learn(clean)
    return replace(region, likely={**region.likely, **clean}, moved=moved, review=review)


def _smaller_books(region: Region, pairs: Iterable[Pair], before: Mapping[int, Collection[int]]) -> set[int]:
    """Of the two books that the cores of each pair belonged to before the batch, the cores of the one with fewer."""
    cores = {core for pair in pairs for core in pair}
    book_of = {core: region.stored[core].manifestation for core in cores if core in region.stored}
    book_of |= dict(select_in(Core, ("id", "manifestation_id"), "id", cores - book_of.keys()))
    books = defaultdict(set, {number: set(of_book) for number, of_book in before.items()})
    others = set(book_of.values()) - before.keys()
    for core, number in select_in(Core, ("id", "manifestation_id"), "manifestation_id", others):
        books[number].add(core)
    return {core for pair in pairs for core in min((books[book_of[core]] for core in pair), key=len)}


def _moved(region: Region, groups: Iterable[Group], before: Mapping[int, Collection[int]]) -> frozenset[int]:
    """The cores of those groups that did not merely grow by new cores: their old cores are not all those that remain of
    one book.
    """
    moved: set[int] = set()
    for group in groups:
        old = [core for core in group.cores if core in region.stored]
        books = {region.stored[core].manifestation for core in old}
        remaining = sum(core not in region.gone for number in books for core in before[number])
        if len(books) > 1 or len(old) != remaining:
            moved.update(group.cores)
    return frozenset(moved)
