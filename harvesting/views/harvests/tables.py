"""The tables on the page of a harvest: counters beside those of the previous run, and the changes of state. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from harvesting.messages import happened
from harvesting.models import DateWindow, Harvest, HarvestEvent
from harvesting.monitoring.run_summary import OUTCOMES

LABELS = {
    "received": _("Received"),
    "created": _("New"),
    "updated": _("Changed"),
    "unchanged": _("Unchanged"),
    "deleted": _("Deleted"),
    "rejected": _("Not registered"),
    "held": _("Held deletions"),
    "swept": _("Deleted because no longer listed"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A counter beside that of the previous run (None: there is no previous run)."""

    label: str
    count: int
    before: int | None = None
    name: str = ""

    @property
    def change(self) -> str:
        """The difference with its sign; "" where there is nothing to compare with."""
        if self.before is None:
            return ""
        difference = self.count - self.before
        return f"{difference:+,}".replace("-", "−") if difference else "±0"


@dataclass(frozen=True, slots=True)
class Step:
    """A change of state of a run."""

    at: datetime
    state: str
    label: str
    text: str


def comparison_rows(run: Harvest, last: Harvest | None) -> list[Row]:
    """The counters of a run beside those of an earlier run. Other counters than those of received records and
    outcomes are shown only if one of the two is above zero.
    """
    rows = []
    for name, label in LABELS.items():
        count, before = getattr(run, name), getattr(last, name) if last else None
        if count or before or name in ("received", *OUTCOMES):
            rows.append(Row(str(label), count, before, name))
    return rows


def outcome_sum(run: Harvest) -> str:
    """The number of records as the sum of the outcomes, for example "10 = 2 + 1 + 7 + 0 + 0".

    A database constraint guarantees that it adds up.
    """
    return f"{run.received:,} = {' + '.join(f'{getattr(run, name):,}' for name in OUTCOMES)}"


def course(events: Iterable[HarvestEvent]) -> list[Step]:
    """The changes of a run's state in order, with reasons."""
    return [
        Step(event.at, event.state, event.get_state_display(), happened(event.code, event.facts)) for event in events
    ]


@dataclass(frozen=True, slots=True)
class Gap:
    """A period that could not be harvested, and why."""

    window: DateWindow
    reason: str
