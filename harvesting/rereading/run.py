"""Rereads stored payloads: converts and validates them again after a crosswalk or a rule has changed. No network
access.

Every batch is decided first and then written in ONE short transaction, together with the position that the reread has
reached. So a killed reread resumes there and counts nothing twice. A record that a harvest changes in the meantime is
left as it is.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError, models, transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from core.checkpoints import checkpoint
from core.database.batches import as_timestamp, update
from core.database.dialects import dialect
from core.database.locks import Work, try_lock
from harvesting.doi import claims
from harvesting.doi.terms import terms_of
from harvesting.doi.verdicts import mark_to_check
from harvesting.issues import storage
from harvesting.issues.counts import count_issues
from harvesting.issues.storage import FoundIssues, IssueRow
from harvesting.models import DoctoralThesis, RecordIssue, Repository, RequestedDoi, Reread, SourceRecord
from harvesting.records import enriched, versions
from harvesting.records.compression import unpack_record
from harvesting.records.enriched import EnrichedRow
from harvesting.registry.policies import policy_of
from harvesting.rereading.decisions import Rereading, Stored, Tally
from harvesting.rereading.parallel import MIN_FOR_PROCESSES, Result, read_all, reader
from harvesting.theses import states as theses
from metadata.deposits.needs import asked_for
from metadata.deposits.terms import Terms
from metadata.deposits.theses import is_collected
from metadata.policy import Policy

BATCH = 200  # records per transaction
RETRY_PAUSE, LONGEST_WAIT = 0.2, 600.0  # seconds; while a harvest or an aggregation locks the rows
# Checkpoints at which tests kill the process. They are not in core.checkpoints.CHECKPOINTS, which lists those of runs.
BEFORE_COMMIT, AFTER_COMMIT = "reread.before_commit", "reread.after_commit"

type Tallies = dict[str, Tally]  # by repository number


class RereadBusy(Exception):
    """Another reread is in progress."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The results for some records. policies: by repository number. last: id of the last record of the batch."""

    rereadings: Sequence[Rereading]
    policies: dict[str, Policy]
    last: int

    def tallies(self, overtaken: frozenset[int] = frozenset()) -> Tallies:
        """Count the results by repository. overtaken: ids of records that changed or disappeared in the meantime."""
        tallies: Tallies = {}
        for rereading in self.rereadings:
            tally = tallies.setdefault(rereading.stored.number, Tally())
            if rereading.stored.pk in overtaken:
                tally.merge(Tally(records=1, overtaken=1))
            else:
                tally.add(rereading, self.policies[rereading.stored.number])
        return tallies


@contextmanager
def exclusive_reread() -> Iterator[None]:
    """Hold the lock that allows one reread at a time; it is released if the process dies. Raises RereadBusy."""
    with try_lock(Work.REREAD) as locked:
        if not locked:
            raise RereadBusy
        yield


def begin_or_resume(numbers: Sequence[str], *, restart: bool = False) -> tuple[Reread, bool]:
    """The unfinished reread of these repositories, or a new one; and whether it is resumed.

    numbers: repository numbers, [] = all. restart: give an unfinished reread up and begin a new one.
    The caller must hold `exclusive_reread`.
    """
    scope = sorted(set(numbers))
    unfinished = Reread.objects.filter(state=Reread.State.OPEN, repositories=scope, enrichment=None)
    if restart:
        unfinished.update(state=Reread.State.GIVEN_UP, finished_at=timezone.now())
    run = unfinished.order_by("-pk").first()
    if run is not None:
        return run, True
    return Reread.objects.create(repositories=scope, last=last_record()), False


def last_record() -> int:
    """The id of the newest record. Records that are stored after it are read by the current rules anyway."""
    return SourceRecord.objects.aggregate(last=Max("pk"))["last"] or 0


def records_to_reread(numbers: Sequence[str], after: int, last: int) -> QuerySet[SourceRecord]:
    """The records to be read, in a range of ids: those with a registered or a refused version."""
    records = SourceRecord.objects.filter(~Q(payload=b"") | Q(refused=True), pk__gt=after, pk__lte=last)
    return records.filter(repository__number__in=numbers) if numbers else records


def run_batches(run: Reread) -> Iterator[Tallies]:
    """Read all remaining records; yield the tallies of every committed batch. At the end count the issues anew.

    The caller must hold `exclusive_reread`.
    """
    yield from remaining_batches(run)
    finish(run)


def remaining_batches(run: Reread) -> Iterator[Tallies]:
    """Read the remaining records; yield the tallies of every committed batch. The caller may stop between two.

    The caller must hold `exclusive_reread`.
    """
    for batch in _decided(run.repositories, run.position, run.last):
        yield _carry_out(run, batch)


def finish(run: Reread) -> None:
    """Mark a reread whose records have all been read as finished, and count the issues anew."""
    open_run = Reread.objects.filter(pk=run.pk, state=Reread.State.OPEN)
    open_run.update(state=Reread.State.FINISHED, finished_at=timezone.now())
    run.refresh_from_db()
    for repository in Repository.objects.filter(number__in=run.counts):
        count_issues(repository)


