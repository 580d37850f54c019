"""Why records stand together, and why they stand apart, on top of `compare`. Pure; words are in `explain`.

What is told is what the matcher goes by: the same features, weights and thresholds. Nothing here decides anything.
"""

from collections.abc import Collection, Iterator, Mapping

import msgspec

from aggregator.matching.comparison.compare import NO_SUSPECTS, compare
from aggregator.matching.comparison.decide import JOIN, score
from aggregator.matching.comparison.weights import MODEL, Evidence
from aggregator.matching.features.row import Features
from aggregator.matching.groups.solve import STAFF, surplus

type Pair = tuple[str, str]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Two records beside each other. score: the sum of the weights; see `decide`."""

    first: str
    second: str
    score: float
    evidence: tuple[Evidence, ...]

    @property
    def joins(self) -> bool:
        """Whether the two would stand together if there were nobody else."""
        return self.score >= JOIN

    @property
    def vetoes(self) -> tuple[Evidence, ...]:
        return tuple(each for each in self.evidence if each.vetoes)

    @property
    def missing(self) -> float:
        """The points that the two lack to stand together; 0 where they lack none or a veto says no."""
        return 0.0 if self.joins or self.vetoes else round(JOIN - self.score, 2)


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How a record of a group hangs together with another. direct: the two by themselves. steps: how they come
    together, through others where they do not by themselves.
    """

    to: str
    direct: Step
    steps: tuple[Step, ...]

    @property
    def indirect(self) -> bool:
        return len(self.steps) > 1

    @property
    def weakest(self) -> Step:
        """The link that the way hangs by, the first of equal ones."""
        return min(self.steps, key=lambda each: each.score)


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    """Why two records stand in different groups. against: pairs across the two groups that contradict, the worst
    first. support, pairs: of the pairs across, how many would join. missing: the points that such a pair lacks on
    average before the groups are one (see `surplus`); 0 where it is not for want of points.
    """

    step: Step
    against: tuple[Step, ...] = ()
    support: int = 0
    pairs: int = 0
    missing: float = 0.0


def step(
    first: str,
    second: str,
    members: Mapping[str, Features],
    suspect: Mapping[str, str] = NO_SUSPECTS,
    same: Collection[Pair] = (),
) -> Step:
    """Two of the members beside each other. suspect: see `suspect_isbns`. same: pairs, in order, that staff joined."""
    pair = (first, second) if first < second else (second, first)
    evidence = STAFF if pair in same else compare(members[first], members[second], suspect)
    return Step(first=first, second=second, score=score(evidence), evidence=evidence)


def ways(
    start: str,
    members: Mapping[str, Features],
    suspect: Mapping[str, str] = NO_SUSPECTS,
    same: Collection[Pair] = (),
) -> tuple[Way, ...]:
    """From one record of a group to each other one, by their ids: the direct step where it joins the two, else the
    path whose weakest link is the strongest.

    It compares each pair once, so it is for groups of tens.
    """
    came: dict[str, Step] = {}
    best: dict[str, Step] = {}  # of those not reached yet: the strongest step to them from those that are
    direct: dict[str, Step] = {}
    here, left = start, set(members) - {start}
    while left:
        for other in left:
            link = step(here, other, members, suspect, same)
            if here == start:
                direct[other] = link
            if other not in best or link.score > best[other].score:
                best[other] = link
        here = min(left, key=lambda each: (-best[each].score, each))
        came[here] = best[here]
        left.remove(here)
    return tuple(_way(direct[each], came) for each in sorted(came))


def _way(direct: Step, came: Mapping[str, Step]) -> Way:
    """came: record -> the step by which it is reached; the strongest tree of all, so its paths are the strongest."""
    if direct.joins:
        return Way(to=direct.second, direct=direct, steps=(direct,))
    back = [came[direct.second]]
    while back[-1].first != direct.first:
        back.append(came[back[-1].first])
    return Way(to=direct.second, direct=direct, steps=tuple(reversed(back)))


def apart(
    first: str,
    second: str,
    one: Mapping[str, Features],
    other: Mapping[str, Features],
    suspect: Mapping[str, str] = NO_SUSPECTS,
) -> Apart:
    """Why two records of different groups do not stand together. one, other: the groups; what staff ruled is not seen.

    Records that would join by themselves are kept apart by others of their groups: see `group`.
    """
    own = step(first, second, {**one, **other}, suspect)
    if not own.joins:
        return Apart(step=own)
    across = list(_across(one, other, suspect))
    against = sorted(
        (each for each in across if each.score < MODEL.floor), key=lambda each: (each.score, each.first, each.second)
    )
    lacking = -surplus((each.score for each in across), JOIN) / len(across)
    return Apart(
        step=own,
        against=tuple(against),
        support=sum(each.joins for each in across),
        pairs=len(across),
        missing=max(0.0, round(lacking, 2)),
    )


def _across(one: Mapping[str, Features], other: Mapping[str, Features], suspect: Mapping[str, str]) -> Iterator[Step]:
    members = {**one, **other}
    for left in sorted(one):
        for right in sorted(other):
            yield step(left, right, members, suspect)
