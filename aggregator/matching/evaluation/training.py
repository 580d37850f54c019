"""Learn weights from labelled pairs: regularised logistic regression over patterns of outcomes. No files, no records.

Pairs with the same outcomes form one pattern, so a hundred thousand pairs are a few thousand rows and plain Python is
fast enough. Newton's method (iteratively reweighted least squares) with a ridge penalty on all weights but the bias.

Weights are bounded (see `bounds`): agreement never subtracts and disagreement never adds, whatever the labelled pairs
say, because pairs are not drawn at random: most of those that agree in an author are volumes of one work.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from aggregator.matching.evaluation.bounds import UNBOUNDED, bounds_of

RuleOutcome = tuple[str, str]  # rule, outcome
Pattern = tuple[RuleOutcome, ...]
Counts = tuple[float, float]  # different pairs, same pairs
_STEPS, _STEP_DONE = 60, 1e-4
_LARGEST = 30.0  # log odds; beyond this the probability is 1 in floating point anyway


def count_patterns(pairs: Iterable[tuple[Pattern, bool]]) -> dict[Pattern, Counts]:
    """How often each pattern occurred with different and with same records."""
    counts: dict[Pattern, list[int]] = {}
    for outcomes, same in pairs:
        counts.setdefault(outcomes, [0, 0])[same] += 1
    return {outcomes: (count[0], count[1]) for outcomes, count in counts.items()}


def mix(parts: Iterable[tuple[Mapping[Pattern, Counts], float]]) -> dict[Pattern, Counts]:
    """Add up counted patterns of several kinds of data. parts: the patterns, and how much one of their pairs counts."""
    total: dict[Pattern, Counts] = {}
    for counted, worth in parts:
        for pattern, (different, same) in counted.items():
            before = total.get(pattern, (0.0, 0.0))
            total[pattern] = before[0] + worth * different, before[1] + worth * same
    return total


def fit(counted: Mapping[Pattern, Counts], ridge: float = 1.0) -> tuple[dict[RuleOutcome, float], float]:
    """Return (weights of the outcomes, bias). Deterministic; the order of the patterns does not matter."""
    names = sorted({outcome for outcomes in counted for outcome in outcomes})
    places = {name: place for place, name in enumerate(names)}
    rows = [
        ([*[places[outcome] for outcome in outcomes], len(names)], *counted[outcomes]) for outcomes in sorted(counted)
    ]
    limits = [*[bounds_of(name) for name in names], UNBOUNDED]
    weights = [min(max(0.0, low), high) for low, high in limits]
    for _ in range(_STEPS):
        changed = _step(rows, weights, limits, ridge)
        done = max(abs(new - old) for new, old in zip(changed, weights, strict=True)) < _STEP_DONE
        weights = changed
        if done:
            break
    return dict(zip(names, weights, strict=False)), weights[-1]


def _step(
    rows: Sequence[tuple[list[int], float, float]],
    weights: Sequence[float],
    limits: Sequence[tuple[float, float]],
    ridge: float,
) -> list[float]:
    """One step of Newton's method. A weight at its limit stays there as long as the data push it outwards."""
    curvature, gradient = _curvature_and_gradient(rows, weights, ridge)
    for place, (low, high) in enumerate(limits):
        pushed_down, pushed_up = (
            weights[place] <= low and gradient[place] < 0,
            weights[place] >= high and gradient[place] > 0,
        )
        if pushed_down or pushed_up:
            for other in range(len(weights)):
                curvature[place][other] = curvature[other][place] = 0.0
            curvature[place][place], gradient[place] = 1.0, 0.0
    step = _solve_equations(curvature, gradient)
    return [
        min(max(weight + change, low), high) for weight, change, (low, high) in zip(weights, step, limits, strict=True)
    ]


def _curvature_and_gradient(
    rows: Sequence[tuple[list[int], float, float]], weights: Sequence[float], ridge: float
) -> tuple[list[list[float]], list[float]]:
    """Curvature and gradient of the penalised log likelihood; the bias is last and not penalised."""
    size = len(weights)
    gradient = [-ridge * weight for weight in weights[:-1]] + [0.0]
    curvature = [[0.0] * size for _ in range(size)]
    for place in range(size):
        curvature[place][place] = ridge if place < size - 1 else 1e-6
    for places, different, same in rows:
        total = sum([weights[place] for place in places])
        chance = 1 / (1 + math.exp(-max(-_LARGEST, min(_LARGEST, total))))
        residual, variance = same - (same + different) * chance, (same + different) * chance * (1 - chance)
        for place in places:
            gradient[place] += residual
            row = curvature[place]
            for other in places:
                row[other] += variance
    return curvature, gradient


def _solve_equations(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Solve matrix · x = right by elimination with the largest pivot. Modifies the matrix."""
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
    solution = [0.0] * size
    for column in reversed(range(size)):
        partial = sum([rows[column][place] * solution[place] for place in range(column + 1, size)])
        solution[column] = (rows[column][size] - partial) / rows[column][column]
    return solution


def fold_of(family: str, folds: int) -> int:
    """The fold of a family: evenly distributed, the same in every process and order."""
    total = 0
    for byte in family.encode():
        total = (total * 31 + byte) % 1_000_003
    return total % folds
