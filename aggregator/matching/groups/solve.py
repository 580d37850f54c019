"""The partition of one neighbourhood into groups, with each member's strongest link. Pure and deterministic.

The result depends on the members alone, not on their order: it can be solved again after every change, and a
record that changed or went needs no un-merging. Clusters, not connected components: a chain of good links must not
bring together two records that contradict each other.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from aggregator.matching.blocking_keys import CROWD
from aggregator.matching.comparison.compare import FINDINGS, Finding
from aggregator.matching.comparison.pairs import Judge
from aggregator.matching.comparison.weights import MODEL, Evidence
from aggregator.matching.features.row import Features

type Pair = tuple[str, str]
STAFF = (Evidence("staff", "same", 100.0),)
_SAY = 3.0  # points above or below the threshold that one pair counts where several decide


class RuledPair(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What staff ruled about two public ids."""

    first: str
    second: str
    same: bool


class Link(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A member and the member that holds it in the group most strongly; linked_to is "" when it is alone.

    ruled: because staff say so.
    """

    id: str
    linked_to: str = ""
    score: float = 0.0
    ruled: bool = False

    def evidence(self, judge: Judge) -> tuple[Evidence, ...]:
        """What holds the two together."""
        if not self.linked_to:
            return ()
        return STAFF if self.ruled else judge.evidence(self.id, self.linked_to)


class Group(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Descriptions of one book, in the order of their ids."""

    members: tuple[Link, ...]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Weights and thresholds (see `model`); floor: a pair below it keeps two clusters apart even without a veto."""

    findings: Mapping[Finding, Evidence] = msgspec.field(default_factory=lambda: FINDINGS)
    certain: float = MODEL.certain
    join: float = MODEL.join
    review: float = MODEL.review
    floor: float = MODEL.floor


def solve(
    names: Iterable[str],
    edges: Mapping[Pair, float],
    judge: Judge,
    decisions: Iterable[RuledPair] = (),
    rules: Rules = Rules(),  # noqa: B008  frozen
) -> tuple[Group, ...]:
    """Partition the members; every member stands in exactly one group.

    edges: the pairs of members that share a key and reach `rules.join`, in order of their names, with their scores;
    weaker ones are passed over. judge: what any pair of members amounts to.

    1. Pairs that staff call the same are joined first. 2. Then the edges, the best first, unless the clusters hold a
    pair that contradicts. Pairs that staff call different never stand in one group.

    What the result depends on. Clusters grow only along edges and what staff call the same; every other comparison is
    between members of two clusters that such a pair would unite, and no other cluster is looked at. So the groups of
    a member depend on the records that it reaches by such pairs, on staff's rulings about these, and on which ISBNs
    are suspect; on nothing else, and not on any order. Whoever solves a component closed under a wider relation
    (pairs at `rules.review`, shared keys) gets the same groups. A record outside the component can change them in one
    way only: by making an ISBN suspect. When it does, every bearer of the ISBN has to be compared again.
    """
    decided = list(decisions)
    whole = sorted(names)
    strong = {pair: total for pair, total in edges.items() if total >= rules.join}
    if not decided and 2 * len(strong) == len(whole) * (len(whole) - 1):
        return (_agreed(whole, strong),)  # so are most: nothing speaks against anything
    clusters = _Clusters(whole, judge, decided, rules)
    clusters.hold_together()
    for first, second in sorted(strong, key=lambda pair: (-strong[pair], pair)):
        clusters.join(first, second)
    return clusters.groups()


def _agreed(names: Sequence[str], edges: Mapping[Pair, float]) -> Group:
    """The group of members of which any two would join. names: in order."""
    best: dict[str, tuple[float, str]] = {}
    for first, second in combinations(names, 2):
        total = edges[first, second]
        for one, other in ((first, second), (second, first)):
            if one not in best or total > best[one][0]:
                best[one] = total, other
    links = (Link(id=each, linked_to=best[each][1], score=best[each][0]) for each in names if each in best)
    return Group(members=tuple(links) if best else (Link(id=names[0]),))


def surplus(scores: Iterable[float], join: float) -> float:
    """What the pairs across two clusters have beyond the threshold, none counting for more than `_SAY` either way;
    below 0 the clusters stay apart. Rounded: the same in whatever order it is added up.
    """
    return round(sum(min(max(each - join, -_SAY), _SAY) for each in scores), 3)


class _Clusters:
    """A partition that grows by joining."""

    def __init__(self, names: Iterable[str], judge: Judge, decisions: Sequence[RuledPair], rules: Rules) -> None:
        self._judge = judge
        self._rules = rules
        self._cluster = {each: [each] for each in names}
        inside = [each for each in decisions if each.first in self._cluster and each.second in self._cluster]
        self._same = {_pair(each.first, each.second) for each in inside if each.same}
        self._ruled_different = {_pair(each.first, each.second) for each in inside if not each.same}

    def hold_together(self) -> None:
        """What staff call the same."""
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
        for each in right:
            self._cluster[each] = left

    def _supported(self, left: Sequence[str], right: Sequence[str]) -> bool:
        """No pair contradicts, and taken together they would join; no single pair decides it."""
        scores = []
        for one in left:
            for other in right:
                scores.append(self._judge.score(one, other))
                if scores[-1] < self._rules.floor:
                    return False
        return surplus(scores, self._rules.join) >= 0

    def groups(self) -> tuple[Group, ...]:
        clusters = {id(each): sorted(each) for each in self._cluster.values()}
        return tuple(
            Group(members=tuple(self._link(each, cluster) for each in cluster)) for cluster in sorted(clusters.values())
        )

    def _link(self, member: str, cluster: Sequence[str]) -> Link:
        """The strongest link of a member to another of its cluster; staff's ruling is stronger than any."""
        strongest, total, ruled = "", 0.0, False
        for other in cluster:
            if other == member:
                continue
            held = self._held(member, other)
            found = STAFF[0].weight if held else self._judge.score(member, other)
            if not strongest or found > total:
                strongest, total, ruled = other, found, held
        return Link(id=member, linked_to=strongest, score=total, ruled=ruled)

    def _held(self, member: str, other: str) -> bool:
        return bool(self._same) and _pair(member, other) in self._same


def suspect_isbns(members: Iterable[Features]) -> dict[str, str]:
    """ISBN → why it says less than another: "suspect" where different volumes or a crowd bear it or somebody names it
    as the ISBN of a set, "listed" where one volume bears it and a set too.

    It depends on all who bear the ISBN (among ISBNs or set ISBNs), and on nobody else.
    """
    bearers: defaultdict[str, list[Features]] = defaultdict(list)
    of_sets: set[str] = set()
    for each in members:
        of_sets.update(each.set_isbns)
        for isbn in each.isbns:
            bearers[isbn].append(each)
    found = {}
    for isbn, features in bearers.items():
        volumes = {each.volume for each in features if not each.parts} - {""} if len(features) > 1 else ()
        if isbn in of_sets or len(volumes) > 1 or len(features) > CROWD:
            found[isbn] = "suspect"
        elif volumes and any(each.is_set for each in features):
            found[isbn] = "listed"
    return found


def _pair(first: str, second: str) -> Pair:
    return (first, second) if first < second else (second, first)
