"""The issues of one provider's records grouped by rule, as a page shows them: counts, share, trend, patterns. No HTTP.

The counts come from the newest IssueCount, and the patterns were counted with it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from core.database.batches import chunks
from harvesting.issues import counts
from harvesting.issues.counts import RuleCount
from harvesting.issues.patterns import PatternRow, open_issues_of, patterns_of, sample_of
from harvesting.issues.tiers import Quality, quality_of
from harvesting.issues.wording import IssueWording, word_rule
from harvesting.models import LARGE_COLUMNS, IssueCount, RecordIssue, Repository

EXAMPLES = 3  # per rule
TREND_LENGTH = 12  # counts
RULES_PER_QUERY = 200  # SQLite joins at most 500 selects with UNION ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """One rule. share: records that have such an issue, in per cent of all; trend: their numbers, the oldest first.

    ignored: the rule is ignored for all records of the provider. sample: from how many issues the numbers
    of the patterns are estimated, 0 if they were counted.
    """

    rule: RuleCount
    wording: IssueWording
    share: float
    trend: tuple[int, ...] = ()
    patterns: Sequence[PatternRow] = ()
    ignored: bool = False
    sample: int = 0

    @property
    def change(self) -> int | None:
        """The difference from the previous count; None if there is no previous count."""
        return self.trend[-1] - self.trend[-2] if len(self.trend) > 1 else None

    @property
    def bars(self) -> list[tuple[int, int, int]]:
        """The trend as bars in a box of height 20: (left, top, height)."""
        most = max(self.trend, default=0) or 1
        heights = [round(18 * count / most) + 2 for count in self.trend]
        return [(10 * position + 1, 20 - height, height) for position, height in enumerate(heights)]


@dataclass(frozen=True, slots=True)
class Overview:
    """All groups of one provider. issue_count: the count they come from, None if nothing has been counted yet.

    before: the count before it, None if there is none. quality: None if there are no records.
    """

    issue_count: IssueCount | None
    before: IssueCount | None
    groups: Sequence[RuleGroup]
    quality: Quality | None = None

    @property
    def share(self) -> float:
        return self.issue_count.share if self.issue_count else 0.0

    @property
    def change(self) -> int | None:
        return self.issue_count.faulty - self.before.faulty if self.issue_count and self.before else None


def overview(repository: Repository) -> Overview:
    """The overview of a provider's issues. The number of queries does not grow with the issues."""
    stored_counts = list(IssueCount.objects.filter(repository=repository)[:TREND_LENGTH])
    if not stored_counts:
        return Overview(None, None, ())
    ignored = set(counts.ignored_rules(repository.pk))
    history = _history(stored_counts)
    rules = list(counts.rule_counts(stored_counts[0]))
    patterns, open_issues = patterns_of(repository.pk), open_issues_of(stored_counts[0].counts)
    groups = [
        RuleGroup(
            rule=rule,
            wording=word_rule(rule.code, rule.severity),
            share=share(rule.records, stored_counts[0].checked),
            trend=tuple(history[rule.code]),
            patterns=patterns[rule.code, rule.severity],
            ignored=rule.code in ignored,
            sample=sample_of(open_issues[rule.code]),
        )
        for rule in rules
    ]
    before = stored_counts[1] if len(stored_counts) > 1 else None
    return Overview(stored_counts[0], before, groups, quality_of(stored_counts[0], ignored))


def share(part: int, whole: int) -> float:
    """The part of the whole in per cent; 0 if the whole is 0."""
    return 100 * part / whole if whole else 0.0


def examples_of(repository: int, codes: Sequence[str]) -> defaultdict[str, list[RecordIssue]]:
    """Code -> the first EXAMPLES issues of a repository (given by its id) that are not ignored one by one."""
    pks = [pk for chunk in chunks(codes, RULES_PER_QUERY) for pk in _first_issues(repository, chunk)]
    examples: defaultdict[str, list[RecordIssue]] = defaultdict(list)
    rows = RecordIssue.objects.filter(pk__in=pks).select_related("source_record").order_by("pk")
    for row in rows.defer(*(f"source_record__{name}" for name in LARGE_COLUMNS)):
        examples[row.code].append(row)
    return examples


def _first_issues(repository: int, codes: Sequence[str]) -> Iterator[int]:
    """The ids of the first issues of every rule. Each rule costs one short index scan."""
    table = connection.ops.quote_name(RecordIssue._meta.db_table)
    select = (
        f"SELECT id FROM (SELECT id FROM {table} WHERE repository_id = %s AND code = %s "  # noqa: S608 names only
        f"AND ignored_id IS NULL ORDER BY id LIMIT {EXAMPLES}) AS firsts"
    )
    with connection.cursor() as cursor:
        parameters = [parameter for code in codes for parameter in (repository, code)]
        cursor.execute(" UNION ALL ".join([select] * len(codes)), parameters)
        yield from (pk for (pk,) in cursor.fetchall())


def _history(stored_counts: Sequence[IssueCount]) -> defaultdict[str, list[int]]:
    """Code -> how many records had such an issue at every count, the oldest first. stored_counts: the newest first."""
    history: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(stored_counts))
    for position, stored_count in enumerate(reversed(stored_counts)):
        for rule in counts.rule_counts(stored_count):
            history[rule.code][position] += rule.records
    return history
