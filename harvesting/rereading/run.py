"""Stored payloads converted and validated again, after a crosswalk or a rule changed. No network.

Each batch is decided first, then written in ONE short transaction with the place that the reread has reached: a
killed one goes on there, and nothing counts twice. A record that a harvest changed meanwhile is left as it is.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError, connection, models, transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from core.checkpoints import checkpoint
from core.database.batches import as_moment, update
from core.database.locks import Work, turn
from harvesting.issues import storage as faults
from harvesting.issues.counts import take_stock
from harvesting.issues.storage import Found, IssueRow
from harvesting.models import RecordIssue, Repository, Reread, SourceRecord
from harvesting.records import versions
from harvesting.registry.policies import policy_of
from harvesting.rereading.decisions import Rereading, Stored, Tally
from harvesting.rereading.parallel import FEW, Result, read_all, reader
from metadata.policy import Policy

BATCH = 200  # records of one transaction
LOOK_AGAIN, LONGEST_WAIT = 0.2, 600.0  # seconds; for rows that a harvest or an aggregation holds
# Places where tests kill the process; those of core.checkpoints are passed by harvests.
BEFORE_COMMIT, AFTER_COMMIT = "reread.before_commit", "reread.after_commit"

type Tallies = dict[str, Tally]  # by repository number


class RereadBusy(Exception):
    """Another reread is under way."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some records, what becomes of each, and the policy of each repository (by number). last: the last one's id."""

    found: Sequence[Rereading]
    policies: dict[str, Policy]
    last: int

    def tallies(self, overtaken: frozenset[int] = frozenset()) -> Tallies:
        """The account of it. overtaken: records that are left as they are."""
        tallies: Tallies = {}
        for each in self.found:
            tally = tallies.setdefault(each.stored.number, Tally())
            if each.stored.pk in overtaken:
                tally.merge(Tally(records=1, overtaken=1))
            else:
                tally.add(each, self.policies[each.stored.number])
        return tallies


@contextmanager
def alone() -> Iterator[None]:
    """Hold the right to reread, which ends with the process that has it. Raises RereadBusy."""
    with turn(Work.REREAD) as ours:
        if not ours:
            raise RereadBusy
        yield


def begin(numbers: Sequence[str], *, restart: bool = False) -> tuple[Reread, bool]:
    """The reread of these repositories ([] = all) that was not finished, or a new one; and whether it goes on.

    restart: a new one in any case. Only for who is `alone`.
    """
    scope = sorted(set(numbers))
    waiting = Reread.objects.filter(state=Reread.State.OPEN, repositories=scope)
    if restart:
        waiting.update(state=Reread.State.GIVEN_UP, finished_at=timezone.now())
    run = waiting.order_by("-pk").first()
    if run is not None:
        return run, True
    return Reread.objects.create(repositories=scope, last=last_record()), False


def last_record() -> int:
    """The number of the newest record there is; later ones are read by the rules of now."""
    return SourceRecord.objects.aggregate(last=Max("pk"))["last"] or 0


def waiting_records(numbers: Sequence[str], after: int, last: int) -> QuerySet[SourceRecord]:
    """What is to be read: records with a registered or a refused version."""
    records = SourceRecord.objects.filter(~Q(payload=b"") | Q(refused=True), pk__gt=after, pk__lte=last)
    return records.filter(repository__number__in=numbers) if numbers else records


def carry_on(run: Reread) -> Iterator[Tallies]:
    """Read everything that is left; yields the account of each committed batch. Only for who is `alone`."""
    for batch in _decided(run.repositories, run.position, run.last):
        yield _carry_out(run, batch)
    Reread.objects.filter(pk=run.pk).update(state=Reread.State.FINISHED, finished_at=timezone.now())
    run.refresh_from_db()
    for repository in Repository.objects.filter(number__in=run.counts):
        take_stock(repository)


def preview(numbers: Sequence[str]) -> Iterator[Tallies]:
    """What a reread would find now. Stores nothing."""
    for batch in _decided(numbers, 0, last_record()):
        yield batch.tallies()


def again(pks: Sequence[int]) -> Tally:
    """Read these records again now: what a person waits for, so some hundred at most. What a harvest holds stays."""
    stored, policies = _load(pks)
    batch = Batch(read_all(stored, policies), policies, max(pks, default=0))
    tallies = _patiently(lambda: _store(batch))
    tally = Tally()
    for each in tallies.values():
        tally.merge(each)
    return tally


def total(counts: dict[str, Any]) -> Tally:
    """The account of all repositories together, from `Reread.counts`."""
    tally = Tally()
    for each in counts.values():
        tally.merge(Tally.of(each))
    return tally


def merged(counts: dict[str, Any], more: Tallies) -> dict[str, Any]:
    """The accounts by repository with those of another batch, as `Reread.counts` holds them."""
    result = dict(counts)
    for number, tally in more.items():
        known = Tally.of(result.get(number, {}))
        known.merge(tally)
        result[number] = known.as_json()
    return result


def _decided(numbers: Sequence[str], after: int, last: int) -> Iterator[Batch]:
    """What becomes of the records, batch by batch in their order; nothing is locked meanwhile."""
    records = waiting_records(numbers, after, last)
    with reader(records[:FEW].count()) as ready:
        begun: deque[tuple[Result, dict[str, Policy], int]] = deque()
        for pks in _parts(records):
            stored, policies = _load(pks)
            begun.append((ready.read(stored, policies), policies, pks[-1]))
            if len(begun) > ready.ahead:
                yield _batch(*begun.popleft())
        while begun:
            yield _batch(*begun.popleft())


