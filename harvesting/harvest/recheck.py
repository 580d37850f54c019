"""Chosen records asked for again, and what came of it. The run does the work; this says what to ask for, and tells."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from harvesting.harvest.record_list import BETWEEN, MISSING
from harvesting.harvest.run import create_harvest
from harvesting.issues.counts import FAULTS
from harvesting.models import Feed, Harvest, Recheck, RecordIssue, Repository, ResolvedIssue, SourceRecord

MOST = 200  # records of one question: some minutes for a polite harvest
# These are read whole whatever is asked for, so several records are asked for by reading what has changed.
WHOLE = (Feed.Protocol.RSS, Feed.Protocol.FILE)


class Outcome(StrEnum):
    WAITING = "waiting"  # not asked yet
    MENDED = "mended"  # no fault is left
    BETTER = "better"  # some is gone
    CHANGED = "changed"  # it is another version, and nothing is mended
    SAME = "same"  # the provider sends what it sent before
    DELETED = "deleted"
    MISSING = "missing"  # the provider does not know it


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one record. left: faults (errors, warnings) that it has now; gone: that the run resolved."""

    record: SourceRecord
    outcome: Outcome
    left: int
    gone: int


def ask_again(repository: Repository, records: Iterable[int], person: str) -> list[Harvest]:
    """Queue a run for each feed that these records of the repository come from.

    person: the name of who asks. Raises TransportError "run.active" where a feed has a run that is not finished;
    then nothing is queued.
    """
    rows = SourceRecord.objects.filter(repository=repository, pk__in=list(records)[:MOST])
    by_feed: defaultdict[int, list[SourceRecord]] = defaultdict(list)
    only = repository.feeds.order_by("pk").values_list("pk", flat=True).first()
    counts = _faults(RecordIssue.objects.filter(source_record__in=rows))
    for row in rows.defer("payload", "record", "rejected_payload").order_by("pk"):
        by_feed[row.feed_id or only or 0].append(row)
    with transaction.atomic():
        return [_queue(feed, by_feed[feed.pk], counts, person) for feed in repository.feeds.filter(pk__in=by_feed)]


def results(asked: Recheck) -> list[Result]:
    """What is known now of each record, in the order in which they are asked for."""
    run = asked.harvest
    pks = [pk for pk, *_before in asked.records]
    rows = SourceRecord.objects.filter(pk__in=pks).select_related("repository")
    records = {each.pk: each for each in rows.defer("payload", "record", "rejected_payload")}
    left = _faults(RecordIssue.objects.filter(source_record__in=pks, ignored=None))
    gone = _faults(ResolvedIssue.objects.filter(source_record__in=pks, harvest=run.pk))
    done = _done(run, len(pks))
    found = []
    for place, (pk, before, digest) in enumerate(asked.records):
        if pk in records:
            outcome = _outcome(records[pk], run, place, before=(before, digest), now=(left[pk], gone[pk]), done=done)
            found.append(Result(records[pk], outcome, left[pk], gone[pk]))
    return found


def _queue(feed: Feed, records: Sequence[SourceRecord], counts: Counter[int], person: str) -> Harvest:
    whole = feed.protocol in WHOLE and len(records) > 1
    run = create_harvest(feed, identifier="" if whole else BETWEEN.join(each.identifier for each in records))
    rows = [[each.pk, counts[each.pk], bytes(each.payload_hash).hex()] for each in records]
    Recheck.objects.create(harvest=run, records=rows, asked_by=person)
    return run


def _done(run: Harvest, count: int) -> int:
    """How many of the records have been asked for."""
    if run.state == Harvest.State.SUCCEEDED:
        return count
    return int(run.resumption_token) if run.resumption_token.isdecimal() else 0


def _outcome(
    record: SourceRecord, run: Harvest, place: int, *, before: tuple[int, str], now: tuple[int, int], done: int
) -> Outcome:
    (issues, digest), (left, gone) = before, now
    if f"{MISSING}{place}" in run.memory:
        return Outcome.MISSING
    if record.deleted:
        return Outcome.DELETED
    if gone:
        return Outcome.BETTER if left else Outcome.MENDED
    if bytes(record.payload_hash).hex() != digest or left != issues:
        return Outcome.CHANGED if left else Outcome.MENDED
    return Outcome.SAME if place < done else Outcome.WAITING


def _faults(rows: QuerySet[Any]) -> Counter[int]:
    """Record -> how many of these findings are faults."""
    rows = rows.filter(severity__in=FAULTS).order_by().values_list("source_record")
    return Counter(dict(rows.annotate(count=Count("pk"))))
