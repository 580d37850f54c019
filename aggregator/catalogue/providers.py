"""Providers as the public pages show them: state, last harvest, counts, issues by rule. No HTTP.

Numbers of records and issues are those that were counted after the last harvest (`harvesting.issues.counts`): a page
that counted them anew would read an index entry of every record of the catalogue. Only the records of a provider whose
first harvest has not ended are counted here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from harvesting.issues.counts import latest_counts, may_have, rule_counts
from harvesting.messages import happened
from harvesting.models import Feed, Harvest, RecordIssue, Repository, SourceRecord
from metadata.issue import Issue, Severity

EXAMPLES = 3
HARVESTS = 10
ORDER = {severity.value: place for place, severity in enumerate(Severity)}  # the worst first


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A provider as a row of the list."""

    repository: Repository
    records: int = 0
    issues: int = 0
    last: Harvest | None = None
    feeds: tuple[Feed, ...] = ()

    @property
    def formats(self) -> list[str]:
        """The metadataPrefixes of its feeds, without repetitions."""
        return list(dict.fromkeys(feed.metadata_prefix for feed in self.feeds if feed.metadata_prefix))

    @property
    def protocols(self) -> list[str]:
        """The protocols of its feeds, in the language of the page."""
        return list(dict.fromkeys(str(feed.get_protocol_display()) for feed in self.feeds))

    @property
    def is_live(self) -> bool:
        """Whether nothing is harvested from it, because it is searched when readers ask for it."""
        return bool(self.feeds) and all(feed.transport_kind.is_live for feed in self.feeds)

    @property
    def outcome(self) -> str:
        """What went wrong in the last harvest, as a sentence; "" if nothing did or there was no harvest."""
        return public_sentence(self.last) if self.last else ""


@dataclass(slots=True)
class RuleIssues:
    """The issues of one rule and severity about one provider: their number, and a few examples."""

    code: str
    severity: str
    count: int
    examples: list[tuple[RecordIssue, Issue]] = field(default_factory=list)


def listed() -> list[Repository]:
    """Return every listed provider, in the order of the numbers. One query."""
    return list(Repository.objects.listed())


def listings() -> list[Listing]:
    """Return every listed provider with its counts; a fixed number of queries."""
    return _listings(listed())


def listings_after(number: str, most: int) -> list[Listing]:
    """Return at most `most` listed providers after a number, with their counts; a fixed number of queries."""
    return _listings(list(Repository.objects.listed().filter(number__gt=number)[:most]))


def listing(number: str) -> Listing:
    """Return one provider that has been live, in whatever state. Raises Repository.DoesNotExist."""
    return _listings([Repository.objects.public().get(number=number)])[0]


def latest_harvests(repository: Repository) -> list[tuple[Harvest, str]]:
    """Return the last harvests, the newest first, with what went wrong as a sentence ("" = nothing)."""
    runs = Harvest.objects.filter(feed__repository=repository).select_related("feed__repository")[:HARVESTS]
    return [(run, public_sentence(run)) for run in runs]


def public_sentence(run: Harvest) -> str:
    """Return what went wrong, for readers: no names of staff, no paths of this server, no advice for staff."""
    if run.code.startswith("safety."):
        return _("Staff are reviewing the received data.") if run.state == Harvest.State.PAUSED else ""
    if run.feed.transport_kind.reads_files:
        return ""
    return happened(run.code, run.facts)


def issues_by_rule(repository: Repository) -> list[RuleIssues]:
    """Return the issues of a provider's records by rule, the worst and most frequent first. A fixed number of queries.

    A rule is left out if all its issues are about withheld records.
    """
    rows = RecordIssue.objects.filter(repository=repository)
    groups = {(code, severity): RuleIssues(code, severity, count) for code, severity, count in _counted(repository)}
    for row in _first_of_each(rows, groups):
        groups[row.code, row.severity].examples.append((row, row.issue))
    return sorted(
        (group for group in groups.values() if group.examples),
        key=lambda group: (ORDER.get(group.severity, len(ORDER)), -group.count, group.code),
    )


