"""Scores as probabilities: isotonic regression on labelled pairs that were not used to learn the weights.

The sum of the weights would give a probability directly only if outcomes were independent. So this module measures how
often two records with a score were the same (pool adjacent violators; Ayer et al. 1955), in as many points as the data
allow.
"""

from collections.abc import Iterable, Sequence

import msgspec

Scored = tuple[float, bool, float]  # score, whether the two are the same, how much the pair counts
_WIDTH, _LEAST = 0.6, 60.0  # of a bin: its width in points of the score, and the least pairs in it


class Tenth(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs whose stated probability lies in one tenth of the scale. stated: its mean. true: the share of these
    pairs that are the same.
    """

    pairs: int
    stated: float
    true: float


def chances(scored: Iterable[Scored]) -> tuple[tuple[float, float], ...]:
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
