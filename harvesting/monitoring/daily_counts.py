"""Figures of providers day by day: one small row each, so that no chart ever scans records. Asks no provider.

Counting the records of a repository reads all of them, so it is done in a job, and only after something has changed.
"""

from datetime import date, datetime, timedelta

from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from harvesting.issues.counts import faulty_records
from harvesting.models import DailyCount, Harvest, HealthStatus, SourceRecord
from metadata.issue import Severity

KEPT = timedelta(days=800)  # two years and a little: a year can be compared with the one before
ERRORS = (Severity.RECORD_ERROR.value, Severity.ITEM_ERROR.value)
BROUGHT = ("received", "created", "updated", "deleted", "rejected")


def count_due(now: datetime | None = None) -> int:
    """Count the repositories whose standing says that they have changed since they last were; returns how many."""
    now = now or timezone.now()
    due = list(HealthStatus.objects.filter(uncounted=True).values_list("pk", flat=True))
    for pk in due:
        count(pk, now)
    return len(due)


def is_due() -> bool:
    """Whether there is something to count."""
    return HealthStatus.objects.filter(uncounted=True).exists()


def count(repository: int, now: datetime) -> DailyCount:
    """The figures of today, as they are now; a second count of the day replaces the first."""
    day = timezone.localdate(now)
    live = SourceRecord.objects.filter(repository=repository, deleted=False).exclude(payload_hash=b"")
    values = {
        "records": live.count(),
        "with_issues": faulty_records(repository),
        "with_errors": faulty_records(repository, ERRORS),
        **_brought(repository, day),
        "counted_at": now,
    }
    figures, _created = DailyCount.objects.update_or_create(repository_id=repository, day=day, defaults=values)
    HealthStatus.objects.filter(pk=repository).update(checked_at=None, uncounted=False)
    return figures


def forget(now: datetime) -> int:
    """Drop the figures of days too long ago; returns how many."""
    return DailyCount.objects.filter(day__lt=timezone.localdate(now) - KEPT).delete()[0]


def _brought(repository: int, day: date) -> dict[str, int]:
    begin = timezone.make_aware(datetime.combine(day, datetime.min.time()))
    ended = Harvest.objects.filter(
        feed__repository=repository, finished_at__gte=begin, finished_at__lt=begin + timedelta(days=1)
    )
    sums = {name: Sum(name, default=0) for name in BROUGHT}
    sums["deleted"] = Sum(F("deleted") + F("swept"), default=0)
    failed = Count("pk", filter=Q(state=Harvest.State.FAILED))
    return ended.aggregate(**sums, failed=failed)
