"""The health of a provider as pages show it: its colour in words, its reasons as sentences. Converts rows only."""

from dataclasses import dataclass
from typing import Self

from harvesting.models import HealthStatus
from harvesting.monitoring.health import remedy, what

SIGNS = {"red": "✕", "amber": "!", "green": "✓", "grey": "–"}  # shown beside the word, for colour-blind readers


@dataclass(frozen=True, slots=True)
class ShownHealth:
    """The health of a provider, ready to print.

    reasons: what is wrong and what to do, the gravest first. share: per cent of records with issues, None = unknown.
    """

    status: HealthStatus
    colour: str
    word: str
    sign: str
    reasons: tuple[tuple[str, str], ...]
    share: float | None

    @classmethod
    def of(cls, row: HealthStatus) -> Self:
        reasons = tuple((what(code, facts), remedy(code)) for code, facts in row.reasons)
        share = None if row.share is None else 100 * row.share
        return cls(row, row.colour, str(row.get_colour_display()), SIGNS.get(row.colour, ""), reasons, share)
