"""The tables on the page of a harvest: its counters beside those of the last one, and its course. Pure lists."""

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
    "rejected": _("Refused"),
    "held": _("Deletions held back"),
    "swept": _("Deleted because absent"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, beside that of the run before (None: there was none)."""

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
    """A line of the course of a run."""

    at: datetime
    state: str
    label: str
    text: str


def compared(run: Harvest, last: Harvest | None) -> list[Row]:
    """The counters of a run beside those of the last; what was never counted is left out."""
    rows = []
    for name, label in LABELS.items():
        count, before = getattr(run, name), getattr(last, name) if last else None
        if count or before or name in ("received", *OUTCOMES):
            rows.append(Row(str(label), count, before, name))
    return rows


def parts_of(run: Harvest) -> str:
    """The sum that must come out, in figures: 10 = 2 + 1 + 7 + 0 + 0. The database refuses a run where it does not."""
    return f"{run.received:,} = {' + '.join(f'{getattr(run, name):,}' for name in OUTCOMES)}"


def course(events: Iterable[HarvestEvent]) -> list[Step]:
    """The changes of a run's state in their order, each with its reason."""
    return [Step(each.at, each.state, each.get_state_display(), happened(each.code, each.facts)) for each in events]


@dataclass(frozen=True, slots=True)
class Gap:
    """A period that could not be had, and why."""

    window: DateWindow
    reason: str
