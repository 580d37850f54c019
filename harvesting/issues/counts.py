"""Counts how many issues of each rule a provider's records have: after every change, and stored to show the trend.

A record counts as faulty if it has an error or a warning that is not ignored.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Count, Max, Q, QuerySet, TextField
from django.db.models.functions import Cast

from harvesting.issues import patterns
from harvesting.models import Harvest, IgnoredIssue, IssueCount, RecordIssue, Repository, SourceRecord
from metadata.issue import Severity

COUNTS_KEPT = 60  # per repository
ERRORS_AND_WARNINGS = (Severity.RECORD_ERROR, Severity.ITEM_ERROR, Severity.WARNING)
SEVERITY_ORDER = {severity.value: rank for rank, severity in enumerate(Severity)}  # worst first


@dataclass(frozen=True, slots=True)
class RuleCount:
    """The counts of one rule. records: how many have such an issue. ignored: issues that are ignored one by one."""

    code: str
    severity: str
    issues: int
    records: int
    ignored: int = 0

    @property
    def is_error_or_warning(self) -> bool:
        """Whether the rule is an error or a warning."""
        return self.severity in ERRORS_AND_WARNINGS


class RecordCounts(NamedTuple):
    """How many records of a provider are not deleted. unregistered: received, but they could not be registered."""

    registered: int
    unregistered: int


def count_issues(repository: Repository, harvest: int | None = None) -> IssueCount:
    """Count the issues of a repository's records and their patterns, and store the counts.

    harvest: the id of the run after which they are counted, None if they are counted for another reason.
    """
    stored_count = _stored(repository, harvest, count_records(repository.pk), _count(repository.pk))
    patterns.store(repository.pk, stored_count.counts)
    return stored_count


def recount_rule(repository: Repository, code: str) -> IssueCount:
    """Count anew what has changed because issues of a rule are ignored, or are no longer, and store the counts.

    Only these ignored issues and the records with issues are counted: the other numbers are those of the last count,
    because ignoring does not change them.
    """
    last = IssueCount.objects.filter(repository=repository).first()
    if last is None:
        return count_issues(repository)
    ignored = _count_ignored(repository.pk, code)
    rules = (
        replace(rule, ignored=ignored.get(rule.severity, 0)) if rule.code == code else rule
        for rule in rule_counts(last)
    )
    stored_count = _stored(repository, None, RecordCounts(last.records, last.unregistered), rules)
    if IssueCount.objects.filter(repository=repository, pk__gt=last.pk, pk__lt=stored_count.pk).exists():
        return count_issues(repository)  # a run has been counted in the meantime
    patterns.store_rule(repository.pk, code, stored_count.counts)
    return stored_count


def _stored(
    repository: Repository, harvest: int | None, records: RecordCounts, rules: Iterable[RuleCount]
) -> IssueCount:
    """Store the counts, with that of the faulty records; delete counts that are no longer kept."""
    faulty = count_records_with_issues(repository.pk)
    unknown = len(SEVERITY_ORDER)
    worst_first = sorted(rules, key=lambda rule: (SEVERITY_ORDER.get(rule.severity, unknown), -rule.records, rule.code))
    stored_count = IssueCount.objects.create(  # after counting, so that other writers do not wait for it
        repository=repository,
        harvest=harvest,
        records=records.registered,
        unregistered=records.unregistered,
        faulty=faulty,
        counts=[[rule.code, rule.severity, rule.issues, rule.records, rule.ignored] for rule in worst_first],
    )
    old = IssueCount.objects.filter(repository=repository).values_list("pk", flat=True)[COUNTS_KEPT:]
    IssueCount.objects.filter(pk__in=list(old)).delete()
    return stored_count


def count_issues_after(run: Harvest) -> None:
    """Count the issues after a run that has ended, if it may have changed any. Does nothing if called again."""
    if run.state in Harvest.ACTIVE or not (run.received or run.swept):
        return
    changed = run.created + run.updated + run.deleted + run.rejected + run.swept
    known = IssueCount.objects.filter(repository=run.feed.repository_id)
    if known.exists() if not changed else known.filter(harvest=run.pk).exists():
        return
    count_issues(run.feed.repository, run.pk)


def count_missed() -> int:
    """Make up for counts of issues that were missed because a process died; return the number of repositories."""
    newest = Harvest.objects.exclude(state__in=Harvest.ACTIVE).filter(CHANGED).order_by()
    runs = dict(newest.values_list("feed__repository").annotate(run=Max("pk")))
    counted = dict(IssueCount.objects.order_by().values_list("repository").annotate(run=Max("harvest")))
    missed = [run for repository, run in runs.items() if (counted.get(repository) or 0) < run]
    for run in Harvest.objects.filter(pk__in=missed).select_related("feed__repository"):
        count_issues(run.feed.repository, run.pk)
    return len(missed) + patterns.store_missed()


CHANGED = Q(created__gt=0) | Q(updated__gt=0) | Q(deleted__gt=0) | Q(rejected__gt=0) | Q(swept__gt=0)


def latest_counts(repositories: Iterable[int]) -> dict[int, IssueCount]:
    """Repository id -> its newest count. One query; a queryset of ids becomes a subquery."""
    return {count.repository_id: count for count in _newest(repositories)}


def may_have(repositories: Sequence[int], code: str, severity: str) -> list[int]:
    """Those of the repositories whose newest count mentions a rule and a severity ("" = any), and those that have not
    been counted yet. One query; the counts are looked through as texts, because there may be thousands.
    """
    texts = _newest(repositories).order_by().annotate(text=Cast("counts", TextField()))
    words = [f'"{word}"' for word in (code, severity) if word]
    without = {
        repository
        for repository, text in texts.values_list("repository", "text").iterator()
        if not all(word in text for word in words)
    }
    return [repository for repository in repositories if repository not in without]


def sizes(repositories: Iterable[int]) -> dict[int, int]:
    """Repository id -> the number of its issues at the newest count, ignored ones included. One query."""
    newest = latest_counts(repositories)
    return {repository: sum(rule.issues for rule in rule_counts(count)) for repository, count in newest.items()}


def latest_rules(repositories: Any) -> Iterator[tuple[str, str, int, int, int]]:
    """The rules in the newest count of every repository, as `IssueCount.counts` holds them. One query."""
    for stored in _newest(repositories).order_by().values_list("counts", flat=True).iterator():
        yield from stored


def _newest(repositories: Any) -> QuerySet[IssueCount]:
    repository_ids = IssueCount.objects.filter(repository__in=repositories).order_by().values("repository")
    return IssueCount.objects.filter(pk__in=repository_ids.annotate(newest=Max("pk")).values("newest"))


def rule_counts(stored_count: IssueCount) -> Iterator[RuleCount]:
    """The counts of every rule, the worst and most frequent first."""
    for code, severity, issues, records, ignored in stored_count.counts:
        yield RuleCount(code, severity, issues, records, ignored)


def count_records(repository: int) -> RecordCounts:
    """Count the records of a repository (given by its id) that are not deleted.

    All are counted in an index of them, the few others in an index of their own: no row of a registered record is read.
    """
    rows = SourceRecord.objects.filter(repository=repository)
    others = rows.filter(SourceRecord.NOT_LIVE).aggregate(
        all=Count("deleted"), unregistered=Count("deleted", filter=Q(deleted=False))
    )
    return RecordCounts(rows.count() - others["all"], others["unregistered"])


def count_records_with_issues(repository: int, severities: Sequence[str] = ERRORS_AND_WARNINGS) -> int:
    """How many records of a repository (given by its id) have an issue of these severities that is not ignored."""
    ignored_codes = ignored_rules(repository)
    rows = RecordIssue.objects.filter(repository=repository, severity__in=severities, ignored=None)
    count: int = rows.exclude(code__in=ignored_codes).aggregate(count=Count("source_record", distinct=True))["count"]
    return count


def ignored_rules(repository: int) -> list[str]:
    """The codes of the rules that are ignored for all records of a repository (given by its id)."""
    rows = IgnoredIssue.objects.filter(repository=repository, record=None, undone_at=None)
    return list(rows.values_list("code", flat=True))


def _count(repository: int) -> Iterator[RuleCount]:
    """The counts of all rules, one rule at a time, so that the database has little to sort."""
    for code in _codes(repository):
        yield from _count_rule(repository, code)


def _count_rule(repository: int, code: str) -> Iterator[RuleCount]:
    """The counts of one rule, for each severity that its issues have; read from an index only."""
    rows = RecordIssue.objects.filter(repository=repository, code=code).order_by().values_list("severity")
    counted = rows.annotate(
        issues=Count("pk"), records=Count("source_record", distinct=True), ignored_issues=Count("ignored")
    )
    return (RuleCount(code, *row) for row in counted)


def _count_ignored(repository: int, code: str) -> dict[str, int]:
    """Severity -> how many issues of a rule are ignored one by one."""
    rows = RecordIssue.objects.filter(repository=repository, code=code, ignored__isnull=False).order_by()
    return dict(rows.values_list("severity").annotate(issues=Count("pk")))


def _codes(repository: int) -> Iterator[str]:
    """The codes of the rules with issues, in order; each is looked up in the index after the one before it."""
    codes = RecordIssue.objects.filter(repository=repository).order_by("code").values_list("code", flat=True)
    code = codes.first()
    while code is not None:
        yield code
        code = codes.filter(code__gt=code).first()
