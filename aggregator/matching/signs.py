"""Evidence as signs that two records describe the same book or different ones: a table of the outcomes.

The weights are learned together, so the weight of a sign may contradict its meaning: where the ISBN agrees, the same
author adds next to nothing, and may even have a negative weight. People are never shown an agreement as a sign of
different books, or a difference as a sign of the same book; such signs count for neither.
"""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from aggregator.matching.comparison.weights import Evidence

STRONG = 1.5  # points; such a weight multiplies the odds by 4.5
LEAST = 0.05  # points; a smaller weight is shown as 0.0


class Nature(StrEnum):
    """What an outcome says by itself, whatever its weight is."""

    AGREEMENT = "agreement"
    DIFFERENCE = "difference"
    UNKNOWN = "unknown"  # one of the records does not state a value, or states it in another way


class Side(StrEnum):
    """What a sign speaks for."""

    SAME = "same"
    DIFFERENT = "different"
    NEITHER = "neither"


class Strength(StrEnum):
    """How much a sign counts. Decisive: a veto or a ruling, which no other sign outweighs."""

    DECISIVE = "decisive"
    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of evidence, what it speaks for, and how much."""

    evidence: Evidence
    side: Side
    strength: Strength


# Rule → the outcomes that are agreements, differences, neither.
_OUTCOMES: dict[str, tuple[str, str, str]] = {
    "staff": ("same", "not_same", ""),
    "isbn": (
        "same suspect listed list one_of listed_one_of suspect_one_of",
        "different different_volume different_one_volume",
        "",
    ),
    "set_isbn": ("same", "", ""),
    "issn": ("same", "different", ""),
    "number": ("same", "different different_jpno", ""),
    "title": (
        "same core core_short reading readable begins mistyped other_title similar rather_similar reordered",
        "subtitle_differs contained overlapping supplement unrelated",
        "part unreadable romanised",
    ),
    "volume": (
        "same same_bare set set_counted part_same",
        "set_miscounted part_different different set_against_volume set_against_bare part_against_set",
        "same_of_set unclear one_side one_side_isbn one_side_listed one_side_bare perhaps_set set_unclear "
        "set_listed one_of_set part part_same_one_side part_one_side part_set one_side_titled one_side_series",
    ),
    "volume_title": ("same", "different", ""),
    "edition": (
        "same",
        "different",
        "unclear one_side one_side_isbn one_side_undated one_side_undated_isbn one_side_later one_side_later_isbn",
    ),
    "author": ("same family_name similar", "different", "romanised"),
    "publisher": ("same similar", "different", ""),
    "year": ("same month reprinted", "next_month other_month near printing far far_months very_far", ""),
    "reprint": ("", "elsewhere", ""),
    "pages": ("same common near close", "different far", ""),
    "series": ("same", "different", ""),
    "kind": ("", "different", ""),
    "carrier": ("", "different", "unsure unsure_isbn"),
    "size": ("", "different", ""),
    "length": ("same", "different", ""),
    "support": ("", "", "title_only one none"),
}
NATURES: dict[tuple[str, str], Nature] = {
    (rule, outcome): nature
    for rule, columns in _OUTCOMES.items()
    for nature, outcomes in zip(Nature, columns, strict=True)
    for outcome in outcomes.split()
}


def signs(evidence: Iterable[Evidence]) -> tuple[Sign, ...]:
    """The signs in the evidence, the strongest first."""
    return tuple(sorted(map(sign_of, evidence), key=lambda sign: -abs(sign.evidence.weight)))


def sign_of(evidence: Evidence) -> Sign:
    """The sign that one piece of evidence is."""
    # The database may hold an outcome of another version of the matcher.
    nature = NATURES.get((evidence.rule, evidence.outcome), Nature.UNKNOWN)
    side = _side(nature, evidence.weight)
    return Sign(evidence=evidence, side=side, strength=_strength(evidence, side))


def _side(nature: Nature, weight: float) -> Side:
    """What evidence speaks for. A missing value may speak for different books, but never for the same book."""
    if nature is Nature.AGREEMENT and weight >= LEAST:
        return Side.SAME
    return Side.DIFFERENT if nature is not Nature.AGREEMENT and weight <= -LEAST else Side.NEITHER


def _strength(evidence: Evidence, side: Side) -> Strength:
    if side is Side.NEITHER:
        return Strength.NONE
    if evidence.vetoes or evidence.rule == "staff":
        return Strength.DECISIVE
    return Strength.STRONG if abs(evidence.weight) >= STRONG else Strength.WEAK
