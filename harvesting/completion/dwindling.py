"""Deletions in small steps: each run deletes little enough, but together they remove a large part of a provider.

Therefore a run may only delete as much as the provider has not lost yet since a person last decided about its
deletions, or in the last WINDOW. Counted is what is missing from the largest number of live records in that time. A
provider that replaces its records, or grows as it weeds, loses nothing in this sense, and what staff deleted
themselves does not count.
"""

from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from harvesting.completion.guards import Loss
from harvesting.models import Harvest, SourceRecord
from harvesting.records.membership import has_several_feeds

WINDOW = timedelta(days=30)
CONFIRMED, REFUSED = "safety.confirmed", "safety.refused"  # a run after a person's decision about its deletions
BY_HARVESTS = (SourceRecord.Deletion.REPORTED, SourceRecord.Deletion.ABSENT)


def loss_before(run: Harvest, count: int) -> Loss:
    """What the run's repository lost before the run, which is about to delete `count` records.

    The deleted records themselves are only counted if so many are missing that it matters.
    """
    since, last = _beginning(run)
    days = run.feed.repository.days.filter(day__gt=timezone.localdate(since))
    most = days.aggregate(most=Max("records"))["most"] or 0
    if has_several_feeds(run.feed):  # the runs have counted the records of their own feeds only
        newest = days.last()
        live = newest.records if newest else 0
    else:
        live = run.live_before or 0
        since_then = run.feed.harvests.filter(pk__gt=last, pk__lt=run.pk, queued_at__gte=since)
        most = max(most, live, since_then.aggregate(most=Max("live_before"))["most"] or 0)
    loss = Loss(since=since, most=most, lost=max(0, most - live))
    return loss if loss.allows(count) else Loss(since=since, most=most, lost=min(loss.lost, _deleted(run, since)))


def _beginning(run: Harvest) -> tuple[datetime, int]:
    """When WINDOW or, if that was later, the time since the last decision began; with the id of the run decided about,
    0 = none.
    """
    begun = timezone.now() - WINDOW
    feeds = Harvest.objects.filter(feed__repository=run.feed.repository_id)
    decided = feeds.filter(code__in=[CONFIRMED, REFUSED], finished_at__gte=begun).order_by("-finished_at").first()
    return (decided.finished_at or begun, decided.pk) if decided else (begun, 0)


def _deleted(run: Harvest, since: datetime) -> int:
    """How many records of the repository other runs have deleted since then."""
    records = SourceRecord.objects.filter(
        repository=run.feed.repository_id, deleted=True, deletion__in=BY_HARVESTS, deleted_at__gte=since
    )
    return records.exclude(payload_hash=b"").exclude(deleted_by=run.pk).count()
