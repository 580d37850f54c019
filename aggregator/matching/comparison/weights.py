"""The learned weights and thresholds, read once from model.json.

Weights are log odds and are summed up: score = sum of the weights of all outcomes; the probability that two records
are the same is 1 / (1 + e^-(score + bias)). `manage.py train` writes the file (see `evaluation.training`).
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Any

import msgspec

VETO = -100.0
LIMIT_BELOW = 0.01  # by how much the highest score of a limited pair lies below a threshold; see `limits`
# The highest score of a pair whose titles differ: it is never certain.
TITLE_LIMIT = ("limit", "title")
NEVER_CERTAIN = frozenset((("title", "subtitle_differs"), ("title", "overlapping"), ("title", "contained")))
# The highest score of a pair in which hardly anything but the title agrees: it is not grouped for its own sake, but it
# contradicts nothing, so it does not part two records that others bring together.
NO_SUPPORT = ("support", "none")
LIMITS = dict.fromkeys(NEVER_CERTAIN, TITLE_LIMIT) | {NO_SUPPORT: NO_SUPPORT}  # outcome -> its limit
FILE = Path(__file__).with_name("model.json")


class Evidence(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The result of one rule. weight: added to the score; VETO or less forbids grouping."""

    rule: str
    outcome: str
    weight: float

    @property
    def vetoes(self) -> bool:
        """Whether the two cannot be the same, even if everything else agrees."""
        return self.weight <= VETO


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of model.json.

    version: of the file's structure. features: `features.row.VERSION` of the records that it was learned from.
    weights: rule → outcome → weight; a veto has none. certain, join, review, floor: scores. certain: from here on no
    person needs to look at a pair. join: from here on a pair holds a group together. review: from here on a person
    should look. floor: a pair with a lower score contradicts, see `groups.solve`. chances: points (score, probability
    that two records with this score are the same) by which a score becomes a probability, both rising; stated: the
    same in steps (see `evaluation.calibration`), as people are told. trained: the data, the command and the result.
    """

    version: int
    features: int
    weights: dict[str, dict[str, float]]
    bias: float
    certain: float
    join: float
    review: float
    floor: float
    chances: tuple[tuple[float, float], ...] = ()
    stated: tuple[tuple[float, float], ...] = ()
    trained: dict[str, Any] = {}

    def chance(self, score: float) -> float:
        """The probability that two records with this score are the same, as measured on records that were not used to
        learn the weights.
        """
        return chance_of(score, self.chances) if self.chances else 1 / (1 + exp(-(score + self.bias)))

    def stated_chance(self, score: float) -> float:
        """`chance` as people are told it: in steps, because it was not measured more finely."""
        return chance_of(score, self.stated) if self.stated else self.chance(score)

    def evidence_by_outcome(self, vetoes: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], Evidence]:
        """(rule, outcome) → evidence, including the vetoes and limits."""
        weights = {
            (rule, outcome): weight for rule, outcomes in self.weights.items() for outcome, weight in outcomes.items()
        }
        weights |= {**limits(self.certain, self.review), **vetoes}
        return {rule_outcome: Evidence(*rule_outcome, weight) for rule_outcome, weight in weights.items()}


def limits(certain: float, review: float) -> dict[tuple[str, str], float]:
    """The highest scores of pairs with an outcome of LIMITS, given the thresholds."""
    return {TITLE_LIMIT: certain - LIMIT_BELOW, NO_SUPPORT: review - LIMIT_BELOW}


def chance_of(score: float, points: Sequence[tuple[float, float]]) -> float:
    """The probability at a score, interpolated between points (score, probability), which both rise. Beyond the points
    it is that of the nearest one.
    """
    place = bisect_right(points, score, key=lambda point: point[0])
    if not 0 < place < len(points):
        return points[min(place, len(points) - 1)][1]
    (before, low), (after, high) = points[place - 1], points[place]
    return low + (high - low) * (score - before) / (after - before)


def read_model(path: Path = FILE) -> Model:
    """Read a model file. Raises msgspec.DecodeError if it is not a model."""
    return msgspec.json.decode(path.read_bytes(), type=Model)


MODEL = read_model()
