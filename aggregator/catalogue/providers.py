"""What the public pages say about providers: state, last harvest, counts, findings by rule. No HTTP."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext as _

from harvesting.messages import happened
from harvesting.models import Feed, Harvest, RecordIssue, Repository, SourceRecord
from metadata.issue import Issue, Severity

EXAMPLES = 3
HARVESTS = 10
ORDER = {each.value: place for place, each in enumerate(Severity)}  # worst first


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A provider as the list shows it."""

    repository: Repository
    records: int = 0
    issues: int = 0
    last: Harvest | None = None
    feeds: tuple[Feed, ...] = ()

    @property
    def formats(self) -> list[str]:
        """What its records come in, each metadataPrefix once."""
        return list(dict.fromkeys(each.metadata_prefix for each in self.feeds if each.metadata_prefix))

    @property
    def protocols(self) -> list[str]:
        """How they come, in words."""
        return list(dict.fromkeys(str(each.get_protocol_display()) for each in self.feeds))

    @property
    def outcome(self) -> str:
        """What came of the last harvest, as a sentence; "" if it simply worked or there was none."""
        return public_sentence(self.last) if self.last else ""


@dataclass(slots=True, kw_only=True)
class RuleIssues:
    """All findings of one rule and severity about one provider: how many, and a few to look at."""

    code: str
    severity: str
    count: int
    examples: list[tuple[RecordIssue, Issue]] = field(default_factory=list)


def listed() -> list[Repository]:
    """Every listed provider, in the order of the numbers. One query."""
    return list(Repository.objects.listed())


def listings() -> list[Listing]:
    """Every listed provider, with its figures; a fixed number of queries."""
    return _listings(listed())


def listings_after(number: str, most: int) -> list[Listing]:
    """The listed providers behind a number, as many as wanted, with their figures; a fixed number of queries."""
    return _listings(list(Repository.objects.listed().filter(number__gt=number)[:most]))


def listing(number: str) -> Listing:
    """One provider that staff have agreed to, in whatever state. Raises Repository.DoesNotExist."""
    return _listings([Repository.objects.get(number=number, approved=True)])[0]


def latest_harvests(repository: Repository) -> list[tuple[Harvest, str]]:
    """The last runs, the newest first, each with what went wrong as a sentence ("" = nothing)."""
    runs = Harvest.objects.filter(feed__repository=repository).select_related("feed__repository")[:HARVESTS]
    return [(run, public_sentence(run)) for run in runs]


def public_sentence(run: Harvest) -> str:
    """What went wrong, for readers: no names of staff, no paths of this server, nothing that only staff can do."""
    if run.code.startswith("safety."):
        return _("The staff look at what came.") if run.state == Harvest.State.PAUSED else ""
    if run.feed.protocol == Feed.Protocol.FILE:
        return ""
    return happened(run.code, run.facts)


def findings(repository: Repository) -> list[RuleIssues]:
    """The findings about a provider's records by rule, the worst and most frequent first. Two queries."""
    rows = RecordIssue.objects.filter(repository=repository, source_record__suppressed_at=None)
    groups = {
        (row["code"], row["severity"]): RuleIssues(**row)
        for row in rows.values("code", "severity").annotate(count=Count("pk")).order_by("code", "severity")
    }
    place = Window(RowNumber(), partition_by=[F("code"), F("severity")], order_by=F("pk").asc())
    examples = rows.annotate(place=place).filter(place__lte=EXAMPLES).order_by("pk")
    for row in examples.annotate(public_id=F("source_record__public_id")):
        if (row.code, row.severity) in groups:
            groups[row.code, row.severity].examples.append((row, row.issue))
    return sorted(groups.values(), key=lambda each: (ORDER.get(each.severity, len(ORDER)), -each.count, each.code))


def affected(code: str) -> list[tuple[Repository, int]]:
    """The listed providers of which living records have a finding of this rule now, and how many, most first."""
    repositories = listed()
    rows = RecordIssue.objects.filter(code=code, repository__in=repositories, source_record__deleted=False)
    counts = dict(rows.values_list("repository").annotate(count=Count("source_record", distinct=True)).order_by())
    found = [(each, counts[each.pk]) for each in repositories if each.pk in counts]
    return sorted(found, key=lambda each: (-each[1], each[0].number))


def _listings(repositories: list[Repository]) -> list[Listing]:
    numbers = [each.pk for each in repositories]
    records = _counts(
        SourceRecord.objects.filter(repository__in=numbers, deleted=False)
        .exclude(payload_hash=b"")
        .values_list("repository")
    )
    issues = _counts(RecordIssue.objects.filter(repository__in=numbers).values_list("repository"))
    runs = _last_runs(numbers)
    feeds: dict[int, list[Feed]] = {}
    for feed in Feed.objects.filter(repository__in=numbers).order_by("pk"):
        feeds.setdefault(feed.repository_id, []).append(feed)
    return [
        Listing(
            repository=each,
            records=records.get(each.pk, 0),
            issues=issues.get(each.pk, 0),
            last=runs.get(each.pk),
            feeds=tuple(feeds.get(each.pk, ())),
        )
        for each in repositories
    ]


def _counts(rows: QuerySet[Any, Any]) -> dict[int, int]:
    return dict(rows.annotate(count=Count("pk")).order_by())


def _last_runs(numbers: Iterable[int]) -> dict[int, Harvest]:
    """The newest run of each repository."""
    newest = Harvest.objects.filter(feed__repository=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    wanted = Repository.objects.filter(pk__in=numbers).annotate(newest=Subquery(newest)).values("newest")
    runs = Harvest.objects.filter(pk__in=wanted).select_related("feed")
    return {run.feed.repository_id: run for run in runs}
