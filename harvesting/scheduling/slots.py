"""Which waiting runs may begin: the oldest first, and only so many at one host. Reads rows; changes nothing.

All workers together send one request at a time to a host (`harvesting.http.politeness`). A second run there would only
wait for its turns, and keep a worker from the runs of other hosts. The rows of running harvests are the count, so it
holds for all machines that share the database, whether or not there is a Redis.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from urllib.parse import urlsplit

from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from harvesting.models import Feed, Harvest
from harvesting.runs.lease import LEASE
from harvesting.runs.lifecycle import MAX_ATTEMPTS, claimable, is_over
from harvesting.scheduling.schedule import waits_until

HOST_SLOTS = 1  # runs at one host at the same time


def waiting_runs(now: datetime) -> list[Harvest]:
    """The runs that a worker could claim now: claimable, and not delayed by quiet hours; the oldest first.

    A run that gave way to others is as old as its last page, so it comes after those that waited for it.
    """
    rows = Harvest.objects.filter(claimable(now), attempts__lt=MAX_ATTEMPTS).select_related("feed")
    oldest_first = rows.order_by(Coalesce(F("progressed_at"), F("queued_at")), "pk")
    return [run for run in oldest_first if not waits_until(run, now)]


def with_slots(runs: Iterable[Harvest], now: datetime) -> Iterator[Harvest]:
    """Those of the waiting runs whose host has a slot for them, in the same order."""
    taken = _taken(now)
    for run in runs:
        host = host_of(run.feed)
        if not host or taken[host] < HOST_SLOTS:
            taken[host] += 1
            yield run


def has_slot(run: Harvest) -> bool:
    """Whether the host of a run has a slot for it now."""
    host = host_of(run.feed)
    return not host or _taken(timezone.now(), but=run.pk)[host] < HOST_SLOTS


def gives_way(run: Harvest) -> bool:
    """Whether a run should give way to others, and can: its provider has not forgotten a token in the meantime."""
    return others_wait(run) and not _has_lost_its_place(run)


def _has_lost_its_place(run: Harvest) -> bool:
    return run.events.filter(code__in=run.feed.transport_kind.expired_codes).exists()


def others_wait(run: Harvest) -> bool:
    """Whether a worker that this run occupies could do another run: of a host with a free slot, or of its own host."""
    now = timezone.now()
    others = (other for other in waiting_runs(now) if other.pk != run.pk)
    taken = _taken(now, but=run.pk)
    return any(not (host := host_of(other.feed)) or taken[host] < HOST_SLOTS for other in others)


def host_of(feed: Feed) -> str:
    """The host that a feed is harvested from; "" for a file on this machine."""
    return (urlsplit(feed.base_url).hostname or "").rstrip(".")


def _taken(now: datetime, but: int = 0) -> Counter[str]:
    """How many runs each host has, without those whose worker is dead."""
    running = Harvest.objects.filter(state=Harvest.State.RUNNING).exclude(pk=but).exclude(lease_until=None)
    return Counter(
        host_of(run.feed) for run in running.exclude(is_over("lease_until", now, LEASE)).select_related("feed")
    )