def preview(numbers: Sequence[str]) -> Iterator[Tallies]:
    """Yield the tallies that a reread would have now, without storing anything."""
    for batch in _decided(numbers, 0, last_record()):
        yield batch.tallies()


def reread_now(pks: Sequence[int]) -> Tally:
    """Read these records again at once, while a person waits for it: a few hundred at most.

    Records that a harvest changes in the meantime are left as they are.
    """
    stored, policies = _load(pks)
    batch = Batch(read_all(stored, policies), policies, max(pks, default=0))
    tallies = _retry_while_locked(lambda: _store(batch))
    combined = Tally()
    for tally in tallies.values():
        combined.merge(tally)
    return combined


def total(counts: dict[str, Any]) -> Tally:
    """The tally of all repositories together. counts: as in `Reread.counts`."""
    combined = Tally()
    for repository_counts in counts.values():
        combined.merge(Tally.of(repository_counts))
    return combined


def merge_tallies(counts: dict[str, Any], more: Tallies) -> dict[str, Any]:
    """The tallies by repository number, in the form of `Reread.counts`, with those of another batch added."""
    result = dict(counts)
    for number, tally in more.items():
        combined = Tally.of(result.get(number, {}))
        combined.merge(tally)
        result[number] = combined.as_json()
    return result


def _decided(numbers: Sequence[str], after: int, last: int) -> Iterator[Batch]:
    """Yield the results for the records, batch by batch in the order of their ids. Locks no rows."""
    records = records_to_reread(numbers, after, last)
    with reader(records[:MIN_FOR_PROCESSES].count()) as batch_reader:
        started: deque[tuple[Result, dict[str, Policy], int]] = deque()
        for pks in _pk_batches(records):
            stored, policies = _load(pks)
            started.append((batch_reader.read(stored, policies), policies, pks[-1]))
            if len(started) > batch_reader.ahead:
                yield _batch(*started.popleft())
        while started:
            yield _batch(*started.popleft())


def _batch(result: Result, policies: dict[str, Policy], last: int) -> Batch:
    return Batch(result(), policies, last)


def _pk_batches(records: QuerySet[SourceRecord]) -> Iterator[list[int]]:
    """The ids of the records in ascending order, BATCH at a time."""
    position = 0
    while pks := list(records.filter(pk__gt=position).order_by("pk").values_list("pk", flat=True)[:BATCH]):
        yield pks
        position = pks[-1]


def _load(pks: Sequence[int]) -> tuple[list[Stored], dict[str, Policy]]:
    """What is stored of these records, and the current policies by repository number."""
    records = SourceRecord.objects.filter(pk__in=pks).order_by("pk")
    owners = records.order_by().values_list("repository", flat=True).distinct()
    terms = {owner: terms_of(owner) for owner in owners}
    stored = list(_stored(records, _issues(pks), terms, enriched.stored_rows(pks)))
    repositories = Repository.objects.filter(number__in={record.number for record in stored})
    return stored, {repository.number: policy_of(repository) for repository in repositories}


COLUMNS = (
    *("pk", "repository__number", "metadata_prefix", "payload", "payload_hash", "record"),
    *("rejected_payload", "refused", "deleted", "repository"),
)


def _stored(
    records: QuerySet[SourceRecord],
    issues: dict[int, list[IssueRow]],
    terms: dict[int, Terms],
    of_rules: dict[int, EnrichedRow],
) -> Iterator[Stored]:
    for row in records.values_list(*COLUMNS, named=True):
        yield Stored(
            pk=row.pk,
            number=row.repository__number,
            prefix=row.metadata_prefix,
            payload=bytes(row.payload),
            digest=bytes(row.payload_hash),
            record=bytes(row.record),
            rejected=bytes(row.rejected_payload),
            refused=row.refused,
            deleted=row.deleted,
            issues=issues.get(row.pk, []),
            terms=terms[row.repository],
            enriched=of_rules.get(row.pk),
        )


def _issues(pks: Sequence[int]) -> dict[int, list[IssueRow]]:
    """Record id -> its stored issues."""
    issues: dict[int, list[IssueRow]] = {}
    rows = RecordIssue.objects.filter(source_record__in=pks).order_by("pk")
    for pk, *columns in rows.values_list("source_record", *IssueRow._fields):
        issues.setdefault(pk, []).append(IssueRow(*columns))
    return issues


def _carry_out(run: Reread, batch: Batch) -> Tallies:
    """Write the changes of a batch and the position of the reread in one transaction.

    If other processes have locked some of the rows, the transaction is rolled back and repeated, so that it never waits
    while it holds locks itself.
    """
    tallies, counts = _retry_while_locked(lambda: _write(run, batch))
    run.position, run.counts = batch.last, counts
    checkpoint(AFTER_COMMIT)
    return tallies


def _retry_while_locked[T](write: Callable[[], T]) -> T:
    """Call the function, again and again while another process locks one of the rows; at most for LONGEST_WAIT."""
    end = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            return write()
        except OperationalError:
            if not dialect().locks_rows or time.monotonic() > end:
                raise
            time.sleep(RETRY_PAUSE)


