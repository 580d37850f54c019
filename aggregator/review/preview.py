"""What a ruling would do to the groups: it is carried out and aggregated in a transaction that is rolled back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from aggregator.grouping.aggregate import aggregate_claimed, wait_for_aggregation_lock
from aggregator.grouping.claim import claim
from aggregator.numbers.giving import Members
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record


@dataclass(frozen=True, slots=True)
class Described:
    """A record in the few fields by which staff recognise it."""

    public_id: str
    title: str
    volume: str
    publisher: str
    issued: str


@dataclass(frozen=True, slots=True)
class Effect:
    """Groups that would cease to exist, and groups that would replace them; both empty where nothing changes."""

    removed: tuple[tuple[Described, ...], ...] = ()
    created: tuple[tuple[Described, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.removed or self.created)


def effect_of(act: Callable[[], set[int]]) -> Effect:
    """Return the effect of an act, without any lasting change.

    act: makes or undoes rulings and returns the numbers of the records to be grouped again.
    """
    with transaction.atomic():
        effect = Effect()
        claimed = claim(SourceRecord.objects.filter(pk__in=act()).order_by("pk").select_for_update(no_key=True))
        if claimed:
            wait_for_aggregation_lock()
            batch = aggregate_claimed(claimed)
            effect = Effect(_described(batch.removed), _described(batch.created))
        transaction.set_rollback(True)
    return effect


def _described(groups: Sequence[Members]) -> tuple[tuple[Described, ...], ...]:
    known: dict[int, Described] = {}
    pks = {pk for group in groups for pk in group}
    for pk, name, packed in select_in(SourceRecord, ("id", "public_id", "record"), "id", pks):
        record = unpack_record(packed)
        publisher = record.publishers[0].name if record.publishers else ""
        known[pk] = Described(name, record.title, record.volume, publisher, record.issued)
    return tuple(tuple(known[pk] for pk in sorted(group)) for group in groups)
