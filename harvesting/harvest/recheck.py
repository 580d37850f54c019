"""Fetching chosen records again (取り直す): queues the runs that request them, and compares every record with what it
was before.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from harvesting.harvest.record_list import MISSING_PREFIX, SEPARATOR
from harvesting.harvest.run import create_harvest
from harvesting.issues.counts import ERRORS_AND_WARNINGS
from harvesting.models import (
    LARGE_COLUMNS,
    Feed,
    Harvest,
    Recheck,
    RecordIssue,
    Repository,
    ResolvedIssue,
    SourceRecord,
)

MAX_RECORDS = 200  # of one recheck: with pauses between the requests, 200 records take some minutes


class Outcome(StrEnum):
    """What the recheck of one record has shown."""

    WAITING = "waiting"  # not requested yet
    MENDED = "mended"  # no error or warning is left
    BETTER = "better"  # some errors or warnings are resolved, others are left
    CHANGED = "changed"  # the provider sent another version, but nothing is resolved
    SAME = "same"  # the provider sent what it had sent before
    DELETED = "deleted"
    MISSING = "missing"  # the provider does not know the record


@dataclass(frozen=True, slots=True)
class Result:
    """The result for one record. left: how many errors and warnings it has now; gone: how many the run resolved."""

    record: SourceRecord
    outcome: Outcome
    left: int
    gone: int


def queue_recheck(repository: Repository, records: Iterable[int], person: str) -> list[Harvest]:
    """Queue a run for each feed that these records of the repository come from.

    records: their ids; those beyond MAX_RECORDS are left out. person: user name of the person who requests it.
    A record whose feed is gone is requested from the repository's first feed.
    Raises TransportError "run.active" if one of the feeds has an unfinished run; then nothing is queued.
    """
    rows = SourceRecord.objects.filter(repository=repository, pk__in=list(records)[:MAX_RECORDS])
    by_feed: defaultdict[int, list[SourceRecord]] = defaultdict(list)
    first_feed = repository.feeds.order_by("pk").values_list("pk", flat=True).first()
    counts = _count_errors_and_warnings(RecordIssue.objects.filter(source_record__in=rows))
    for row in rows.defer(*LARGE_COLUMNS).order_by("pk"):
        by_feed[row.feed_id or first_feed or 0].append(row)
    with transaction.atomic():
        return [_queue(feed, by_feed[feed.pk], counts, person) for feed in repository.feeds.filter(pk__in=by_feed)]


def results(recheck: Recheck) -> list[Result]:
    """The results known so far, in the order in which the records are requested. Records that are gone are left out."""
    run = recheck.harvest
    pks = [pk for pk, *_before in recheck.records]
    rows = SourceRecord.objects.filter(pk__in=pks).select_related("repository")
    records = {record.pk: record for record in rows.defer(*LARGE_COLUMNS)}
    left = _count_errors_and_warnings(RecordIssue.objects.filter(source_record__in=pks, ignored=None))
    gone = _count_errors_and_warnings(ResolvedIssue.objects.filter(source_record__in=pks, harvest=run.pk))
    requested = _count_requested(run, len(pks))
    known = []
    for position, (pk, issues, digest) in enumerate(recheck.records):
        if pk in records:
            before, now = (issues, digest), (left[pk], gone[pk])
            outcome = _outcome(records[pk], run, position, before=before, now=now, requested=requested)
            known.append(Result(records[pk], outcome, left[pk], gone[pk]))
    return known


def _queue(feed: Feed, records: Sequence[SourceRecord], counts: Counter[int], person: str) -> Harvest:
    # A transport that cannot fetch single records reads its whole list for each; an ordinary run reads it only once.
    whole = not feed.transport_kind.fetches_single and len(records) > 1
    run = create_harvest(feed, identifier="" if whole else SEPARATOR.join(record.identifier for record in records))
    rows = [[record.pk, counts[record.pk], bytes(record.payload_hash).hex()] for record in records]
    Recheck.objects.create(harvest=run, records=rows, asked_by=person)
    return run


def _count_requested(run: Harvest, count: int) -> int:
    """How many of the `count` records the run has requested so far."""
    if run.state == Harvest.State.SUCCEEDED:
        return count
    return int(run.resumption_token) if run.resumption_token.isdecimal() else 0


def _outcome(
    record: SourceRecord, run: Harvest, position: int, *, before: tuple[int, str], now: tuple[int, int], requested: int
) -> Outcome:
    """Compare one record, whose place in the list of requests is `position`.

    before: the number of its errors and warnings, and the hash of its payload. now: how many of them are left, and how
    many the run resolved. requested: how many records the run has requested so far.
    """
    (issues, digest), (left, gone) = before, now
    if f"{MISSING_PREFIX}{position}" in run.memory:
        return Outcome.MISSING
    if record.deleted:
        return Outcome.DELETED
    if gone:
        return Outcome.BETTER if left else Outcome.MENDED
    if bytes(record.payload_hash).hex() != digest or left != issues:
        return Outcome.CHANGED if left else Outcome.MENDED
    return Outcome.SAME if position < requested else Outcome.WAITING


def _count_errors_and_warnings(rows: QuerySet[Any]) -> Counter[int]:
    """Record id -> how many of these issues are errors or warnings."""
    rows = rows.filter(severity__in=ERRORS_AND_WARNINGS).order_by().values_list("source_record")
    return Counter(dict(rows.annotate(count=Count("pk"))))
