"""How far the work is behind, from the database alone: the same with and without a queue server.

No large table is counted: the rows that wait have partial indexes, and are counted up to MAX_COUNT.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from aggregator.indexing.state import IndexState
from harvesting.models import Harvest, OutgoingMessage, SourceRecord

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_COUNT = 100_000
MOST_SHOWN = 10_000  # on a page; more is a number that nobody reads exactly


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work of one kind that waits: how much, up to a limit, and for how many seconds the first of it."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Backlog:
    """A line about the work that waits. page: the name of the page that shows it, "" if there is none."""

    label: "StrOrPromise"
    waiting: Waiting
    page: str = ""

    @property
    def more(self) -> bool:
        """Whether there may be more than were counted."""
        return self.waiting.count >= MOST_SHOWN


def backlogs(now: datetime, index: IndexState) -> Iterator[Backlog]:
    """What waits, in the order in which a record passes. index: the state of the search index."""
    yield Backlog(_("Harvests that wait for a worker"), harvests(now), "harvests")
    yield Backlog(_("Records that wait to be matched and merged"), records(now, MOST_SHOWN))
    yield Backlog(_("Changes that the search index lacks"), Waiting(min(index.waiting, MOST_SHOWN), index.lag))
    yield Backlog(_("Mails and web calls that wait"), messages(now, MOST_SHOWN), "notices")


def harvests(now: datetime) -> Waiting:
    """The harvests that wait for a worker."""
    # One query for each state: for several together a planner that knows only averages reads the whole table.
    kinds = (
        Q(state=Harvest.State.QUEUED),
        Q(state=Harvest.State.INTERRUPTED),
        Q(state=Harvest.State.PAUSED, resume_at__lte=now),
    )
    found = [
        Harvest.objects.filter(kind).order_by().aggregate(count=Count("pk"), oldest=Min("queued_at")) for kind in kinds
    ]
    oldest = min((one["oldest"] for one in found if one["oldest"]), default=None)
    return Waiting(sum(one["count"] for one in found), age(now, oldest))


def records(now: datetime, most: int = MAX_COUNT) -> Waiting:
    """The records that wait to be matched and merged."""
    pending = SourceRecord.objects.pending()
    return Waiting(bounded_count(pending, most), age(now, pending.values_list("changed_at", flat=True).first()))


def messages(now: datetime, most: int = MAX_COUNT) -> Waiting:
    """The outgoing mails and web calls that wait; the seconds since the first of them was due."""
    waiting = OutgoingMessage.objects.filter(state__in=[OutgoingMessage.State.WAITING, OutgoingMessage.State.SENDING])
    oldest = waiting.order_by("due").values_list("due", flat=True).first()
    return Waiting(bounded_count(waiting, most), age(now, oldest))


def bounded_count(rows: QuerySet[Any], most: int = MAX_COUNT) -> int:
    """Return the number of rows, at most `most`."""
    return rows.order_by()[:most].count()


def age(now: datetime, since: datetime | None) -> float:
    """Return the seconds since a moment; 0 if it is None or in the future."""
    return max((now - since).total_seconds(), 0.0) if since else 0.0
