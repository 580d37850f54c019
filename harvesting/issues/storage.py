"""Stores the issues of records as rows: which stay, which are new, which are resolved. Inside the caller's transaction.

An issue that is found again keeps its row, and with it the date when it was first found and whether it is ignored. An
issue that is not found any more is moved to ResolvedIssue. New records cost no query.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone

from core.database.batches import as_timestamp, chunks, insert, select_in
from harvesting.models import RecordIssue, ResolvedIssue


class IssueRow(NamedTuple):
    """An issue as its columns hold it."""

    code: str
    severity: str
    field: str
    value: str
    result: str


class _Stored(NamedTuple):
    """A stored issue: the columns by their names."""

    id: int
    source_record_id: int
    code: str
    severity: str
    field: str
    value: str
    result: str
    found_at: Any
    ignored_id: int | None


class _New(NamedTuple):
    """An issue to insert: the columns by their names, with values as the database driver takes them."""

    source_record_id: int
    repository_id: int
    harvest_id: int | None
    code: str
    severity: str
    field: str
    value: str
    result: str
    found_at: Any
    ignored_id: int | None


DELETED, MENDED, REREAD = ResolvedIssue.How.DELETED, ResolvedIssue.How.MENDED, ResolvedIssue.How.REREAD
_MOVED = ("source_record_id", "repository_id", "code", "severity", "field", "value", "result", "found_at")


@dataclass(frozen=True, slots=True)
class FoundIssues:
    """All current issues of one record.

    record, repository: ids. harvest: id of the run that found the issues. how: a value of ResolvedIssue.How, for
    earlier issues that are not found any more.
    """

    record: int
    repository: int
    rows: Sequence[IssueRow]
    harvest: int | None
    how: str = MENDED


@dataclass(slots=True)
class Changes:
    """What is to be done with the rows.

    new: rows to insert. unchanged: ids of rows that were found again, by run.
    other_severity: ids of rows that new ones replace, because the same issue now has another severity.
    resolved: ids of rows that were not found again, by how they were resolved and by run.
    """

    new: list[_New]
    unchanged: defaultdict[int | None, list[int]]
    other_severity: list[int]
    resolved: defaultdict[tuple[str, int | None], list[int]]


def replace(found: Sequence[FoundIssues], known: Collection[int], *, again: bool = True) -> None:
    """Replace the stored issues of these records by those found now.

    known: ids of the records that existed before. again: whether issues that stay are attributed to the current run.
    """
    earlier: defaultdict[int, list[_Stored]] = defaultdict(list)
    for stored in map(_Stored._make, select_in(RecordIssue, _Stored._fields, "source_record_id", known)):
        earlier[stored.source_record_id].append(stored)
    now = timezone.now()
    changes = _decide(found, earlier, as_timestamp(now))
    for (how, harvest), pks in changes.resolved.items():
        _resolve(pks, how, harvest, now)
    for chunk in chunks(changes.other_severity):
        RecordIssue.objects.filter(pk__in=chunk).delete()
    insert(RecordIssue, _New._fields, changes.new)
    for harvest, pks in changes.unchanged.items() if again else ():
        for chunk in chunks(pks):
            RecordIssue.objects.filter(pk__in=chunk).update(harvest=harvest)


def resolve_all(records: Iterable[int], how: str) -> None:
    """Move all issues of these records (given by their ids) to ResolvedIssue. how: a value of ResolvedIssue.How."""
    now = timezone.now()
    for chunk in chunks(records):
        pks = RecordIssue.objects.filter(source_record__in=chunk).values_list("pk", flat=True)
        _resolve(list(pks), how, None, now)


def forget(before: datetime) -> int:
    """Delete the issues that were resolved before this time; return how many.

    Needs no index on the time, because the oldest rows have the smallest ids.
    """
    deleted = 0
    while True:
        oldest = ResolvedIssue.objects.order_by("pk").values_list("pk", "resolved_at")[:500]
        pks = [pk for pk, resolved_at in oldest if resolved_at < before]
        if not pks:
            return deleted
        deleted += ResolvedIssue.objects.filter(pk__in=pks).delete()[0]


def _decide(found: Sequence[FoundIssues], earlier: dict[int, list[_Stored]], now: Any) -> Changes:
    changes = Changes([], defaultdict(list), [], defaultdict(list))
    for issues in found:
        stored_rows = earlier.get(issues.record)
        if not stored_rows:
            changes.new += [_new(issues, row, now) for row in issues.rows]
            continue
        _compare(issues, stored_rows, now, changes)
    return changes


def _compare(found: FoundIssues, stored_rows: list[_Stored], now: Any, changes: Changes) -> None:
    """Compare the issues of one record with its stored rows, and add the differences to `changes`.

    An equal row stays. If only the severity differs, the new row takes over the date and the ignoring of the old one.
    """
    unmatched: defaultdict[tuple[str, ...], list[_Stored]] = defaultdict(list)
    for stored in stored_rows:
        unmatched[_without_severity(stored)].append(stored)
    for row in found.rows:
        candidates = unmatched[_without_severity(row)]
        equal = next((stored for stored in candidates if stored.severity == row.severity), None)
        if equal is not None:
            candidates.remove(equal)
            changes.unchanged[found.harvest].append(equal.id)
            continue
        since, ignored = now, None
        if candidates:
            other = candidates.pop()
            changes.other_severity.append(other.id)
            since, ignored = other.found_at, other.ignored_id
        changes.new.append(_new(found, row, since, ignored))
    changes.resolved[found.how, found.harvest] += [stored.id for rows in unmatched.values() for stored in rows]


def _new(found: FoundIssues, row: IssueRow, since: Any, ignored: int | None = None) -> _New:
    return _New(found.record, found.repository, found.harvest, *row, since, ignored)


def _without_severity(row: IssueRow | _Stored) -> tuple[str, ...]:
    """What identifies an issue of a record: all columns but its severity."""
    return row.code, row.field, row.value, row.result


def _resolve(pks: Sequence[int], how: str, harvest: int | None, now: datetime) -> None:
    """Move these issues to ResolvedIssue: one INSERT … SELECT and one DELETE per chunk."""
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, _MOVED))
    for chunk in chunks(pks):
        placeholders = ", ".join(["%s"] * len(chunk))
        statement = (
            f"INSERT INTO {quote(ResolvedIssue._meta.db_table)} "  # noqa: S608 names only
            f"({names}, {quote('how')}, {quote('harvest')}, {quote('resolved_at')}) "
            f"SELECT {names}, %s, %s, %s FROM {quote(RecordIssue._meta.db_table)} "
            f"WHERE {quote('id')} IN ({placeholders}) AND {quote('repository_id')} IS NOT NULL"
        )
        with connection.cursor() as cursor:
            cursor.execute(statement, [str(how), harvest, as_timestamp(now), *chunk])
        RecordIssue.objects.filter(pk__in=chunk).delete()
