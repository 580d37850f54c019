"""The findings of records into rows: what stays, what is new, and what is no more. Inside the caller's transaction.

A finding that is found again keeps its row, and with it since when it is there and whether somebody ignores it. One
that is no more goes to ResolvedIssue. A record that was never there before costs no question.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from core.database.batches import as_moment, chunks, insert, select_in
from harvesting.models import RecordIssue, ResolvedIssue

type IssueRow = tuple[str, str, str, str, str]  # code, severity, place, value, result

DELETED, MENDED, REREAD = ResolvedIssue.How.DELETED, ResolvedIssue.How.MENDED, ResolvedIssue.How.REREAD
_EARLIER = ("id", "source_record_id", "code", "severity", "field", "value", "result", "found_at", "ignored_id")
_NEW = (
    *("source_record_id", "repository_id", "harvest_id", "code", "severity", "field", "value", "result"),
    *("found_at", "ignored_id"),
)
_MOVED = ("source_record_id", "repository_id", "code", "severity", "field", "value", "result", "found_at")


@dataclass(frozen=True, slots=True)
class Found:
    """All that is found about one record now. harvest: the run that found it. how: what becomes of what is not."""

    record: int
    repository: int
    rows: Sequence[IssueRow]
    harvest: int | None
    how: str = MENDED


@dataclass(slots=True)
class Changes:
    """What is to be done. kept, counted_otherwise: numbers of rows; resolved: by how they went."""

    new: list[tuple[Any, ...]]
    kept: defaultdict[int | None, list[int]]
    counted_otherwise: list[int]
    resolved: defaultdict[tuple[str, int | None], list[int]]


def replace(found: Sequence[Found], known: Collection[int], *, again: bool = True) -> None:
    """Let the findings of these records be those that are found now.

    known: numbers of the records that were there before. again: what stays counts as found by the run of now.
    """
    earlier: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in select_in(RecordIssue, _EARLIER, "source_record_id", known):
        earlier[row[1]].append(row)
    now = timezone.now()
    changes = _decide(found, earlier, as_moment(now))
    for (how, harvest), pks in changes.resolved.items():
        _resolve(pks, how, harvest, now)
    for chunk in chunks(changes.counted_otherwise):
        RecordIssue.objects.filter(pk__in=chunk).delete()
    insert(RecordIssue, _NEW, changes.new)
    for harvest, pks in changes.kept.items() if again else ():
        for chunk in chunks(pks):
            RecordIssue.objects.filter(pk__in=chunk).update(harvest=harvest)


def clear(records: Iterable[int], how: str, harvest: int | None = None) -> None:
    """Let these records have no findings any more."""
    now = timezone.now()
    for chunk in chunks(records):
        pks = RecordIssue.objects.filter(source_record__in=chunk).values_list("pk", flat=True)
        _resolve(list(pks), how, harvest, now)


def forget(before: datetime) -> int:
    """Drop what was resolved before this moment; returns how many. The oldest have the smallest numbers."""
    gone = 0
    while True:
        oldest = ResolvedIssue.objects.order_by("pk").values_list("pk", "resolved_at")[:500]
        pks = [pk for pk, moment in oldest if moment < before]
        if not pks:
            return gone
        gone += ResolvedIssue.objects.filter(pk__in=pks).delete()[0]


def _decide(found: Sequence[Found], earlier: dict[int, list[tuple[Any, ...]]], now: Any) -> Changes:
    changes = Changes([], defaultdict(list), [], defaultdict(list))
    for each in found:
        there = earlier.get(each.record)
        if not there:
            changes.new += [(each.record, each.repository, each.harvest, *row, now, None) for row in each.rows]
            continue
        _compare(each, there, now, changes)
    return changes


def _compare(found: Found, there: list[tuple[Any, ...]], now: Any, changes: Changes) -> None:
    """Of one record: rows that say the same stay; a finding that only counts otherwise keeps its age."""
    same: defaultdict[tuple[str, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in there:
        same[_sense(row[2:7])].append(row)
    for row in found.rows:
        alike = same[_sense(row)]
        exact = next((each for each in alike if each[3] == row[1]), None)
        if exact is not None:
            alike.remove(exact)
            changes.kept[found.harvest].append(exact[0])
            continue
        since, ignored = now, None
        if alike:
            other = alike.pop()
            changes.counted_otherwise.append(other[0])
            since, ignored = other[7], other[8]
        changes.new.append((found.record, found.repository, found.harvest, *row, since, ignored))
    changes.resolved[found.how, found.harvest] += [row[0] for rows in same.values() for row in rows]


def _sense(row: Sequence[str]) -> tuple[str, ...]:
    """A finding without its severity."""
    return (row[0], *row[2:])


def _resolve(pks: Sequence[int], how: str, harvest: int | None, now: datetime) -> None:
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, _MOVED))
    for chunk in chunks(pks):
        marks = ", ".join(["%s"] * len(chunk))
        statement = (
            f"INSERT INTO {quote(ResolvedIssue._meta.db_table)} "  # noqa: S608 names only
            f"({names}, {quote('how')}, {quote('harvest')}, {quote('resolved_at')}) "
            f"SELECT {names}, %s, %s, %s FROM {quote(RecordIssue._meta.db_table)} "
            f"WHERE {quote('id')} IN ({marks}) AND {quote('repository_id')} IS NOT NULL"
        )
        with connection.cursor() as cursor:
            cursor.execute(statement, [str(how), harvest, as_moment(now), *chunk])
        RecordIssue.objects.filter(pk__in=chunk).delete()
