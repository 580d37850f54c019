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


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work of one kind that waits: how much, at most MAX_COUNT, and for how many seconds the first of it."""

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
        return self.waiting.count >= MAX_COUNT


def backlogs(now: datetime, index: IndexState) -> Iterator[Backlog]:
    """What waits, in the order in which a record passes. index: the state of the search index."""
    yield Backlog(_("Harvests that wait for a worker"), harvests(now), "harvests")
    yield Backlog(_("Records that wait to be matched and merged"), records(now))
    yield Backlog(_("Changes that the search index lacks"), Waiting(index.waiting, index.lag))
    yield Backlog(_("Mails and web calls that wait"), messages(now), "notices")


def harvests(now: datetime) -> Waiting:
    """The harvests that wait for a worker."""
    waits = Q(state__in=[Harvest.State.QUEUED, Harvest.State.INTERRUPTED]) | Q(
        state=Harvest.State.PAUSED, resume_at__lte=now
    )
    active = Harvest.objects.filter(state__in=Harvest.ACTIVE).order_by()
    found = active.filter(waits).aggregate(count=Count("pk"), oldest=Min("queued_at"))
    return Waiting(found["count"], age(now, found["oldest"]))


def records(now: datetime) -> Waiting:
    """The records that wait to be matched and merged."""
    pending = SourceRecord.objects.pending()
    return Waiting(bounded_count(pending), age(now, pending.values_list("changed_at", flat=True).first()))


def messages(now: datetime) -> Waiting:
    """The outgoing mails and web calls that wait; the seconds since the first of them was due."""
    waiting = OutgoingMessage.objects.filter(state__in=[OutgoingMessage.State.WAITING, OutgoingMessage.State.SENDING])
    oldest = waiting.order_by("due").values_list("due", flat=True).first()
    return Waiting(bounded_count(waiting), age(now, oldest))


def bounded_count(rows: QuerySet[Any]) -> int:
    """Return the number of rows, at most MAX_COUNT."""
    return rows.order_by()[:MAX_COUNT].count()


def age(now: datetime, since: datetime | None) -> float:
    """Return the seconds since a moment; 0 if it is None or in the future."""
    return max((now - since).total_seconds(), 0.0) if since else 0.0
