"""Weights from labelled pairs: regularised logistic regression over patterns of outcomes. Pure; no file, no record.

Pairs with the same outcomes are one pattern, so a hundred thousand pairs are a few thousand rows and plain Python
is enough. Newton's method (iteratively reweighted least squares) with a ridge penalty on all weights but the bias.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

Finding = tuple[str, str]  # rule, outcome
Pattern = tuple[Finding, ...]
Counts = tuple[int, int]  # pairs that are different, pairs that are the same
_STEPS, _STEP_DONE = 30, 1e-4
_LARGEST = 30.0  # log odds; more is certainty in a float as well


def patterns(pairs: Iterable[tuple[Pattern, bool]]) -> dict[Pattern, Counts]:
    """How often each pattern was met with different and with same records."""
    found: dict[Pattern, list[int]] = {}
    for outcomes, same in pairs:
        found.setdefault(outcomes, [0, 0])[same] += 1
    return {outcomes: (count[0], count[1]) for outcomes, count in found.items()}


def fit(counted: Mapping[Pattern, Counts], ridge: float = 1.0) -> tuple[dict[Finding, float], float]:
    """(weights of the outcomes, bias). Deterministic; the order of the patterns does not matter."""
    names = sorted({each for outcomes in counted for each in outcomes})
    places = {name: place for place, name in enumerate(names)}
    rows = [([*[places[each] for each in outcomes], len(names)], *counted[outcomes]) for outcomes in sorted(counted)]
    weights = [0.0] * (len(names) + 1)
    for _ in range(_STEPS):
        step = _solved(*_slopes(rows, weights, ridge))
        weights = [weight + each for weight, each in zip(weights, step, strict=True)]
        if max(map(abs, step)) < _STEP_DONE:
            break
    return dict(zip(names, weights, strict=False)), weights[-1]


def _slopes(
    rows: Sequence[tuple[list[int], int, int]], weights: Sequence[float], ridge: float
) -> tuple[list[list[float]], list[float]]:
    """Curvature and gradient of the penalised log likelihood; the bias stands last and is not penalised."""
    size = len(weights)
    gradient = [-ridge * weight for weight in weights[:-1]] + [0.0]
    curvature = [[0.0] * size for _ in range(size)]
    for place in range(size):
        curvature[place][place] = ridge if place < size - 1 else 1e-6
    for places, different, same in rows:
        total = sum([weights[place] for place in places])
        chance = 1 / (1 + math.exp(-max(-_LARGEST, min(_LARGEST, total))))
        rest, bend = same - (same + different) * chance, (same + different) * chance * (1 - chance)
        for place in places:
            gradient[place] += rest
            row = curvature[place]
            for other in places:
                row[other] += bend
    return curvature, gradient


def _solved(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """x of matrix · x = right, by elimination with the largest pivot. The matrix is used up."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        top = rows[column]
        for below in rows[column + 1 :]:
            share = below[column] / top[column]
            if share:
                for place in range(column, size + 1):
                    below[place] -= share * top[place]
    found = [0.0] * size
    for column in reversed(range(size)):
        known = sum([rows[column][place] * found[place] for place in range(column + 1, size)])
        found[column] = (rows[column][size] - known) / rows[column][column]
    return found


def fold_of(family: str, folds: int) -> int:
    """The fold of a family: spread evenly, the same in every process and for every order."""
    total = 0
    for byte in family.encode():
        total = (total * 31 + byte) % 1_000_003
    return total % folds
