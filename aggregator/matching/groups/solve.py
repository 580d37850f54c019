"""Partition one component of cores into groups, with each core's strongest link. Deterministic.

The result depends on the cores alone, not on their order: it can be solved again after every change, and a core that
changed or vanished needs no un-merging. The groups are clusters, not connected components: a chain of good links must
not bring together descriptions that contradict each other.

Cores are given by number (see `groups.cores`), which is a hash of their content: ties do not depend on what arrived
first. A core weighs as much as it has kinds, so that one more copy of a record never changes a group.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from aggregator.matching.comparison.compare import EVIDENCE, RuleOutcome
from aggregator.matching.comparison.pairs import Comparisons
from aggregator.matching.comparison.weights import MODEL, Evidence

type Pair = tuple[int, int]  # the smaller number first
STAFF = (Evidence("staff", "same", 100.0),)
MISTAKES = (
    0.05  # the share of the pairs across two clusters that may contradict: mistakes in a few of many descriptions
)
_MOST_POINTS = 3.0  # the most points above or below the threshold that one pair contributes where several decide
SAMPLE = 30  # cores that stand for a cluster where it is compared with another; more decide hardly anything else


class Ruled(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs of cores that staff ruled to be the same, and to be different."""

    same: frozenset[Pair] = frozenset()
    different: frozenset[Pair] = frozenset()

    def within(self, cores: Iterable[int]) -> "Ruled":
        """The rulings about pairs of these cores."""
        if not self.same and not self.different:
            return self
        inside = set(cores)
        return Ruled(
            same=frozenset(pair for pair in self.same if inside.issuperset(pair)),
            different=frozenset(pair for pair in self.different if inside.issuperset(pair)),
        )


NOT_RULED = Ruled()


