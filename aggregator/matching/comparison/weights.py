"""The learned weights and thresholds, read once from model.json. Pure; knows no rule and no record.

Weights are log odds that add up: score = sum of the weights of all outcomes; the probability that two records are
the same is 1 / (1 + e^-(score + bias)). `manage.py train` makes the file (see `training`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

VETO = -100.0
FILE = Path(__file__).with_name("model.json")


class Evidence(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one rule found. weight: added to the score; VETO or less forbids joining."""

    rule: str
    outcome: str
    weight: float

    @property
    def vetoes(self) -> bool:
        """Whether the two cannot be the same, whatever else agrees."""
        return self.weight <= VETO


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """version: of the shape of the file. features: `features.VERSION` of the records that it was learned from.

    weights: rule → outcome → weight; a veto has none. certain, join, review, floor: scores.

    certain: from here on a pair needs nobody to look at it. join: from here on a pair holds a group together. review:
    from here on a person should look. floor: no two members of a group score less. trained: on what, by what command,
    with which result.
    """

    version: int
    features: int
    weights: dict[str, dict[str, float]]
    bias: float
    certain: float
    join: float
    review: float
    floor: float
    trained: dict[str, Any] = {}

    def findings(self, vetoes: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], Evidence]:
        """(rule, outcome) → what it says, with the vetoes."""
        weighed = {(rule, outcome): weight for rule, each in self.weights.items() for outcome, weight in each.items()}
        return {finding: Evidence(*finding, weight) for finding, weight in {**weighed, **vetoes}.items()}


def read_model(path: Path = FILE) -> Model:
    """Raises msgspec.DecodeError for what is no model."""
    return msgspec.json.decode(path.read_bytes(), type=Model)


MODEL = read_model()
