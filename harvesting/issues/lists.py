"""Lists of issues, open or resolved: page by page, or all of them for a file. No HTTP.

No page counts or sorts a million rows: a page begins after the last row of the page before it, and a condition that
no index covers (a value, a field, a day) is checked on SCAN_LIMIT rows at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThanOrEqual
from django.utils.timezone import make_aware

from harvesting.issues import counts
from harvesting.issues.shapes import expression
from harvesting.models import LARGE_COLUMNS, IgnoredIssue, RecordIssue, ResolvedIssue

PAGE = 50
SCAN_LIMIT = 20_000  # rows of one provider that a page scans for conditions without an index
MAX_REPOSITORIES = 60  # for one page; each may cost one short query
STEP = 2_000  # rows per query of a file
_DEFERRED = tuple(f"source_record__{name}" for name in LARGE_COLUMNS)

OPEN, IGNORED, RESOLVED = "open", "ignored", "resolved"

type Row = RecordIssue | ResolvedIssue
type Position = tuple[int, str, int]  # repository, code and id of the last row of a page; the next page begins after it


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueQuery:
    """What a list is to show. repositories: their ids in ascending order; other fields: "" and None = any."""

    repositories: Sequence[int]
    state: str = OPEN
    code: str = ""
    severity: str = ""
    field: str = ""
    value: str = ""
    shape: str = ""
    harvest: int | None = None
    since: date | None = None
    until: date | None = None

    @property
    def looks_through(self) -> bool:
        """Whether a condition requires scanning rows, because no index covers it."""
        return bool(self.field or self.value or self.shape or self.harvest or self.since or self.until or self.severity)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list. after: the position after which the next page begins, None if there is none.

    looked: the page ended at a scan limit, so it may be short or empty although further pages have rows.
    """

    rows: Sequence[Row]
    after: Position | None
    looked: bool = False


def page(query: IssueQuery, after: Position | None = None, size: int = PAGE) -> Page:
    """The rows after a position, from as many repositories as are needed to fill the page."""
    rows: list[Row] = []
    left = [repository for repository in _candidate_repositories(query) if not after or repository >= after[0]]
    for group in _groups(query, left[:MAX_REPOSITORIES], after):
        start = (after[1], after[2]) if after and group[0] == after[0] else ("", 0)
        wanted = size + 1 - len(rows)
        if len(group) > 1:
            more_rows, bound = _rows_of_group(query, group, wanted), None
        else:
            more_rows, bound = _rows_of_repository(query, group[0], start, wanted)
        rows += more_rows
        if len(rows) > size:
            last = rows[size - 1]
            return Page(rows[:size], (last.repository_id or 0, last.code, last.pk))
        if bound:
            return Page(rows, (group[0], *bound), looked=True)
    if len(left) > MAX_REPOSITORIES:
        return Page(rows, (left[MAX_REPOSITORIES], "", 0), looked=True)
    return Page(rows, None)


def _groups(query: IssueQuery, repositories: Sequence[int], after: Position | None) -> Iterator[list[int]]:
    """Yield the repositories in their order: neighbours with few issues together, so that one query reads them."""
    if query.state == RESOLVED or len(repositories) < 2:
        yield from ([repository] for repository in repositories)
        return
    sizes = counts.sizes(repositories)
    group: list[int] = []
    total = 0
    for repository in repositories:
        is_begun = after is not None and repository == after[0]
        size = SCAN_LIMIT + 1 if is_begun else sizes.get(repository, SCAN_LIMIT + 1)
        if group and total + size > SCAN_LIMIT:
            yield group
            group, total = [], 0
        group.append(repository)
        total += size
    if group:
        yield group


def _rows_of_group(query: IssueQuery, repositories: Sequence[int], size: int) -> list[Row]:
    """The first rows of several repositories that have few issues."""
    rows = _not_ignored(RecordIssue.objects.filter(repository__in=repositories))
    rows = _narrowed(rows.filter(code=query.code) if query.code else rows, query).order_by(
        "repository_id", "code", "pk"
    )
    return list(rows.select_related("source_record__repository").defer(*_DEFERRED)[:size])


