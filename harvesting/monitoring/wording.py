"""The health of a provider and the states of its runs as pages show them. Converts rows only."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from harvesting.completion.deletion_decisions import awaits_decision
from harvesting.models import Harvest, HealthStatus
from harvesting.monitoring.health import remedy, what
from harvesting.runs.results import result_label

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


def shown_state(run: Harvest) -> str:
    """The label of a run's state; a run that waits for a decision is not called “paused”, nor one that rejected records
    “succeeded”.
    """
    if awaits_decision(run):
        return _("waiting for a decision")
    return result_label(run)


def format_moment(moment: datetime) -> str:
    """A time as text, in the site's time zone and the active language."""
    return date_format(timezone.localtime(moment), "DATETIME_FORMAT")
