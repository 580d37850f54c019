"""Scores as probabilities: isotonic regression on labelled pairs that were not used to learn the weights.

The sum of the weights would give a probability directly only if outcomes were independent. So this module measures how
often two records with a score were the same (pool adjacent violators; Ayer et al. 1955), in two ways: as a curve with
as many points as the data allow, by which questions are weighed against each other, and in steps of so many pairs that
the probability of each is known well enough to be shown to people.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import msgspec

Scored = tuple[float, bool, float]  # score, whether the two are the same, how much the pair counts
Points = tuple[tuple[float, float], ...]  # score, probability
_WIDTH, _LEAST = 0.6, 60.0  # of a bin of the curve: its width in points of the score, and the least pairs in it
_LEAST_IN_STEP = 300.0  # pairs, which tell a probability to about .05; fewer where there are few in all:
_STEPS_OF_FEW = 10


class Tenth(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs whose stated probability lies in one tenth of the scale. stated: its mean. true: the share of these
    pairs that are the same.
    """

    pairs: int
    stated: float
    true: float

    @property
    def margin(self) -> float:
        """Half the width of the 95 % confidence interval of `true` (Agresti and Coull 1998), as if every pair were
        drawn by itself.
        """
        pairs = self.pairs + 4
        share = (self.true * self.pairs + 2) / pairs
        return round(1.96 * sqrt(share * (1 - share) / pairs), 3)


def chances(scored: Iterable[Scored]) -> Points:
    """Points (score, probability), both rising: the curve by which scores become probabilities."""
    pools: list[list[float]] = []  # weight, weighted scores, weight of the pairs that are the same
    for part in _bins(scored):
        pools.append(part)
        while len(pools) > 1 and pools[-2][2] * pools[-1][0] >= pools[-1][2] * pools[-2][0]:
            last = pools.pop()
            pools[-1] = [one + other for one, other in zip(pools[-1], last, strict=True)]
    points = tuple((round(scores / weight, 2), round(same / weight, 4)) for weight, scores, same in pools)
    return points or ((0.0, 0.5),)


def _bins(scored: Iterable[Scored]) -> list[list[float]]:
    bins: list[list[float]] = []
    start = 0.0
    for score, same, weight in sorted(scored):
        if not bins or score - start >= _WIDTH and bins[-1][0] >= _LEAST:
            bins.append([0.0, 0.0, 0.0])
            start = score
        bins[-1] = [bins[-1][0] + weight, bins[-1][1] + weight * score, bins[-1][2] + weight * same]
    return bins


def steps(scored: Iterable[Scored]) -> Points:
    """Points (score, probability), both rising: the probabilities that are shown, in steps.

    Each step has two points: at its lowest score, and where the next one begins.
    """
    pools: list[_Step] = []
    for step in _narrow_steps(sorted(scored)):
        pools.append(step)
        while len(pools) > 1 and pools[-2].chance >= pools[-1].chance:
            last = pools.pop()
            pools[-1] = pools[-1].with_next(last)
    ends = [step.lowest for step in pools[1:]] + [step.highest for step in pools[-1:]]
    points = [
        (round(score, 2), round(step.chance, 4))
        for step, end in zip(pools, ends, strict=True)
        for score in (step.lowest, end)
    ]
    return tuple(dict.fromkeys(points)) or ((0.0, 0.5),)


class _Step(msgspec.Struct, frozen=True):
    """Pairs with neighbouring scores. pairs, same: how much all of them count, and those that are the same."""

    lowest: float
    highest: float
    pairs: float
    same: float

    @property
    def chance(self) -> float:
        return self.same / self.pairs

    def with_next(self, other: "_Step") -> "_Step":
        return _Step(self.lowest, other.highest, self.pairs + other.pairs, self.same + other.same)


def _narrow_steps(scored: Sequence[Scored]) -> list[_Step]:
    """The pairs in steps of at least _LEAST_IN_STEP. Pairs with the same score are in one step. scored: in order."""
    least = min(_LEAST_IN_STEP, sum(weight for _, _, weight in scored) / _STEPS_OF_FEW)
    found: list[_Step] = []
    for score, same, weight in scored:
        pair = _Step(score, score, weight, weight * same)
        if not found or found[-1].pairs >= least and score > found[-1].highest:
            found.append(pair)
        else:
            found[-1] = found[-1].with_next(pair)
    if len(found) > 1 and found[-1].pairs < least:
        last = found.pop()
        found[-1] = found[-1].with_next(last)
    return found


def tenths(stated: Sequence[tuple[float, bool]]) -> list[Tenth]:
    """By tenths of the stated probability, how many pairs were the same. stated: (probability, same)."""
    result = []
    for number in range(10):
        part = [(chance, same) for chance, same in stated if min(int(chance * 10), 9) == number]
        if part:
            result.append(
                Tenth(
                    pairs=len(part),
                    stated=round(sum(chance for chance, _ in part) / len(part), 3),
                    true=round(sum(same for _, same in part) / len(part), 3),
                )
            )
    return result
