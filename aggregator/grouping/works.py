"""Works in the database: which manifestations are editions of the same work, updated by every batch.

What a work is: see `matching.groups.works`. Where the titles or persons of manifestations changed, the works are
computed again for their old works and for everything that they can now reach through work keys, except keys that are
too common to make a work. Nothing else can change, because a work is a connected component of these keys.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field
from struct import unpack

import msgspec

from aggregator.grouping.key_counts import in_order, update_alarms
from aggregator.grouping.rows import pack_keys
from aggregator.matching.groups.components import components
from aggregator.matching.groups.works import BOOKS_AT_MOST, NO_WORK_KEYS, WorkKeys, is_common_title
from aggregator.models import Manifestation, MatchAlarm, WorkKey
from core.database.batches import select_in
from core.database.deferred_writes import Writes

COMMON = MatchAlarm.Kind.CROWDED_WORK


class Place(msgspec.Struct, frozen=True, gc=False):
    """The stored work and work keys of a manifestation."""

    work: int | None = None
    own: WorkKeys = NO_WORK_KEYS


def pack_work_keys(own: WorkKeys) -> bytes:
    """Pack the keys of a manifestation for its column: the form, and the keys."""
    return pack_keys([own.form, *sorted(own.keys)]) if own.keys else b""


def _unpack_work_keys(packed: bytes) -> WorkKeys:
    form, *keys = unpack(f"<{len(packed) // 8}q", packed) if packed else (0,)
    return WorkKeys(keys=frozenset(keys), form=form)


@dataclass(slots=True)
class Holders:
    """Which manifestations have which work keys, after the batch. fresh: the keys of those that the batch changes.

    common: keys that are too common to make a work; common_before: those that were before the batch. known: the keys
    that are loaded.
    """

    fresh: Mapping[int, WorkKeys]
    forms: dict[int, dict[int, int]] = field(default_factory=dict)  # key -> manifestation -> form
    counts: dict[int, int] = field(default_factory=dict)  # key -> how many manifestations have it
    common: set[int] = field(default_factory=set)
    common_before: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)

    def look_up(self, keys: Collection[int]) -> None:
        """Load the holders of keys; for a key with too many holders to be read, only their number."""
        unknown = set(keys) - self.known
        if not unknown:
            return
        self.known |= unknown
        alarms = dict(select_in(MatchAlarm, ("number", "records"), "number", unknown, kind=COMMON))
        self.common_before |= alarms.keys()
        for key in [key for key, books in alarms.items() if books > BOOKS_AT_MOST]:
            others = WorkKey.objects.filter(key=key).exclude(manifestation__in=self.fresh).count()
            self.counts[key] = others + sum([key in own.keys for own in self.fresh.values()])
        read = unknown - {key for key, books in self.counts.items() if books > BOOKS_AT_MOST}
        forms: dict[int, dict[int, int]] = {key: {} for key in read}
        for key, book, form in select_in(WorkKey, ("key", "manifestation_id", "form"), "key", read):
            if book not in self.fresh:
                forms[key][book] = form
        for book, own in self.fresh.items():
            for key in own.keys & read:
                forms[key][book] = own.form
        self.forms.update(forms)
        self.counts.update({key: len(books) for key, books in forms.items()})
        self.common |= (unknown - read).union([key for key, books in forms.items() if is_common_title(books)])

    def books(self, key: int) -> Collection[int]:
        return self.forms.get(key, ())


def stored_places(numbers: Collection[int]) -> dict[int, Place]:
    """The places of those of the manifestations that have a row."""
    rows = select_in(Manifestation, ("id", "work", "work_keys"), "id", numbers)
    return {number: Place(work, _unpack_work_keys(bytes(packed))) for number, work, packed in rows}


def write_works(before: Mapping[int, Place], fresh: Mapping[int, WorkKeys], writes: Writes) -> None:
    """Update the works of these manifestations and of all that join or leave their works.

    before: the places of those that have a row. fresh: the current keys of each, which are not in the tables
    yet; none for one that ceased to exist.
    """
    old = {number: before[number].own if number in before else NO_WORK_KEYS for number in fresh}
    changed = {number: own for number, own in fresh.items() if own != old[number]}
    if not changed:
        return
    holders = Holders(changed)
    touched = {key for number, own in changed.items() for key in own.keys | old[number].keys}
    holders.look_up(touched)
    _write_keys(holders, touched, {number: old[number] for number in changed}, writes)
    dirty = set(changed)
    dirty.update(*[holders.books(key) for key in holders.common ^ holders.common_before])
    now = {number: Place(before[number].work if number in before else None, own) for number, own in fresh.items()}
    places = _reached(holders, _with_their_works(dirty, now), now)
    numbers = _labelled(holders, places)
    changes = [(numbers.get(number), number) for number, place in places.items() if place.work != numbers.get(number)]
    writes.update(Manifestation, ("work",), changes)


def _write_keys(holders: Holders, touched: Collection[int], old: Mapping[int, WorkKeys], writes: Writes) -> None:
    gone: dict[int, set[int]] = {}
    for number, own in old.items():
        for key in own.keys - holders.fresh[number].keys:
            gone.setdefault(key, set()).add(number)
    writes.delete(WorkKey, ("key", "manifestation_id"), in_order(gone))
    rows = sorted((key, number, own.form) for number, own in holders.fresh.items() for key in own.keys)
    columns = ("key", "manifestation_id", "form")
    writes.upsert(WorkKey, columns, rows, unique=("key", "manifestation_id"))
    common = {key: holders.counts[key] for key in touched if key in holders.common}
    update_alarms(writes, COMMON, common, (holders.common_before - holders.common).intersection(touched))


def _with_their_works(numbers: Set[int], now: Mapping[int, Place]) -> set[int]:
    """These manifestations, and all that were in a work with one of them."""
    old_works = {now[number].work for number in numbers & now.keys()}
    old_works.update(work for (work,) in select_in(Manifestation, ("work",), "id", numbers - now.keys()))
    works = {work for work in old_works if work is not None}
    return {*numbers, *(number for (number,) in select_in(Manifestation, ("id",), "work", works))}


def _reached(holders: Holders, start: Iterable[int], now: Mapping[int, Place]) -> dict[int, Place]:
    """Manifestation -> its place, for all that are connected with these by keys that make a work.

    now: the places that the batch changes.
    """
    places: dict[int, Place] = {}
    frontier = set(start)
    while frontier:
        reached = stored_places(frontier - now.keys()) | {number: now[number] for number in frontier & now.keys()}
        places.update(reached)
        keys = set().union(*[place.own.keys for place in reached.values()])
        holders.look_up(keys)
        frontier = set().union(*[holders.books(key) for key in keys - holders.common]) - places.keys()
    return places


def _labelled(holders: Holders, places: Mapping[int, Place]) -> dict[int, int]:
    """Manifestation -> number of its work; those alone in their work are left out."""
    keys = set().union(*[place.own.keys for place in places.values()]) - holders.common
    groups = [sorted(books) for key in keys if len(books := holders.books(key)) > 1]
    pairs = [(books[0], other) for books in groups for other in books[1:]]
    works = components({number for pair in pairs for number in pair}, pairs)
    return {number: work[0] for work in works for number in work}
