"""What a ruling would do to the groups: it is carried out and aggregated in a transaction that is rolled back."""

from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.db import transaction

from aggregator.grouping.aggregate import aggregate_claimed, wait_for_aggregation_lock
from aggregator.grouping.claim import Claim, claim
from aggregator.models import Member
from core.database.batches import select_in
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_record

type Records = tuple[int, ...]  # primary keys, in order
SHOWN = 200  # members of a group


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
    """Return what making or undoing rulings would change, without any lasting change.

    act: makes or undoes them, and returns the keys of the records to be grouped again.
    """
    with transaction.atomic():
        effect = Effect()
        claimed = claim(SourceRecord.objects.filter(pk__in=act()).order_by("pk").select_for_update(no_key=True))
        if claimed:
            wait_for_aggregation_lock()
            books, after = _groups_afterwards(claimed)
            before = _groups(books)
            effect = Effect(_described(before - after), _described(after - before))
        transaction.set_rollback(True)
    return effect


def _groups_afterwards(claimed: Claim) -> tuple[frozenset[int], set[Records]]:
    """The numbers of the books that would be regrouped, and the groups that their records would then form."""
    with transaction.atomic():
        books = aggregate_claimed(claimed).books
        groups = _groups(books)
        transaction.set_rollback(True)
    return books, groups


def _groups(books: Collection[int]) -> set[Records]:
    """The members of each of these books, at most the SHOWN oldest."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for pk, number in sorted(select_in(Member, ("source_record_id", "manifestation_id"), "manifestation_id", books)):
        members[number].append(pk)
    return {tuple(pks[:SHOWN]) for pks in members.values()}


def _described(groups: Collection[Records]) -> tuple[tuple[Described, ...], ...]:
    known: dict[int, Described] = {}
    pks = {pk for group in groups for pk in group}
    for pk, name, packed in select_in(SourceRecord, ("id", "public_id", "record"), "id", pks):
        record = unpack_record(packed)
        publisher = record.publishers[0].name if record.publishers else ""
        known[pk] = Described(name, record.title, record.volume, publisher, record.issued)
    return tuple(tuple(known[pk] for pk in group) for group in sorted(groups))