@transaction.atomic
def _write(run: Reread, batch: Batch) -> tuple[Tallies, dict[str, Any]]:
    tallies = _store(batch)
    counts = merge_tallies(run.counts, tallies)
    Reread.objects.filter(pk=run.pk).update(position=batch.last, counts=counts)
    checkpoint(BEFORE_COMMIT)
    return tallies, counts


@transaction.atomic
def _store(batch: Batch) -> Tallies:
    overtaken = _lock_and_find_overtaken(batch.rereadings)
    rereadings = [rereading for rereading in batch.rereadings if rereading.stored.pk not in overtaken]
    _write_records(rereadings)
    _write_issues([rereading for rereading in rereadings if rereading.issues_differ])
    _write_claims([rereading for rereading in rereadings if rereading.record and not rereading.stored.deleted])
    return batch.tallies(overtaken)


def _lock_and_find_overtaken(rereadings: Sequence[Rereading]) -> frozenset[int]:
    """Lock the records; return the ids of those that have changed or disappeared since they were read."""
    pks = [rereading.stored.pk for rereading in rereadings]
    locked = SourceRecord.objects.filter(pk__in=pks).order_by("pk").select_for_update(nowait=True, of=("self",))
    rows = locked.values_list("pk", "payload_hash", "rejected_payload", "refused", "deleted")
    now = {pk: (bytes(digest), bytes(rejected), refused, deleted) for pk, digest, rejected, refused, deleted in rows}
    return frozenset(
        rereading.stored.pk for rereading in rereadings if now.get(rereading.stored.pk) != rereading.stored.version
    )


def _write_records(rereadings: Sequence[Rereading]) -> None:
    now = as_timestamp(timezone.now())
    live = [rereading for rereading in rereadings if rereading.is_changed and not rereading.stored.deleted]
    update(
        SourceRecord,
        ("record", "changed_at", "aggregated_at"),  # aggregated_at = NULL: the catalogue must be updated
        [(rereading.record or rereading.stored.record, now, None, rereading.stored.pk) for rereading in live],
    )
    withdrawn = [rereading.stored for rereading in rereadings if rereading.withdrawn]
    update(
        SourceRecord,
        ("record", "payload", "payload_hash", "changed_at", "aggregated_at"),
        [(b"", b"", b"", now, None, stored.pk) for stored in withdrawn],
    )
    enriched.forget([stored.pk for stored in withdrawn])
    enriched.replace({rereading.stored.pk: rereading.enriched for rereading in rereadings if rereading.enriched})
    deleted = [rereading for rereading in rereadings if rereading.record and rereading.stored.deleted]
    update(SourceRecord, ("record",), [(rereading.record, rereading.stored.pk) for rereading in deleted])
    accepted = [rereading for rereading in rereadings if rereading.accepted]
    versions.archive([rereading.stored.pk for rereading in accepted if rereading.digest != rereading.stored.digest])
    update(
        SourceRecord,
        ("payload", "payload_hash", "rejected_payload", "refused"),
        [(rereading.stored.rejected, rereading.digest, b"", False, rereading.stored.pk) for rereading in accepted],
    )
    # The registered version stays in use although the rules now refuse it. Its payload is also stored as the rejected
    # one, so that a later reread can accept it again.
    update(
        SourceRecord,
        ("rejected_payload", "refused"),
        [(rereading.stored.payload, True, rereading.stored.pk) for rereading in rereadings if rereading.refused],
    )


def _write_claims(rereadings: Sequence[Rereading]) -> None:
    """Store the DOIs for which the converted records ask, and theses, and have them looked at again."""
    pks = [rereading.stored.pk for rereading in rereadings]
    mark_to_check(RequestedDoi, pks)
    mark_to_check(DoctoralThesis, pks)
    records = {rereading.stored.pk: unpack_record(rereading.record) for rereading in rereadings}
    asked = {pk: claim for pk, record in records.items() if (claim := asked_for(record))[1]}
    collected = {pk for pk, record in records.items() if is_collected(record)}
    owners = SourceRecord.objects.filter(pk__in=asked.keys() | collected).values_list("repository", "pk")
    by_repository: dict[int, list[int]] = {}
    for repository, pk in owners:
        by_repository.setdefault(repository, []).append(pk)
    for repository, own in by_repository.items():
        claims.claim({pk: asked[pk] for pk in own if pk in asked}, repository)
        theses.store([pk for pk in own if pk in collected], repository)


def _write_issues(rereadings: Sequence[Rereading]) -> None:
    """Replace the issues of these records. The new ones are attributed to the run that found the earlier ones."""
    pks = [rereading.stored.pk for rereading in rereadings]
    if not pks:
        return
    earlier = RecordIssue.objects.filter(source_record__in=pks)
    runs: dict[int, int | None] = dict(earlier.values_list("source_record").annotate(run=models.Max("harvest")))
    owners = dict(SourceRecord.objects.filter(pk__in=pks).values_list("pk", "repository"))
    rows = [
        FoundIssues(pk, owners[pk], rereading.rows, runs.get(pk), storage.REREAD)
        for rereading in rereadings
        if (pk := rereading.stored.pk) in owners
    ]
    storage.replace(rows, pks, again=False)
