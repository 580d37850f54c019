"""The pattern of a question to staff: the signs that two records describe different books, without their weights.

Questions with the same pattern are shown to staff as one row, because they usually have the same cause: a provider that
leaves out volumes, or one that gives the dates of printings. The signs of the same book are not part of it: with them,
nearly every question would be a pattern of its own.
"""

from collections.abc import Iterable

from aggregator.matching.comparison.weights import Evidence
from aggregator.matching.signs import Side, sign_of

NO_SIGNS = "none"  # the pattern of a pair without any sign of different books
LONGEST = 1000  # characters
_BETWEEN, _OUTCOME = ",", "="


def pattern_of(evidence: Iterable[Evidence]) -> str:
    """The signs of different books as "rule=outcome", sorted and separated by commas; NO_SIGNS if there are none."""
    against = {item for item in evidence if sign_of(item).side is Side.DIFFERENT}
    return _BETWEEN.join(sorted(f"{item.rule}{_OUTCOME}{item.outcome}" for item in against)) or NO_SIGNS


def signs_in(pattern: str) -> list[tuple[str, str]]:
    """The signs of a pattern, as (rule, outcome)."""
    parts = (part.partition(_OUTCOME) for part in pattern.split(_BETWEEN))
    return [(rule, outcome) for rule, _equals, outcome in parts if outcome]
