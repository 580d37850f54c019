"""Why records are in one group or in different groups, as `compare` sees them. The words are in `explain`.

Uses the same features, weights and thresholds as the matcher. Decides nothing.
"""

from collections.abc import Collection, Iterator, Mapping

import msgspec

from aggregator.matching.comparison.compare import NO_SUSPECTS, compare
from aggregator.matching.comparison.decide import JOIN, score
from aggregator.matching.comparison.weights import MODEL, Evidence
from aggregator.matching.features.row import Features
from aggregator.matching.groups.solve import STAFF, surplus

type Pair = tuple[str, str]  # of public ids


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison of two records. score: the sum of the weights; see `decide`."""

    first: str
    second: str
    score: float
    evidence: tuple[Evidence, ...]

    @property
    def joins(self) -> bool:
        """Whether the two would be grouped if there were no other records."""
        return self.score >= JOIN

    @property
    def vetoes(self) -> tuple[Evidence, ...]:
        return tuple(item for item in self.evidence if item.vetoes)

    @property
    def missing(self) -> float:
        """The points that the two lack to be grouped; 0 where they lack none or a veto forbids it."""
        return 0.0 if self.joins or self.vetoes else round(JOIN - self.score, 2)


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How one record of a group is connected with another.

    direct: the comparison of the two. steps: the links that connect them, through other records if the two alone would
    not be grouped.
    """

    to: str
    direct: Step
    steps: tuple[Step, ...]

    @property
    def indirect(self) -> bool:
        return len(self.steps) > 1

    @property
    def weakest(self) -> Step:
        """The weakest link of the way, the first of equal ones."""
        return min(self.steps, key=lambda step: step.score)


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    """Why two records are in different groups.

    against: pairs across the two groups that contradict, the worst first. pairs: how many pairs across there are;
    support: how many of them score high enough to be grouped. missing: the points that a pair across lacks on average
    for the groups to be united (see `surplus`); 0 where points are not the reason.
    """

    step: Step
    against: tuple[Step, ...] = ()
    support: int = 0
    pairs: int = 0
    missing: float = 0.0


def make_step(
    first: str,
    second: str,
    members: Mapping[str, Features],
    suspect: Mapping[str, str] = NO_SUSPECTS,
    same: Collection[Pair] = (),
) -> Step:
    """Compare two of the members. suspect: see `suspect_isbns`. same: pairs, in order, that staff joined."""
    pair = (first, second) if first < second else (second, first)
    evidence = STAFF if pair in same else compare(members[first], members[second], suspect)
    return Step(first=first, second=second, score=score(evidence), evidence=evidence)


def find_ways(
    start: str,
    members: Mapping[str, Features],
    suspect: Mapping[str, str] = NO_SUSPECTS,
    same: Collection[Pair] = (),
) -> tuple[Way, ...]:
    """The ways from one record of a group to every other, sorted by id.

    The direct step if the two would be grouped by it alone, else the path whose weakest link is the strongest. Compares
    every pair once, so it is for groups of tens of records.
    """
    came_by: dict[str, Step] = {}
    best: dict[str, Step] = {}  # record not reached yet -> the strongest step to it from a reached one
    direct: dict[str, Step] = {}
    reached, unreached = start, set(members) - {start}
    while unreached:
        for other in unreached:
            link = make_step(reached, other, members, suspect, same)
            if reached == start:
                direct[other] = link
            if other not in best or link.score > best[other].score:
                best[other] = link
        reached = min(unreached, key=lambda name: (-best[name].score, name))
        came_by[reached] = best[reached]
        unreached.remove(reached)
    return tuple(_way(direct[name], came_by) for name in sorted(came_by))


def _way(direct: Step, came_by: Mapping[str, Step]) -> Way:
    """The way to the second record of `direct`, a comparison with the start. came_by: record -> the step by which it is
    reached; the steps form a maximum spanning tree, so the weakest link of a path is as strong as possible.
    """
    if direct.joins:
        return Way(to=direct.second, direct=direct, steps=(direct,))
    back = [came_by[direct.second]]
    while back[-1].first != direct.first:
        back.append(came_by[back[-1].first])
    return Way(to=direct.second, direct=direct, steps=tuple(reversed(back)))


def why_apart(
    first: str,
    second: str,
    one: Mapping[str, Features],
    other: Mapping[str, Features],
    suspect: Mapping[str, str] = NO_SUSPECTS,
) -> Apart:
    """Why two records of different groups are not grouped together. one, other: their groups. Ignores staff's
    rulings.

    Two records that would be grouped by themselves may be in different groups because of other records in these groups:
    see `groups.solve`.
    """
    direct = make_step(first, second, {**one, **other}, suspect)
    if not direct.joins:
        return Apart(step=direct)
    across = list(_steps_across(one, other, suspect))
    against = sorted(
        (step for step in across if step.score < MODEL.floor), key=lambda step: (step.score, step.first, step.second)
    )
    average_lack = -surplus((step.score for step in across), JOIN) / len(across)
    return Apart(
        step=direct,
        against=tuple(against),
        support=sum(step.joins for step in across),
        pairs=len(across),
        missing=max(0.0, round(average_lack, 2)),
    )


def _steps_across(
    one: Mapping[str, Features], other: Mapping[str, Features], suspect: Mapping[str, str]
) -> Iterator[Step]:
    members = {**one, **other}
    for left in sorted(one):
        for right in sorted(other):
            yield make_step(left, right, members, suspect)