class Link(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A core, and the core that it is most strongly linked to; linked_to is None where it is alone.

    ruled: staff ruled that the two are the same.
    """

    core: int
    linked_to: int | None = None
    score: float = 0.0
    ruled: bool = False

    def evidence(self, comparisons: Comparisons) -> tuple[Evidence, ...]:
        """The evidence for the link."""
        if self.linked_to is None:
            return ()
        return STAFF if self.ruled else comparisons.evidence(self.core, self.linked_to)


class Group(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The cores of one book, in the order of their numbers."""

    members: tuple[Link, ...]

    @property
    def cores(self) -> tuple[int, ...]:
        return tuple([link.core for link in self.members])


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Weights and thresholds (see `comparison.weights.Model`).

    floor: a pair below it contradicts, even without a veto; clusters with more than a few such pairs are not united.
    """

    evidence_of: Mapping[RuleOutcome, Evidence] = msgspec.field(default_factory=lambda: EVIDENCE)
    certain: float = MODEL.certain
    join: float = MODEL.join
    review: float = MODEL.review
    floor: float = MODEL.floor


def solve(
    kinds: Mapping[int, int],
    edges: Mapping[Pair, float],
    comparisons: Comparisons,
    ruled: Ruled = NOT_RULED,
    rules: Rules = Rules(),  # noqa: B008  frozen
) -> tuple[Group, ...]:
    """Partition the cores; every core is in exactly one group.

    kinds: core -> how many kinds it has. edges: the pairs of cores that share a key and reach `rules.join`, with
    scores; weaker ones are ignored. comparisons: scores any pair of cores.

    1. Pairs that staff call the same are joined first. 2. Then the edges, best first, unless the pairs across the two
    clusters speak against it (see `_Clusters.join`). Pairs that staff call different are never in one group.

    What the result depends on: clusters grow only along edges and pairs that staff call the same; every other
    comparison is between members of two clusters that such a pair would unite. So the group of a core depends on the
    cores that it reaches through such pairs, on staff's rulings about these, and on which ISBNs are suspect; on
    nothing else, and on no order. Solving a component of a wider relation (pairs at `rules.review`, shared keys)
    gives the same groups. A core outside the component can change them in one way only: by making an ISBN suspect.
    Then every bearer of the ISBN has to be compared again.
    """
    strong = {pair: total for pair, total in edges.items() if total >= rules.join}
    if not ruled.same and not ruled.different and 2 * len(strong) == len(kinds) * (len(kinds) - 1):
        return (_complete_group(sorted(kinds), strong),)  # most components are like this: no pair contradicts
    clusters = _Clusters(kinds, comparisons, ruled, rules)
    clusters.join_ruled()
    for first, second in best_first(strong, kinds):
        clusters.join(first, second)
    return clusters.groups()


def best_first(edges: Mapping[Pair, float], kinds: Mapping[int, int]) -> list[Pair]:
    """The pairs in the order in which they are joined: by score; of equal ones, that of the cores with most kinds.

    Thus a description that says little joins the book as most libraries describe it, not one that a single library
    describes with a mistake. edges: with scores. kinds: core -> how many kinds it has.
    """
    return sorted(edges, key=lambda pair: (-edges[pair], -kinds[pair[0]] * kinds[pair[1]], pair))


def _complete_group(cores: Sequence[int], edges: Mapping[Pair, float]) -> Group:
    """The group of cores of which every pair reaches `rules.join`. cores: in order."""
    best: dict[int, tuple[float, int]] = {}
    for first, second in combinations(cores, 2):
        total = edges[first, second]
        for one, other in ((first, second), (second, first)):
            if one not in best or total > best[one][0]:
                best[one] = total, other
    links = (Link(core=core, linked_to=best[core][1], score=best[core][0]) for core in cores if core in best)
    return Group(members=tuple(links) if best else (Link(core=cores[0]),))


def surplus(scores: Iterable[float], join: float) -> float:
    """By how many points the pairs across two clusters exceed the threshold in sum, if all pairs weigh the same; below
    0 the clusters are not united.
    """
    return sum([_points(score, join) for score in scores]) / 1000


def _points(score: float, join: float) -> int:
    """What one pair contributes where several decide, in thousandths of a point; limited, so that no single pair
    decides. join: the threshold from which on a pair is joined.
    """
    return round(1000 * min(max(score - join, -_MOST_POINTS), _MOST_POINTS))


def leading(kinds: Mapping[int, int], cores: Collection[int], most: int = SAMPLE) -> Collection[int]:
    """The cores with most kinds, which stand for all. kinds: core -> how many kinds it has."""
    return cores if len(cores) <= most else sorted(cores, key=lambda core: (-kinds[core], core))[:most]


class _Cluster:
    """A set of cores. sample: those that stand for it; kinds: how many these have. refused: clusters with which it is
    not to be united.
    """

    __slots__ = ("cores", "kinds", "refused", "sample")

    def __init__(self, cores: list[int], kinds: Mapping[int, int]) -> None:
        self.cores = cores
        self.sample = leading(kinds, cores)
        self.kinds = sum([kinds[core] for core in self.sample])
        self.refused: set[_Cluster] = set()


class _Clusters:
    """A partition that grows by joining."""

    def __init__(self, kinds: Mapping[int, int], comparisons: Comparisons, ruled: Ruled, rules: Rules) -> None:
        self._kinds = kinds
        self._comparisons = comparisons
        self._rules = rules
        self._ruled = ruled.within(kinds)
        self._cluster = {core: _Cluster([core], kinds) for core in kinds}

    def join_ruled(self) -> None:
        """Join the pairs that staff call the same."""
        for first, second in sorted(self._ruled.same):
            self.join(first, second, ruled=True)

    def join(self, first: int, second: int, *, ruled: bool = False) -> None:
        """Unite the clusters of two cores, unless too many pairs across them contradict (score below `Rules.floor`) or
        all pairs together score too low.
        """
        left, right = self._cluster[first], self._cluster[second]
        if left is right or self._ruled_apart(left.cores, right.cores):
            return
        if not ruled and len(left.cores) + len(right.cores) > 2:
            if right in left.refused:
                return
            if not self._supported(left, right):
                left.refused.add(right)
                right.refused.add(left)
                return
        united = _Cluster([*left.cores, *right.cores], self._kinds)
        self._cluster.update(dict.fromkeys(united.cores, united))

    def _ruled_apart(self, left: Sequence[int], right: Sequence[int]) -> bool:
        different = self._ruled.different
        return bool(different) and any(_pair(one, other) in different for one in left for other in right)

    def _supported(self, left: _Cluster, right: _Cluster) -> bool:
        """Whether hardly any pair contradicts and the scores of all pairs together suffice, so that no single pair
        decides. Ends as soon as the remaining pairs cannot change the answer to yes.
        """
        floor, join = self._rules.floor, self._rules.join
        tolerated = MISTAKES * left.kinds * right.kinds
        most = round(1000 * _MOST_POINTS)
        highest = most * left.kinds * right.kinds  # the total if all pairs that were not looked at so far agree
        for points, weight in self._scores_across(left, right):
            if points < floor:
                tolerated -= weight
            highest -= weight * (most - _points(points, join))
            if tolerated < 0 or highest < 0:
                return False
        return True

    def _scores_across(self, left: _Cluster, right: _Cluster) -> Iterator[tuple[float, int]]:
        """The score and the weight of every pair of cores that stand for two clusters. Known scores come first, because
        they often suffice for a no; the answer does not depend on the order.
        """
        kinds, known = self._kinds, self._comparisons.known_score
        unknown: list[Pair] = []
        for one in left.sample:
            for other in right.sample:
                points = known(one, other)
                if points is None:
                    unknown.append((one, other))
                else:
                    yield points, kinds[one] * kinds[other]
        for one, other in unknown:
            yield self._comparisons.score(one, other), kinds[one] * kinds[other]

    def groups(self) -> tuple[Group, ...]:
        clusters = {id(cluster): sorted(cluster.cores) for cluster in self._cluster.values()}
        return tuple(Group(members=tuple(self._links(cluster))) for cluster in sorted(clusters.values()))

    def _links(self, cluster: Sequence[int]) -> Iterator[Link]:
        """The strongest link of each core to another of its cluster; a ruling is stronger than any score."""
        score, ruled = self._comparisons.score, self._ruled.same
        best: dict[int, tuple[float, int]] = {}
        for pair in combinations(cluster, 2):
            points = STAFF[0].weight if pair in ruled else score(*pair)
            for one, other in (pair, pair[::-1]):
                if one not in best or points > best[one][0]:
                    best[one] = points, other
        for core in cluster:
            if core not in best:
                yield Link(core=core)
                continue
            points, other = best[core]
            yield Link(core=core, linked_to=other, score=points, ruled=_pair(core, other) in ruled)


def _pair(first: int, second: int) -> Pair:
    return (first, second) if first < second else (second, first)
