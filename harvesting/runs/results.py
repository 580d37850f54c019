"""The result of a run: its state, in which a success is told apart from a partial one. Derived, never stored."""

from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from harvesting.models import Harvest
from harvesting.runs.observations import is_complete

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MANY_REJECTED = 0.2  # share of the records received; a run that rejected more is shown in red


class Result(StrEnum):
    """How a run that reached its end turned out. PARTLY: records were rejected, or may be missing. REJECTED: all were
    rejected.
    """

    SUCCEEDED = "succeeded"
    PARTLY = "partly"
    REJECTED = "rejected"


LABELS: "dict[Result, StrOrPromise]" = {
    Result.PARTLY: _("partly succeeded"),
    Result.REJECTED: _("everything rejected"),
}


def result_of(run: Harvest) -> str:
    """One of `Result` for a run that has succeeded; the state of any other run."""
    if run.state != Harvest.State.SUCCEEDED:
        return str(run.state)
    if run.received and run.rejected == run.received:
        return Result.REJECTED
    return Result.PARTLY if run.rejected or not is_complete(run.observations) else Result.SUCCEEDED


def result_label(run: Harvest) -> str:
    """The result in words."""
    result = result_of(run)
    return str(LABELS[Result(result)]) if result in LABELS else run.get_state_display()


def is_mostly_good(run: Harvest) -> bool:
    """Whether no more records were rejected than can be tolerated, so that the run is not an alarm."""
    return run.rejected <= MANY_REJECTED * run.received
