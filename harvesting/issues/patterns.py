"""The patterns of a provider's issues: the same rule, place and shape of the value is one mistake. No HTTP.

They are counted with the issues and stored, so that no page has to read a million values.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from harvesting.issues.shapes import shape
from harvesting.models import LARGE_COLUMNS, IssueCount, IssuePatterns, RecordIssue

SHOWN = 5  # patterns of a rule that are stored, the most frequent ones
MOST = 2_000  # patterns of a rule that are counted
STEP = 2_000  # rows read at a time
MISSED = 200  # providers handled by one call of `store_missed`


class Pattern(NamedTuple):
    """A stored pattern. example: the id of its first issue."""

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


def store(repository: int) -> None:
    """Count the patterns of a repository (given by its id), and store them."""
    patterns = [list(pattern) for pattern in _most_frequent(_count(repository))]
    IssuePatterns.objects.update_or_create(repository_id=repository, defaults={"patterns": patterns})


def store_missed() -> int:
    """Store the patterns of repositories whose issues were counted without them; return their number."""
    counted = IssueCount.objects.filter(repository__issue_patterns=None).order_by().values_list("repository", flat=True)
    missed = list(counted.distinct()[:MISSED])
    for repository in missed:
        store(repository)
    return len(missed)


def patterns_of(repository: int) -> defaultdict[tuple[str, str], list[PatternRow]]:
    """(Code, severity) -> the patterns of a repository (given by its id), the most frequent first."""
    stored = IssuePatterns.objects.filter(repository=repository).values_list("patterns", flat=True).first() or ()
    patterns = [Pattern(*pattern) for pattern in stored]
    rows = _examples(patterns)
    by_rule: defaultdict[tuple[str, str], list[PatternRow]] = defaultdict(list)
    for pattern in patterns:
        by_rule[pattern.code, pattern.severity].append(PatternRow(pattern, rows.get(pattern.example)))
    return by_rule


def _examples(patterns: Iterable[Pattern]) -> dict[int, RecordIssue]:
    rows = RecordIssue.objects.filter(pk__in=[pattern.example for pattern in patterns]).select_related("source_record")
    return {row.pk: row for row in rows.defer(*(f"source_record__{name}" for name in LARGE_COLUMNS))}


def _count(repository: int) -> dict[tuple[str, str], dict[tuple[str, str], list[int]]]:
    """(Code, severity) -> (place, shape) -> how many issues, and the id of the first."""
    found: defaultdict[tuple[str, str], dict[tuple[str, str], list[int]]] = defaultdict(dict)
    rows = RecordIssue.objects.filter(repository=repository, ignored=None).order_by("code", "pk")
    for pk, code, severity, place, value in rows.values_list("pk", "code", "severity", "field", "value").iterator(STEP):
        patterns, key = found[code, severity], (place, shape(value))
        if key in patterns:
            patterns[key][0] += 1
        elif len(patterns) < MOST:
            patterns[key] = [1, pk]
    return found


def _most_frequent(found: dict[tuple[str, str], dict[tuple[str, str], list[int]]]) -> Iterator[Pattern]:
    for (code, severity), patterns in sorted(found.items()):
        numbers = Counter({key: number for key, (number, _pk) in patterns.items()})
        for (place, form), number in numbers.most_common(SHOWN):
            yield Pattern(code, severity, place, form, number, patterns[place, form][1])
