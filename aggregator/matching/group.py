"""The partition of one neighbourhood into groups, with each member's strongest link. Pure and deterministic.

The result depends on the members alone, not on their order: it can be solved again after every change, and a
record that changed or went needs no un-merging. Clusters, not connected components: a chain of good links must not
bring together two records that contradict each other.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from aggregator.matching.compare import FINDINGS, Finding, compare
from aggregator.matching.decide import score
from aggregator.matching.features import Features
from aggregator.matching.keys import CROWD, match_keys
from aggregator.matching.model import MODEL, Evidence

_STAFF_SAME = Evidence("staff", "same", 100.0)


class StaffDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What staff ruled about two public ids."""

    first: str
    second: str
    same: bool


class Link(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A member and the member that holds it in the group most strongly; linked_to is "" when it is alone."""

    id: str
    linked_to: str = ""
    score: float = 0.0
    evidence: tuple[Evidence, ...] = ()


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Descriptions of one book, in the order of their ids."""

    members: tuple[Link, ...]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Weights and thresholds (see `model`); floor: a pair below it keeps two clusters apart even without a veto."""

    findings: Mapping[Finding, Evidence] = msgspec.field(default_factory=lambda: FINDINGS)
    join: float = MODEL.join
    review: float = MODEL.review
    floor: float = MODEL.floor


def solve(
    members: Mapping[str, Features],
    decisions: Iterable[StaffDecision] = (),
    keys: Mapping[str, Collection[int]] | None = None,
    suspect: Mapping[str, str] | None = None,
    rules: Rules = Rules(),  # noqa: B008  frozen
) -> tuple[Group, ...]:
    """Partition the members; every member stands in exactly one group. keys: their match keys, where known.

    1. Pairs that staff call the same are joined first. 2. Then pairs that share a key, the best first, unless the
    clusters hold a pair that contradicts. Pairs that staff call different never stand in one group.

    suspect: `suspect_isbns` of everybody who bears an ISBN of these members; None: nobody outside bears one.

    What the result depends on. Clusters grow only along pairs that share a key and reach `rules.join`, or that staff
    call the same; every other comparison is between members of two clusters that such a pair would unite, and no
    other cluster is looked at. So the groups of a member depend on the records that it reaches by such pairs, on
    staff's rulings about these, and on `suspect`; on nothing else, and not on any order. Whoever solves a component
    closed under a wider relation (pairs at `rules.review`, shared keys) gets the same groups. A record outside the
    component can change them in one way only: by making an ISBN suspect. When it does, every bearer of the ISBN has
    to be compared again.
    """
    if len(members) == 1:
        return tuple(Group(members=(Link(id=each),)) for each in members)
    clusters = _Clusters(members, list(decisions), keys or {}, suspect, rules)
    for first, second in clusters.ruled_same:
        clusters.join(first, second, ruled=True)
    for first, second in clusters.edges():
        clusters.join(first, second)
    return clusters.groups()


class _Clusters:
    """A partition that grows by joining; comparisons are made once."""

    def __init__(
        self,
        members: Mapping[str, Features],
        decisions: Sequence[StaffDecision],
        keys: Mapping[str, Collection[int]],
        suspect: Mapping[str, str] | None,
        rules: Rules,
    ) -> None:
        self._members = members
        self._keys = keys
        self._rules = rules
        self._suspect = suspect_isbns(members.values()) if suspect is None else suspect
        self._compared: dict[tuple[str, str], tuple[Evidence, ...]] = {}
        self._cluster = {each: [each] for each in sorted(members)}
        inside = [each for each in decisions if each.first in members and each.second in members]
        self.ruled_same = sorted({_pair(each.first, each.second) for each in inside if each.same})
        self._ruled_different = {_pair(each.first, each.second) for each in inside if not each.same}

    def edges(self) -> list[tuple[str, str]]:
        """Pairs that share a key and reach the threshold, the strongest first, ties by their ids."""
        scores = {pair: score(self._evidence(pair)) for pair in _candidates(self._members, self._keys)}
        return sorted(
            (pair for pair, each in scores.items() if each >= self._rules.join), key=lambda pair: (-scores[pair], pair)
        )

    def join(self, first: str, second: str, *, ruled: bool = False) -> None:
        """Unite the clusters of two members, unless a pair across them contradicts."""
        left, right = self._cluster[first], self._cluster[second]
        if left is right:
            return
        across = [_pair(one, other) for one in left for other in right]
        if not self._ruled_different.isdisjoint(across):
            return
        if not ruled and not self._supported(across):
            return
        left += right
        for each in right:
            self._cluster[each] = left

    def _supported(self, across: Sequence[tuple[str, str]]) -> bool:
        """No pair contradicts, and half of them would join by themselves."""
        scores = [score(self._evidence(pair)) for pair in across]
        return min(scores) >= self._rules.floor and 2 * sum(each >= self._rules.join for each in scores) >= len(scores)

    def groups(self) -> tuple[Group, ...]:
        clusters = {id(each): sorted(each) for each in self._cluster.values()}
        return tuple(
            Group(members=tuple(self._link(each, cluster) for each in cluster)) for cluster in sorted(clusters.values())
        )

    def _link(self, member: str, cluster: Sequence[str]) -> Link:
        """The strongest link of a member to another of its cluster; staff's ruling is stronger than any."""
        best = Link(id=member)
        for other in cluster:
            if other == member:
                continue
            pair = _pair(member, other)
            evidence = (_STAFF_SAME,) if pair in self.ruled_same else self._evidence(pair)
            total = score(evidence)
            if not best.linked_to or total > best.score:
                best = Link(id=member, linked_to=other, score=total, evidence=evidence)
        return best

    def _evidence(self, pair: tuple[str, str]) -> tuple[Evidence, ...]:
        if pair not in self._compared:
            first, second = (self._members[each] for each in pair)
            self._compared[pair] = compare(first, second, self._suspect, self._rules.findings)
        return self._compared[pair]


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
        volumes = {each.volume for each in features if not each.part} - {""} if len(features) > 1 else ()
        if isbn in of_sets or len(volumes) > 1 or len(features) > CROWD:
            found[isbn] = "suspect"
        elif volumes and any(each.is_set for each in features):
            found[isbn] = "listed"
    return found


def _candidates(members: Mapping[str, Features], keys: Mapping[str, Collection[int]]) -> list[tuple[str, str]]:
    """The pairs that share a key, in order."""
    holders: defaultdict[int, list[str]] = defaultdict(list)
    for each in sorted(members):
        for key in keys[each] if each in keys else match_keys(members[each]):
            holders[key].append(each)
    return sorted({pair for each in holders.values() for pair in combinations(each, 2)})


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first < second else (second, first)
