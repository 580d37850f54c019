"""What a service is to get is looked at again when its record has changed: in batches, with a history of the states.

A process that is killed repeats the batch.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.database.batches import as_json, as_timestamp, select_in, update, update_in
from harvesting.models import HandedOver, Repository, SourceRecord
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

BATCH = 500
MOST = 100_000  # rows of one job; the rest is for the next one
GONE = "gone"
type Records = Mapping[int, BibliographicRecord]  # by id


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of a row now. state: "" if it was never handed over and no record asks for it any more."""

    state: str
    codes: tuple[str, ...] = ()
    digest: str = ""


def check_changed[Row: HandedOver](
    table: type[Row], judge: Callable[[Sequence[Row], Records], Sequence[Verdict]], most: int
) -> int:
    """Check the rows whose record has changed; return how many."""
    done = 0
    while done < most and (count := _check_batch(table, judge)):
        done += count
    return done


@transaction.atomic
def _check_batch[Row: HandedOver](
    table: type[Row], judge: Callable[[Sequence[Row], Records], Sequence[Verdict]]
) -> int:
    unchecked = table._default_manager.filter(checked_at=None).order_by("pk").select_for_update(skip_locked=True)
    rows = list(unchecked[:BATCH])
    _store(table, list(zip(rows, judge(rows, live_records(rows)), strict=True)))
    return len(rows)


def live_records(rows: Sequence[HandedOver]) -> dict[int, BibliographicRecord]:
    """Return the records of these rows by id, without those that are deleted or withheld."""
    pks = [row.record_id for row in rows if row.record_id]
    live = SourceRecord.objects.filter(pk__in=pks, deleted=False, suppressed_at=None).exclude(record=b"")
    return {pk: unpack_record(bytes(packed)) for pk, packed in live.values_list("pk", "record")}


def _store[Row: HandedOver](table: type[Row], verdicts: Sequence[tuple[Row, Verdict]]) -> None:
    """Store what the rows are now. A change of the state is added to the history of a row."""
    now = timezone.now()
    superfluous = [row.pk for row, verdict in verdicts if not verdict.state]
    table._default_manager.filter(pk__in=superfluous).delete()
    kept = [(row, verdict) for row, verdict in verdicts if verdict.state]
    moment = as_timestamp(now)
    update(
        table,
        ("state", "codes", "digest", "checked_at", "changed_at", "settled_at"),
        [
            (
                str(verdict.state),
                as_json(list(verdict.codes)),
                verdict.digest,
                moment,
                as_timestamp(now if _differs(row, verdict) else row.changed_at),
                as_timestamp(row.settled_at) if row.settled_at and verdict.state == GONE else None,
                row.pk,
            )
            for row, verdict in kept
        ],
    )
    _add(
        row.event(at=now, state=verdict.state, message=" ".join(verdict.codes), digest=verdict.digest)
        for row, verdict in kept
        if _differs(row, verdict)
    )


def _differs(row: HandedOver, verdict: Verdict) -> bool:
    return (row.state, list(row.codes)) != (verdict.state, list(verdict.codes))


def all_records(repository_id: int) -> Iterator[dict[int, BibliographicRecord]]:
    """Yield the live records of a provider by id, in batches."""
    position, live = 0, SourceRecord.objects.filter(repository=repository_id, deleted=False, suppressed_at=None)
    stored = live.exclude(record=b"").order_by("pk").values_list("pk", "record")
    while rows := list(stored.filter(pk__gt=position)[:BATCH]):
        position = rows[-1][0]
        yield {pk: unpack_record(bytes(packed)) for pk, packed in rows}


def find_vanished(table: type[HandedOver]) -> None:
    """Mark the rows to be checked whose record was deleted or withheld outside a harvest."""
    vanished = Q(record=None) | Q(record__deleted=True) | Q(record__suppressed_at__isnull=False)
    table._default_manager.filter(vanished).exclude(state=GONE).update(checked_at=None)


def gone(table: type[HandedOver], repositories: Collection[int] | QuerySet[Repository]) -> QuerySet[HandedOver]:
    """Return what was handed over, and whose record is gone since, which staff have still to deal with."""
    return table._default_manager.filter(Q(repository__in=repositories), state=GONE, settled_at=None)


def settle(table: type[HandedOver], repository_id: int) -> int:
    """Note that a person has dealt with what is gone of a provider; return how many."""
    return gone(table, [repository_id]).update(settled_at=timezone.now())


def mark_to_check(table: type[HandedOver], pks: Sequence[int]) -> None:
    """Mark the rows of these records to be checked again."""
    if pks and table._default_manager.exists():
        found = select_in(table, ("id",), "record_id", list(pks))
        update_in(table, "checked_at", None, [pk for (pk,) in found])


def mark(rows: Sequence[HandedOver], state: str, digest: Callable[[HandedOver], str], **columns: object) -> int:
    """Give rows a state that a person knows, unless theirs has changed since they were read; return how many."""
    now = timezone.now()
    events = []
    with transaction.atomic():
        for row in rows:
            about = {"state": state, "sent_digest": digest(row), "changed_at": now, "checked_at": None, **columns}
            if type(row)._default_manager.filter(pk=row.pk, state=row.state).update(**about):
                events.append(row.event(at=now, state=state, digest=digest(row)))
        _add(events)
    return len(events)


def _add(events: Iterable[models.Model]) -> None:
    found = list(events)
    if found:
        type(found[0])._default_manager.bulk_create(found, batch_size=500)
