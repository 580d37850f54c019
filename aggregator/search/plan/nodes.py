"""The parts of a plan: which terms are looked for in which fields, how they are combined, and what they score.

A term scores by BM25 (k1 = 1.2, b = 0.75), as do adjacent terms; what a part of another kind scores is said there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Wild(Enum):
    """A wildcard of a pattern: any number of characters, or one."""

    ANY = "*"
    ONE = "?"


class Term(NamedTuple):
    """Documents with this term in this field."""

    field: str
    value: str | int


class OneOf(NamedTuple):
    """Documents with at least one of these terms in this field. Scores nothing of its own."""

    field: str
    values: tuple[str | int, ...]


class Adjacent(NamedTuple):
    """Documents with these terms at these distances from each other. terms: pairs of position and term."""

    field: str
    terms: tuple[tuple[int, str], ...]


class Like(NamedTuple):
    """Documents with a term that fits a pattern: texts to take literally, and wildcards.

    alphanumeric: the wildcards only stand for small Latin letters and digits.
    """

    field: str
    pieces: tuple[str | Wild, ...]
    alphanumeric: bool = False


class Near(NamedTuple):
    """Documents with a term that differs by at most so many letters. beginning: or whose beginning does."""

    field: str
    text: str
    errors: int
    beginning: bool = False


class Between(NamedTuple):
    """Documents with a number in this range, both ends included. last: None = open."""

    field: str
    first: int
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Everything:
    """All documents."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """No document."""


class Best(NamedTuple):
    """Documents that fit one of the alternatives; the best score counts fully, each other one a tenth."""

    of: "tuple[Plan, ...]"


class Both(NamedTuple):
    """Documents that fit all of `must` and none of `must_not`; the scores of `must` and `should` are added.

    least: how many of `should` must fit.
    """

    must: "tuple[Plan, ...]" = ()
    should: "tuple[Plan, ...]" = ()
    must_not: "tuple[Plan, ...]" = ()
    least: int = 0


class Constant(NamedTuple):
    """What fits has this score."""

    of: "Plan"
    score: float = 0.0


class Weighted(NamedTuple):
    """The score is multiplied by the factor."""

    of: "Plan"
    factor: float


type Plan = Term | OneOf | Adjacent | Like | Near | Between | Everything | Nothing | Best | Both | Constant | Weighted


def best_of(alternatives: "Sequence[Plan]") -> Plan:
    """Return a plan for any of the alternatives."""
    if not alternatives:
        return Nothing()
    return alternatives[0] if len(alternatives) == 1 else Best(tuple(alternatives))


def all_of(plans: "Sequence[Plan]") -> Plan:
    """Return a plan for what fits all of the plans, of which there is at least one."""
    return plans[0] if len(plans) == 1 else Both(must=tuple(plans))


def without(plan: Plan, unwanted: "Sequence[Plan]") -> Plan:
    """Return a plan for what fits the plan and none of the unwanted ones."""
    return Both(must=(plan,), must_not=tuple(unwanted)) if unwanted else plan
