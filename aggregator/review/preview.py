"""What a ruling would do to the groups, before it is made: done in earnest by the very aggregation, and taken back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from aggregator.grouping.aggregate import alone, take
from aggregator.grouping.claim import claim
from aggregator.grouping.writing import Members
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record


@dataclass(frozen=True, slots=True)
class Described:
    """A record as staff recognise it."""

    public_id: str
    title: str
    volume: str
    publisher: str
    issued: str


@dataclass(frozen=True, slots=True)
class Effect:
    """Groups that would be no more, and those that would stand in their place; none where nothing changes."""

    were: tuple[tuple[Described, ...], ...] = ()
    now: tuple[tuple[Described, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.were or self.now)


def effect_of(act: Callable[[], set[int]]) -> Effect:
    """act: makes or undoes rulings and returns the records that are to be grouped anew. Nothing of it stays."""
    with transaction.atomic():
        effect = Effect()
        claimed = claim(SourceRecord.objects.filter(pk__in=act()).order_by("pk").select_for_update(no_key=True))
        if claimed:
            alone()
            batch = take(claimed)
            effect = Effect(_described(batch.were), _described(batch.now))
        transaction.set_rollback(True)
    return effect


def _described(groups: Sequence[Members]) -> tuple[tuple[Described, ...], ...]:
    known: dict[int, Described] = {}
    pks = {pk for each in groups for pk in each}
    for pk, name, packed in select_in(SourceRecord, ("id", "public_id", "record"), "id", pks):
        record = unpack_record(packed)
        publisher = record.publishers[0].name if record.publishers else ""
        known[pk] = Described(name, record.title, record.volume, publisher, record.issued)
    return tuple(tuple(known[pk] for pk in sorted(each)) for each in groups)
