"""How many findings of each rule a provider's records have: counted when something has changed, and kept for the trend.

What counts as a fault is an error or a warning that nobody ignores.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from harvesting.models import Harvest, IgnoredIssue, IssueCount, RecordIssue, Repository, SourceRecord
from metadata.issue import Severity

KEPT = 60  # stocks of a repository
FAULTS = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)
ORDER = {each.value: place for place, each in enumerate(Severity)}  # worst first


@dataclass(frozen=True, slots=True)
class Rule:
    """What a stock says of one rule. ignored: of the issues, those that are ignored one by one."""

    code: str
    severity: str
    issues: int
    records: int
    ignored: int = 0

    @property
    def is_fault(self) -> bool:
        return self.severity in FAULTS


def take_stock(repository: Repository, harvest: int | None = None) -> IssueCount:
    """Count the findings of a repository's records, and keep the counts. A million findings take about two seconds.

    harvest: the run behind which it is counted.
    """
    stock = IssueCount(
        repository=repository,
        harvest=harvest,
        records=live_records(repository),
        faulty=faulty_records(repository.pk),
        counts=[[each.code, each.severity, each.issues, each.records, each.ignored] for each in _count(repository)],
    )
    stock.save()  # counted before, so that nobody who writes waits for it
    old = IssueCount.objects.filter(repository=repository).values_list("pk", flat=True)[KEPT:]
    IssueCount.objects.filter(pk__in=list(old)).delete()
    return stock


def take_stock_behind(run: Harvest) -> None:
    """The same behind a run that has ended, if it may have changed anything; once."""
    if run.state in Harvest.ACTIVE or not (run.received or run.swept):
        return
    changed = run.created + run.updated + run.deleted + run.rejected + run.swept
    known = IssueCount.objects.filter(repository=run.feed.repository_id)
    if known.exists() if not changed else known.filter(harvest=run.pk).exists():
        return
    take_stock(run.feed.repository, run.pk)


def catch_up() -> int:
    """Count where that was missed, because a process ended too early; returns how many repositories."""
    newest = Harvest.objects.exclude(state__in=Harvest.ACTIVE).filter(CHANGED).order_by()
    runs = dict(newest.values_list("feed__repository").annotate(run=Max("pk")))
    counted = dict(IssueCount.objects.order_by().values_list("repository").annotate(run=Max("harvest")))
    missed = [run for repository, run in runs.items() if (counted.get(repository) or 0) < run]
    for run in Harvest.objects.filter(pk__in=missed).select_related("feed__repository"):
        take_stock(run.feed.repository, run.pk)
    return len(missed)


CHANGED = Q(created__gt=0) | Q(updated__gt=0) | Q(deleted__gt=0) | Q(rejected__gt=0) | Q(swept__gt=0)


def latest(repositories: Iterable[int]) -> dict[int, IssueCount]:
    """Repository -> its newest stock. One query; a queryset of numbers stays in the database."""
    numbers = IssueCount.objects.filter(repository__in=repositories).order_by().values("repository")
    newest = numbers.annotate(newest=Max("pk")).values("newest")
    return {each.repository_id: each for each in IssueCount.objects.filter(pk__in=newest)}


def rules(stock: IssueCount) -> Iterator[Rule]:
    """What a stock says of each rule, the worst and most frequent first."""
    for code, severity, issues, records, ignored in stock.counts:
        yield Rule(code, severity, issues, records, ignored)


def live_records(repository: Repository) -> int:
    """The registered records that are not deleted."""
    return SourceRecord.objects.filter(repository=repository, deleted=False).exclude(payload_hash=b"").count()


def faulty_records(repository: int, severities: Sequence[str] = FAULTS) -> int:
    """The records of a repository (its number among rows) with such a finding that nobody ignores."""
    let_be = ignored_rules(repository)
    rows = RecordIssue.objects.filter(repository=repository, severity__in=severities, ignored=None)
    count: int = rows.exclude(code__in=let_be).aggregate(count=Count("source_record", distinct=True))["count"]
    return count


def ignored_rules(repository: int) -> list[str]:
    """The rules that somebody ignores for all records of this repository."""
    rows = IgnoredIssue.objects.filter(repository=repository, record=None, undone_at=None)
    return list(rows.values_list("code", flat=True))


def _count(repository: Repository) -> list[Rule]:
    rows = RecordIssue.objects.filter(repository=repository).order_by().values_list("code", "severity")
    counted = rows.annotate(
        issues=Count("pk"), records=Count("source_record", distinct=True), ignored_issues=Count("ignored")
    )
    found = [Rule(*row) for row in counted]
    return sorted(found, key=lambda each: (ORDER.get(each.severity, len(ORDER)), -each.records, each.code))
