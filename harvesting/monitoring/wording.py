"""The standing of a provider as pages print it: its colour in words, its reasons as sentences. Reads rows only."""

from dataclasses import dataclass
from typing import Self

from harvesting.models import HealthStatus
from harvesting.monitoring.health import remedy, what

SIGNS = {"red": "✕", "amber": "!", "green": "✓", "grey": "–"}  # beside the word, for those who see no colours


@dataclass(frozen=True, slots=True)
class Shown:
    """reasons: what it is and what to do, the gravest first. share: per cent of records with issues, None = unknown."""

    standing: HealthStatus
    colour: str
    word: str
    sign: str
    reasons: tuple[tuple[str, str], ...]
    share: float | None

    @classmethod
    def of(cls, row: HealthStatus) -> Self:
        reasons = tuple((what(code, facts), remedy(code)) for code, facts in row.reasons)
        share = 100 * (row.with_issues or 0) / row.records if row.records else None
        return cls(row, row.colour, str(row.get_colour_display()), SIGNS.get(row.colour, ""), reasons, share)