def _batch(result: Result, policies: dict[str, Policy], last: int) -> Batch:
    return Batch(result(), policies, last)


def _parts(records: QuerySet[SourceRecord]) -> Iterator[list[int]]:
    """The numbers of the records, in order, a batch at a time."""
    position = 0
    while pks := list(records.filter(pk__gt=position).order_by("pk").values_list("pk", flat=True)[:BATCH]):
        yield pks
        position = pks[-1]


def _load(pks: Sequence[int]) -> tuple[list[Stored], dict[str, Policy]]:
    """What is stored of these records, and how each repository's are checked now."""
    stored = list(_stored(SourceRecord.objects.filter(pk__in=pks).order_by("pk"), _issues(pks)))
    owners = Repository.objects.filter(number__in={each.number for each in stored})
    return stored, {owner.number: policy_of(owner) for owner in owners}


COLUMNS = (
    *("pk", "repository__number", "metadata_prefix", "payload", "payload_hash", "record"),
    *("rejected_payload", "refused", "deleted"),
)


def _stored(records: QuerySet[SourceRecord], issues: dict[int, list[IssueRow]]) -> Iterator[Stored]:
    for pk, number, prefix, payload, digest, record, rejected, refused, deleted in records.values_list(*COLUMNS):
        yield Stored(
            pk=pk,
            number=number,
            prefix=prefix,
            payload=bytes(payload),
            digest=bytes(digest),
            record=bytes(record),
            rejected=bytes(rejected),
            refused=refused,
            deleted=deleted,
            issues=issues.get(pk, []),
        )


def _issues(pks: Sequence[int]) -> dict[int, list[IssueRow]]:
    found: dict[int, list[IssueRow]] = {}
    rows = RecordIssue.objects.filter(source_record__in=pks).order_by("pk")
    columns = ("source_record", "code", "severity", "field", "value", "result")
    for pk, code, severity, place, value, result in rows.values_list(*columns):
        found.setdefault(pk, []).append((code, severity, place, value, result))
    return found


def _carry_out(run: Reread, batch: Batch) -> Tallies:
    """Write what differs and where the reread stands, in one transaction. Never waits with rows in its hands."""
    tallies, counts = _patiently(lambda: _write(run, batch))
    run.position, run.counts = batch.last, counts
    checkpoint(AFTER_COMMIT)
    return tallies


def _patiently[T](write: Callable[[], T]) -> T:
    """What the function gives, tried again while somebody holds one of the rows."""
    end = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            return write()
        except OperationalError:
            if connection.vendor != "postgresql" or time.monotonic() > end:
                raise
            time.sleep(LOOK_AGAIN)


@transaction.atomic
def _write(run: Reread, batch: Batch) -> tuple[Tallies, dict[str, Any]]:
    tallies = _store(batch)
    counts = merged(run.counts, tallies)
    Reread.objects.filter(pk=run.pk).update(position=batch.last, counts=counts)
    checkpoint(BEFORE_COMMIT)
    return tallies, counts


@transaction.atomic
def _store(batch: Batch) -> Tallies:
    overtaken = _overtaken(batch.found)
    found = [each for each in batch.found if each.stored.pk not in overtaken]
    _write_records(found)
    _write_issues([each for each in found if each.tells_otherwise])
    return batch.tallies(overtaken)


def _overtaken(found: Sequence[Rereading]) -> frozenset[int]:
    """Lock the records; which of them are others than those that were read, or gone."""
    pks = [each.stored.pk for each in found]
    locked = SourceRecord.objects.filter(pk__in=pks).order_by("pk").select_for_update(nowait=True, of=("self",))
    rows = locked.values_list("pk", "payload_hash", "rejected_payload", "refused", "deleted")
    now = {pk: (bytes(digest), bytes(rejected), refused, deleted) for pk, digest, rejected, refused, deleted in rows}
    return frozenset(each.stored.pk for each in found if now.get(each.stored.pk) != each.stored.version)


def _write_records(found: Sequence[Rereading]) -> None:
    now = as_moment(timezone.now())
    again = ("record", "changed_at", "aggregated_at")  # the catalogue follows
    live = [each for each in found if each.record and not each.stored.deleted]
    update(SourceRecord, again, [(each.record, now, None, each.stored.pk) for each in live])
    update(
        SourceRecord,
        ("record",),
        [(each.record, each.stored.pk) for each in found if each.record and each.stored.deleted],
    )
    versions.keep([each.stored.pk for each in found if each.accepted and each.digest != each.stored.digest])
    update(
        SourceRecord,
        ("payload", "payload_hash", "rejected_payload", "refused"),
        [(each.stored.rejected, each.digest, b"", False, each.stored.pk) for each in found if each.accepted],
    )
    # The version that is registered stays, as after a harvest that refuses one, and may come back in the same way.
    update(
        SourceRecord,
        ("rejected_payload", "refused"),
        [(each.stored.payload, True, each.stored.pk) for each in found if each.refused],
    )


def _write_issues(found: Sequence[Rereading]) -> None:
    """Replace the issues of these records; they still belong to the run that found the earlier ones."""
    pks = [each.stored.pk for each in found]
    if not pks:
        return
    earlier = RecordIssue.objects.filter(source_record__in=pks)
    runs: dict[int, int | None] = dict(earlier.values_list("source_record").annotate(run=models.Max("harvest")))
    owners = dict(SourceRecord.objects.filter(pk__in=pks).values_list("pk", "repository"))
    rows = [
        Found(pk, owners[pk], each.rows, runs.get(pk), faults.REREAD)
        for each in found
        if (pk := each.stored.pk) in owners
    ]
    faults.replace(rows, pks, again=False)
