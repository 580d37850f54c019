"""Lists of findings, open or resolved: what is wanted, one page after the other, and all of it for a file. No HTTP.

A page never counts or sorts a million rows: it begins behind the last row of the page before it, and what no index
knows (a value, a place, a day) is looked for among LOOKED_AT rows at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThanOrEqual
from django.utils.timezone import make_aware

from harvesting.issues import counts
from harvesting.models import IgnoredIssue, RecordIssue, ResolvedIssue

PAGE = 50
LOOKED_AT = 50_000  # rows of one provider that a page looks through for what no index knows
REPOSITORIES = 60  # that one page looks at, one short query each
STEP = 2_000  # rows of one query of a file

OPEN, IGNORED, RESOLVED = "open", "ignored", "resolved"

type Row = RecordIssue | ResolvedIssue
type Place = tuple[int, str, int]  # repository, code, number of the last row: behind it goes the next page


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a list is to show. repositories: numbers of rows, in order; "" and None = any."""

    repositories: Sequence[int]
    state: str = OPEN
    code: str = ""
    severity: str = ""
    field: str = ""
    value: str = ""
    harvest: int | None = None
    since: date | None = None
    until: date | None = None

    @property
    def looks_through(self) -> bool:
        """Whether something is wanted that no index knows."""
        return bool(self.field or self.value or self.harvest or self.since or self.until or self.severity)


@dataclass(frozen=True, slots=True)
class Page:
    """rows: of the page. after: where the next one begins, None where there is none. looked: it may be empty only
    because so many rows were looked through.
    """

    rows: Sequence[Row]
    after: Place | None
    looked: bool = False


def page(wanted: Wanted, after: Place | None = None, size: int = PAGE) -> Page:
    """The rows behind a place, from as many repositories as it takes."""
    rows: list[Row] = []
    left = [each for each in _with_some(wanted) if not after or each >= after[0]]
    for repository in left[:REPOSITORIES]:
        behind = (after[1], after[2]) if after and repository == after[0] else ("", 0)
        found, bound = _of_repository(wanted, repository, behind, size + 1 - len(rows))
        rows += found
        if len(rows) > size:
            last = rows[size - 1]
            return Page(rows[:size], (last.repository_id or 0, last.code, last.pk))
        if bound:
            return Page(rows, (repository, *bound), looked=True)
    if len(left) > REPOSITORIES:
        return Page(rows, (left[REPOSITORIES], "", 0), looked=True)
    return Page(rows, None)


def everything(wanted: Wanted, most: int) -> Iterator[Row]:
    """All rows, in the order of the pages, piece by piece; at most so many."""
    after: Place | None = None
    left = most
    while left > 0:
        found = page(wanted, after, min(STEP, left))
        yield from found.rows
        left -= len(found.rows)
        after = found.after
        if after is None:
            return


def _with_some(wanted: Wanted) -> list[int]:
    """The repositories that may have such findings. Where nobody has counted yet, any may."""
    numbers = sorted(wanted.repositories)
    if wanted.state == RESOLVED or not (wanted.code or wanted.severity) or len(numbers) < 2:
        return numbers
    counted = counts.latest(numbers)
    return [each for each in numbers if each not in counted or _fits(wanted, counted[each])]


def _fits(wanted: Wanted, counted: Any) -> bool:
    return any(
        (not wanted.code or rule.code == wanted.code) and (not wanted.severity or rule.severity == wanted.severity)
        for rule in counts.rules(counted)
    )


def _of_repository(
    wanted: Wanted, repository: int, behind: tuple[str, int], size: int
) -> tuple[list[Row], tuple[str, int] | None]:
    """The next rows of one repository; and how far was looked if that was not to its end."""
    rows = _open(repository) if wanted.state != RESOLVED else ResolvedIssue.objects.filter(repository=repository)
    if wanted.code:
        rows = rows.filter(code=wanted.code, pk__gt=behind[1] if behind[0] == wanted.code else 0)
        key: tuple[str, ...] = ("pk",)
    else:
        rows = rows.filter(TupleGreaterThan(Tuple("code", "pk"), behind))
        key = ("code", "pk")
    rows = rows.order_by(*key)
    bound = None
    if wanted.looks_through:
        bound = rows.values_list("code", "pk")[LOOKED_AT : LOOKED_AT + 1].first()
        if bound:
            rows = rows.filter(TupleLessThanOrEqual(Tuple("code", "pk"), bound))
        rows = _narrowed(rows, wanted)
    found: list[Row] = list(rows.select_related("source_record__repository").defer(*HEAVY)[:size])
    return found, bound if len(found) < size else None


HEAVY = tuple(f"source_record__{name}" for name in ("payload", "record", "rejected_payload"))


def _open(repository: int) -> QuerySet[RecordIssue]:
    """The findings of a repository that nobody ignores."""
    let_be = IgnoredIssue.objects.filter(repository=repository, record=None, undone_at=None)
    rows = RecordIssue.objects.filter(repository=repository, ignored=None)
    return rows.exclude(code__in=let_be.values("code"))


def _narrowed(rows: Any, wanted: Wanted) -> Any:
    filters: dict[str, Any] = {
        "severity": wanted.severity,
        "field": wanted.field,
        "value__icontains": wanted.value,
        "harvest": wanted.harvest,
        "found_at__gte": wanted.since and _midnight(wanted.since),
        "found_at__lt": wanted.until and _midnight(wanted.until + timedelta(days=1)),
    }
    return rows.filter(**{name: each for name, each in filters.items() if each})


def _midnight(day: date) -> datetime:
    return make_aware(datetime.combine(day, time.min))


def ignorings(repositories: Sequence[int], code: str = "") -> QuerySet[IgnoredIssue]:
    """What is ignored now, the newest first."""
    rows = IgnoredIssue.objects.filter(repository__in=repositories, undone_at=None).order_by("-pk")
    rows = rows.filter(code=code) if code else rows
    return rows.select_related("repository", "record").defer("record__payload", "record__record")
