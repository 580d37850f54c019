"""Partition one component of records into groups, with each member's strongest link. Deterministic.

The result depends on the members alone, not on their order: it can be solved again after every change, and a record
that changed or was deleted needs no un-merging. The groups are clusters, not connected components: a chain of good
links must not bring together two records that contradict each other.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from aggregator.matching.blocking_keys import CROWD
from aggregator.matching.comparison.compare import EVIDENCE, RuleOutcome
from aggregator.matching.comparison.pairs import PairComparisons
from aggregator.matching.comparison.weights import MODEL, Evidence
from aggregator.matching.features.row import Features

type Pair = tuple[str, str]
STAFF = (Evidence("staff", "same", 100.0),)
_MOST_POINTS = 3.0  # the most points above or below the threshold that one pair contributes where several decide


class RuledPair(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Staff's ruling about two public ids."""

    first: str
    second: str
    same: bool


class Link(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A member, and the member that it is most strongly linked to; linked_to is "" when it is alone.

    ruled: staff ruled that the two are the same.
    """

    id: str
    linked_to: str = ""
    score: float = 0.0
    ruled: bool = False

    def evidence(self, comparisons: PairComparisons) -> tuple[Evidence, ...]:
        """The evidence for the link."""
        if not self.linked_to:
            return ()
        return STAFF if self.ruled else comparisons.evidence(self.id, self.linked_to)


class Group(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Descriptions of one book, in the order of their ids."""

    members: tuple[Link, ...]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Weights and thresholds (see `comparison.weights.Model`).

    floor: clusters with a pair below it are not united, even without a veto.
    """

    evidence_of: Mapping[RuleOutcome, Evidence] = msgspec.field(default_factory=lambda: EVIDENCE)
    certain: float = MODEL.certain
    join: float = MODEL.join
    review: float = MODEL.review
    floor: float = MODEL.floor


def solve(
    names: Iterable[str],
    edges: Mapping[Pair, float],
    comparisons: PairComparisons,
    rulings: Iterable[RuledPair] = (),
    rules: Rules = Rules(),  # noqa: B008  frozen
) -> tuple[Group, ...]:
    """Partition the members; every member is in exactly one group.

    names: the public ids of the members. edges: the pairs of members that share a key and reach `rules.join`, in order
    of their public ids, with scores; weaker ones are ignored. comparisons: scores any pair of members.

    1. Pairs that staff call the same are joined first. 2. Then the edges, best first, unless the two clusters contain
    a pair that contradicts. Pairs that staff call different are never in one group.

    What the result depends on: clusters grow only along edges and pairs that staff call the same; every other
    comparison is between members of two clusters that such a pair would unite. So the groups of a member depend on
    the records that it reaches through such pairs, on staff's rulings about these, and on which ISBNs are suspect; on
    nothing else, and on no order. Solving a component of a wider relation (pairs at `rules.review`, shared keys)
    gives the same groups. A record outside the component can change them in one way only: by making an ISBN suspect.
    Then every bearer of the ISBN has to be compared again.
    """
    known_rulings = list(rulings)
    members = sorted(names)
    strong = {pair: total for pair, total in edges.items() if total >= rules.join}
    if not known_rulings and 2 * len(strong) == len(members) * (len(members) - 1):
        return (_complete_group(members, strong),)  # most components are like this: no pair contradicts
    clusters = _Clusters(members, comparisons, known_rulings, rules)
    clusters.join_ruled()
    for first, second in sorted(strong, key=lambda pair: (-strong[pair], pair)):
        clusters.join(first, second)
    return clusters.groups()


def _complete_group(names: Sequence[str], edges: Mapping[Pair, float]) -> Group:
    """The group of members of which every pair reaches `rules.join`. names: their public ids, in order."""
    best: dict[str, tuple[float, str]] = {}
    for first, second in combinations(names, 2):
        total = edges[first, second]
        for one, other in ((first, second), (second, first)):
            if one not in best or total > best[one][0]:
                best[one] = total, other
    links = (Link(id=name, linked_to=best[name][1], score=best[name][0]) for name in names if name in best)
    return Group(members=tuple(links) if best else (Link(id=names[0]),))


def surplus(scores: Iterable[float], join: float) -> float:
    """By how much the pairs across two clusters exceed the threshold in sum; below 0 the clusters are not united.

    No pair counts for more than `_MOST_POINTS` either way. Rounded, so that it is the same in whatever order it is
    summed up.
    """
    return round(sum(min(max(score - join, -_MOST_POINTS), _MOST_POINTS) for score in scores), 3)


class _Clusters:
    """A partition that grows by joining."""

    def __init__(
        self, names: Iterable[str], comparisons: PairComparisons, rulings: Sequence[RuledPair], rules: Rules
    ) -> None:
        self._comparisons = comparisons
        self._rules = rules
        self._cluster = {name: [name] for name in names}
        relevant = [ruling for ruling in rulings if ruling.first in self._cluster and ruling.second in self._cluster]
        self._same = {_pair(ruling.first, ruling.second) for ruling in relevant if ruling.same}
        self._ruled_different = {_pair(ruling.first, ruling.second) for ruling in relevant if not ruling.same}

    def join_ruled(self) -> None:
        """Join the pairs that staff call the same."""
        for first, second in sorted(self._same):
            self.join(first, second, ruled=True)

    def join(self, first: str, second: str, *, ruled: bool = False) -> None:
        """Unite the clusters of two members, unless a pair across them contradicts."""
        left, right = self._cluster[first], self._cluster[second]
        if left is right:
            return
        if self._ruled_different and not self._ruled_different.isdisjoint(
            _pair(one, other) for one in left for other in right
        ):
            return
        if not ruled and len(left) + len(right) > 2 and not self._supported(left, right):
            return
        left += right
        for name in right:
            self._cluster[name] = left

    def _supported(self, left: Sequence[str], right: Sequence[str]) -> bool:
        """Whether no pair contradicts and the scores of all pairs together suffice, so that no single pair decides."""
        scores = []
        for one in left:
            for other in right:
                scores.append(self._comparisons.score(one, other))
                if scores[-1] < self._rules.floor:
                    return False
        return surplus(scores, self._rules.join) >= 0

    def groups(self) -> tuple[Group, ...]:
        clusters = {id(cluster): sorted(cluster) for cluster in self._cluster.values()}
        return tuple(
            Group(members=tuple(self._link(name, cluster) for name in cluster)) for cluster in sorted(clusters.values())
        )

    def _link(self, member: str, cluster: Sequence[str]) -> Link:
        """The strongest link of a member to another of its cluster; a ruling is stronger than any score."""
        strongest, total, ruled = "", 0.0, False
        for other in cluster:
            if other == member:
                continue
            is_ruled = self._ruled_same(member, other)
            points = STAFF[0].weight if is_ruled else self._comparisons.score(member, other)
            if not strongest or points > total:
                strongest, total, ruled = other, points, is_ruled
        return Link(id=member, linked_to=strongest, score=total, ruled=ruled)

    def _ruled_same(self, member: str, other: str) -> bool:
        return bool(self._same) and _pair(member, other) in self._same


def suspect_isbns(members: Iterable[Features]) -> dict[str, str]:
    """ISBN → why it counts less than others.

    "suspect": different volumes or a crowd bear it, or some record has it as a set ISBN. "listed": one volume and a
    set bear it. The result depends on all records that bear the ISBN (as ISBN or set ISBN), and on no others.
    """
    bearers: defaultdict[str, list[Features]] = defaultdict(list)
    of_sets: set[str] = set()
    for row in members:
        of_sets.update(row.set_isbns)
        for isbn in row.isbns:
            bearers[isbn].append(row)
    reasons = {}
    for isbn, rows in bearers.items():
        volumes = {row.volume for row in rows if not row.parts} - {""} if len(rows) > 1 else ()
        if isbn in of_sets or len(volumes) > 1 or len(rows) > CROWD:
            reasons[isbn] = "suspect"
        elif volumes and any(row.is_set for row in rows):
            reasons[isbn] = "listed"
    return reasons


def _pair(first: str, second: str) -> Pair:
    return (first, second) if first < second else (second, first)