def all_issues(query: IssueQuery, limit: int) -> Iterator[Row]:
    """Yield the rows in the order of the pages, at most `limit` of them."""
    after: Position | None = None
    left = limit
    while left > 0:
        part = page(query, after, min(STEP, left))
        yield from part.rows
        left -= len(part.rows)
        after = part.after
        if after is None:
            return


def _candidate_repositories(query: IssueQuery) -> list[int]:
    """The repositories whose last count shows issues of the query, and those that have not been counted yet."""
    repositories = sorted(query.repositories)
    if query.state == RESOLVED or not (query.code or query.severity) or len(repositories) < 2:
        return repositories
    return counts.may_have(repositories, query.code, query.severity)


def _rows_of_repository(
    query: IssueQuery, repository: int, start: tuple[str, int], size: int
) -> tuple[list[Row], tuple[str, int] | None]:
    """The next rows of one repository after a (code, id), and the (code, id) at which the scan stopped.

    The second value is None if the page is full or all rows of the repository were scanned.
    """
    rows = _open(repository) if query.state != RESOLVED else ResolvedIssue.objects.filter(repository=repository)
    if query.code:
        rows = rows.filter(code=query.code, pk__gt=start[1] if start[0] == query.code else 0)
        key: tuple[str, ...] = ("pk",)
    else:
        rows = rows.filter(TupleGreaterThan(Tuple("code", "pk"), start))
        key = ("code", "pk")
    rows = rows.order_by(*key)
    bound = None
    if query.looks_through:
        bound = rows.values_list("code", "pk")[SCAN_LIMIT : SCAN_LIMIT + 1].first()
        if bound:
            rows = rows.filter(TupleLessThanOrEqual(Tuple("code", "pk"), bound))
        rows = _narrowed(rows, query)
    found: list[Row] = list(rows.select_related("source_record__repository").defer(*_DEFERRED)[:size])
    return found, bound if len(found) < size else None


def _open(repository: int) -> QuerySet[RecordIssue]:
    """The issues of a repository that are not ignored."""
    ignored_rules = IgnoredIssue.objects.filter(repository=repository, record=None, undone_at=None)
    rows = RecordIssue.objects.filter(repository=repository, ignored=None)
    return rows.exclude(code__in=ignored_rules.values("code"))


def _not_ignored(rows: QuerySet[RecordIssue]) -> QuerySet[RecordIssue]:
    """Those of the issues, of any repository, that are not ignored."""
    rules = IgnoredIssue.objects.filter(
        repository=OuterRef("repository"), code=OuterRef("code"), record=None, undone_at=None
    )
    return rows.filter(~Exists(rules), ignored=None)


def _narrowed(rows: Any, query: IssueQuery) -> Any:
    filters: dict[str, Any] = {
        "severity": query.severity,
        "field": query.field,
        "value__icontains": query.value,
        "value__regex": query.shape and expression(query.shape),
        "harvest": query.harvest,
        "found_at__gte": query.since and _midnight(query.since),
        "found_at__lt": query.until and _midnight(query.until + timedelta(days=1)),
    }
    return rows.filter(**{name: value for name, value in filters.items() if value})


def _midnight(day: date) -> datetime:
    return make_aware(datetime.combine(day, time.min))


def matching_issues(query: IssueQuery) -> QuerySet[RecordIssue]:
    """All open issues of a query, in no order. For bulk actions, which look at a range of ids at a time."""
    rows = _not_ignored(RecordIssue.objects.filter(repository__in=query.repositories))
    narrowed: QuerySet[RecordIssue] = _narrowed(rows.filter(code=query.code) if query.code else rows, query)
    return narrowed


def active_ignored_issues(repositories: Sequence[int], code: str = "") -> QuerySet[IgnoredIssue]:
    """The rules and issues that are ignored now, the newest first."""
    rows = IgnoredIssue.objects.filter(repository__in=repositories, undone_at=None).order_by("-pk")
    rows = rows.filter(code=code) if code else rows
    return rows.select_related("repository", "record").defer("record__payload", "record__record")