def affected(code: str) -> list[tuple[Repository, int]]:
    """Return the listed providers with records that have an issue of this rule, and the counts, most first."""
    repositories = {repository.pk: repository for repository in listed()}
    candidates = may_have(list(repositories), code, "")
    stored = latest_counts(candidates)
    counts = {pk: sum(rule.records for rule in rule_counts(count) if rule.code == code) for pk, count in stored.items()}
    if uncounted := [pk for pk in candidates if pk not in stored]:
        rows = RecordIssue.objects.filter(code=code, repository__in=uncounted, source_record__deleted=False)
        counts |= dict(rows.values_list("repository").annotate(count=Count("source_record", distinct=True)).order_by())
    counted = [(repositories[pk], count) for pk, count in counts.items() if count]
    return sorted(counted, key=lambda item: (-item[1], item[0].number))


def _counted(repository: Repository) -> Iterator[tuple[str, str, int]]:
    """Yield (code, severity, number of issues)."""
    if stored := latest_counts([repository.pk]).get(repository.pk):
        yield from ((rule.code, rule.severity, rule.issues) for rule in rule_counts(stored))
    else:
        rows = RecordIssue.objects.filter(repository=repository).values_list("code", "severity")
        yield from rows.annotate(count=Count("pk")).order_by()


def _first_of_each(rows: QuerySet[RecordIssue], rules: Iterable[tuple[str, str]]) -> list[Any]:
    """Return the first issues of each (code, severity) that may be shown. One statement that begins in the index at
    each rule: numbering the issues of every rule would sort all of them.
    """
    shown = rows.filter(source_record__suppressed_at=None).order_by("pk").values("pk")
    named = rows.annotate(public_id=F("source_record__public_id"))
    parts = [named.filter(pk__in=shown.filter(code=code, severity=severity)[:EXAMPLES]) for code, severity in rules]
    return sorted(parts[0].union(*parts[1:], all=True), key=attrgetter("pk")) if parts else []


def _listings(repositories: list[Repository]) -> list[Listing]:
    numbers = [repository.pk for repository in repositories]
    records, issues = _records_and_issues(numbers)
    runs = _last_runs(numbers)
    feeds: dict[int, list[Feed]] = {}
    for feed in Feed.objects.filter(repository__in=numbers).order_by("pk"):
        feeds.setdefault(feed.repository_id, []).append(feed)
    return [
        Listing(
            repository=repository,
            records=records.get(repository.pk, 0),
            issues=issues.get(repository.pk, 0),
            last=runs.get(repository.pk),
            feeds=tuple(feeds.get(repository.pk, ())),
        )
        for repository in repositories
    ]


def _records_and_issues(numbers: list[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return how many records and how many issues each provider has."""
    stored = latest_counts(numbers)
    records = {number: count.records for number, count in stored.items()}
    issues = {number: sum(rule.issues for rule in rule_counts(count)) for number, count in stored.items()}
    if uncounted := [number for number in numbers if number not in stored]:
        live = SourceRecord.objects.filter(repository__in=uncounted, deleted=False).exclude(payload_hash=b"")
        records |= _counts(live.values_list("repository"))
        issues |= _counts(RecordIssue.objects.filter(repository__in=uncounted).values_list("repository"))
    return records, issues


def _counts(rows: QuerySet[Any, Any]) -> dict[int, int]:
    return dict(rows.annotate(count=Count("pk")).order_by())


def _last_runs(numbers: Iterable[int]) -> dict[int, Harvest]:
    """Return repository number -> its newest harvest."""
    newest = Harvest.objects.filter(feed__repository=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    wanted = Repository.objects.filter(pk__in=numbers).annotate(newest=Subquery(newest)).values("newest")
    runs = Harvest.objects.filter(pk__in=wanted).select_related("feed")
    return {run.feed.repository_id: run for run in runs}
