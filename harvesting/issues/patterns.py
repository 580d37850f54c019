"""The patterns of a provider's issues: the same rule, place and shape of the value is one mistake. No HTTP.

They are counted with the issues and stored, so that no page has to read a million values. Of a rule with very many
issues only LOOKED_AT are read, so that counting does not take longer the more of them a provider has.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Max, Min

from harvesting.issues.shapes import shape
from harvesting.models import LARGE_COLUMNS, IssueCount, IssuePatterns, RecordIssue

SHOWN = 5  # patterns of a rule that are stored, the most frequent ones
MOST = 2_000  # patterns of a rule that are counted
LOOKED_AT = 10_000  # issues of a rule; of more, so many are read, and the numbers are estimates
PARTS = 20  # into which these are divided
STEP = 2_000  # rows read at a time
MISSED = 200  # providers handled by one call of `store_missed`


class Pattern(NamedTuple):
    """A stored pattern. issues: how many, see `sample_of`. example: the id of the first of those that were read."""

    code: str
    severity: str
    place: str
    shape: str
    issues: int
    example: int


@dataclass(frozen=True, slots=True)
class PatternRow:
    """A pattern as a page shows it. row: the issue that stands for it, None if it has been resolved since."""

    pattern: Pattern
    row: RecordIssue | None


def store(repository: int, rules: Iterable[Sequence[Any]]) -> None:
    """Count the patterns of a repository (given by its id), and store them.

    rules: its issues as they were just counted, as `IssueCount.counts` holds them.
    """
    numbers = sorted(open_issues_of(rules).items())
    patterns = [list(pattern) for code, issues in numbers if issues for pattern in _of_rule(repository, code, issues)]
    IssuePatterns.objects.update_or_create(repository_id=repository, defaults={"patterns": patterns})


def store_rule(repository: int, code: str, rules: Iterable[Sequence[Any]]) -> None:
    """Count the patterns of one rule anew, and store them with those of the others. Arguments as for `store`."""
    others = [row for row in _stored(repository) if row[0] != code]
    issues = open_issues_of(rules)[code]
    own = [list(pattern) for pattern in _of_rule(repository, code, issues)] if issues else []
    patterns = sorted([*others, *own], key=itemgetter(0))
    IssuePatterns.objects.update_or_create(repository_id=repository, defaults={"patterns": patterns})


def _stored(repository: int) -> Sequence[Any]:
    return IssuePatterns.objects.filter(repository=repository).values_list("patterns", flat=True).first() or ()


def store_missed() -> int:
    """Store the patterns of repositories whose issues were counted without them; return their number."""
    counted = IssueCount.objects.filter(repository__issue_patterns=None).order_by()
    missed = list(counted.values_list("repository").annotate(newest=Max("pk"))[:MISSED])
    rules = IssueCount.objects.in_bulk([newest for _repository, newest in missed])
    for repository, newest in missed:
        store(repository, rules[newest].counts)
    return len(missed)


def patterns_of(repository: int) -> defaultdict[tuple[str, str], list[PatternRow]]:
    """(Code, severity) -> the patterns of a repository (given by its id), the most frequent first."""
    patterns = [Pattern(*pattern) for pattern in _stored(repository)]
    rows = _examples(patterns)
    by_rule: defaultdict[tuple[str, str], list[PatternRow]] = defaultdict(list)
    for pattern in patterns:
        by_rule[pattern.code, pattern.severity].append(PatternRow(pattern, rows.get(pattern.example)))
    return by_rule


def _examples(patterns: Iterable[Pattern]) -> dict[int, RecordIssue]:
    rows = RecordIssue.objects.filter(pk__in=[pattern.example for pattern in patterns]).select_related("source_record")
    return {row.pk: row for row in rows.defer(*(f"source_record__{name}" for name in LARGE_COLUMNS))}


def sample_of(issues: int) -> int:
    """From how many issues the patterns of a rule are estimated if so many of its issues are not ignored; 0 if all are
    counted.
    """
    return LOOKED_AT if issues > LOOKED_AT else 0


def open_issues_of(rules: Iterable[Sequence[Any]]) -> Counter[str]:
    """Code -> how many issues of the rule are not ignored one by one. rules: as `IssueCount.counts` holds them."""
    numbers: Counter[str] = Counter()
    for code, _severity, issues, _records, ignored in rules:
        numbers[code] += issues - ignored
    return numbers


def _of_rule(repository: int, code: str, issues: int) -> Iterator[Pattern]:
    """The most frequent patterns of the issues of a rule. issues: how many are not ignored."""
    found: defaultdict[str, dict[tuple[str, str], list[int]]] = defaultdict(dict)
    looked_at = 0
    for pk, severity, place, value in _rows(repository, code, issues):
        looked_at += 1
        patterns, key = found[severity], (place, shape(value))
        if key in patterns:
            patterns[key][0] += 1
        elif len(patterns) < MOST:
            patterns[key] = [1, pk]
    factor = issues / looked_at if looked_at and sample_of(issues) else 1
    for severity, patterns in sorted(found.items()):
        numbers = Counter({key: number for key, (number, _pk) in patterns.items()})
        for (place, form), number in numbers.most_common(SHOWN):
            shown = number if factor == 1 else _rounded(number * factor)
            yield Pattern(code, severity, place, form, shown, patterns[place, form][1])


def _rows(repository: int, code: str, issues: int) -> Iterator[tuple[int, str, str, str]]:
    """Id, severity, place and value of the issues of a rule; of very many, PARTS equal parts that are spread over all.

    Each part begins at an id, so that only the rows that are read cost time. Issues that are found together have
    neighbouring ids and often the same cause, so the first or last rows alone would not be typical.
    """
    rows = RecordIssue.objects.filter(repository=repository, code=code).order_by("pk")
    columns = ("pk", "severity", "field", "value")
    if not sample_of(issues):
        yield from rows.filter(ignored=None).values_list(*columns).iterator(STEP)
        return
    ends = rows.aggregate(first=Min("pk"), last=Max("pk"))
    first, last = ends["first"] or 0, ends["last"] or 0
    read = 0
    for number in range(PARTS):
        begin = max(read + 1, first + (last - first) * number // PARTS)
        for row in rows.filter(ignored=None, pk__gte=begin).values_list(*columns)[: LOOKED_AT // PARTS]:
            yield row
            read = row[0]


def _rounded(number: float) -> int:
    """A number as an estimate is given: with its two leading digits."""
    return int(float(f"{number:.1e}"))
