"""Daily counts of each provider: one small row per day, so that charts need not scan source records.

Counting reads all records of a repository, so it runs in a job, and only for repositories that have changed.
"""

from datetime import date, datetime, timedelta

from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from harvesting.issues.counts import count_records, count_records_with_issues
from harvesting.models import DailyCount, Harvest, HealthStatus, RecordIssue, ResolvedIssue
from harvesting.monitoring import site_days
from metadata.issue import Severity

KEPT = timedelta(days=800)  # a little more than two years, so that a year can be compared with the one before
ERRORS = (Severity.RECORD_ERROR.value, Severity.ITEM_ERROR.value)
SUMMED = ("received", "created", "updated", "deleted", "rejected")


def count_due() -> int:
    """Store a count of each repository that has changed since its last count; return the number of repositories."""
    now = timezone.now()
    due = list(HealthStatus.objects.filter(uncounted=True).values_list("pk", flat=True))
    for pk in due:
        count(pk, now)
    if due:
        site_days.store(timezone.localdate(now))
    return len(due)


def is_due() -> bool:
    """Whether a repository has changed since its last count."""
    return HealthStatus.objects.filter(uncounted=True).exists()


def count(repository: int, now: datetime) -> DailyCount:
    """Count a repository's records and today's results of its runs; a second count of the day replaces the first."""
    day = timezone.localdate(now)
    records = count_records(repository)
    values = {
        "records": records.registered,
        "unregistered": records.unregistered,
        "with_issues": count_records_with_issues(repository),
        "with_errors": count_records_with_issues(repository, ERRORS),
        **_harvest_totals(repository, day),
        **_issue_changes(repository, day),
        "counted_at": now,
    }
    daily_count, _created = DailyCount.objects.update_or_create(repository_id=repository, day=day, defaults=values)
    HealthStatus.objects.filter(pk=repository).update(checked_at=None, uncounted=False)
    return daily_count


def forget(now: datetime) -> int:
    """Delete the counts older than KEPT; return their number."""
    return DailyCount.objects.filter(day__lt=timezone.localdate(now) - KEPT).delete()[0]


def _issue_changes(repository: int, day: date) -> dict[str, int]:
    """How many issues were found for the first time on this day, and how many were resolved."""
    begin = _begin_of(day)
    resolved = ResolvedIssue.objects.filter(repository=repository, resolved_at__gte=begin)
    found = RecordIssue.objects.filter(repository=repository, found_at__gte=begin).count()
    counted = resolved.aggregate(mended=Count("pk"), found=Count("pk", filter=Q(found_at__gte=begin)))
    return {"opened": found + counted["found"], "mended": counted["mended"]}


def _begin_of(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, datetime.min.time()))


def _harvest_totals(repository: int, day: date) -> dict[str, int]:
    """The sums of the counters of all harvests that ended on this day, and the number of failed ones."""
    begin = _begin_of(day)
    ended = Harvest.objects.filter(
        feed__repository=repository, finished_at__gte=begin, finished_at__lt=begin + timedelta(days=1)
    )
    sums = {name: Sum(name, default=0) for name in SUMMED}
    sums["deleted"] = Sum(F("deleted") + F("swept"), default=0)
    failed = Count("pk", filter=Q(state=Harvest.State.FAILED))
    return ended.aggregate(**sums, failed=failed)
