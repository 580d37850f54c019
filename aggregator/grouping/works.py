"""Works in the database: which manifestations are editions of the same work, updated by every batch.

What a work is: see `matching.groups.works`; when a key is crowded: see `crowds`. For manifestations whose titles or
persons changed, their old works and everything they can now reach through uncrowded keys are labelled anew. Nothing
else can change, because a work is a connected component of these keys.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass

from aggregator.grouping.crowds import KeyCounts, Kind, count_keys
from aggregator.grouping.rows import unpack_keys
from aggregator.matching.groups.partition import components
from aggregator.models import Manifestation
from core.database.batches import select_in
from core.database.deferred_writes import Writes

type Keys = frozenset[int]
NO_KEYS: Keys = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """The stored work and work keys of a manifestation."""

    work: int | None = None
    keys: Keys = NO_KEYS


def stored_places(numbers: Collection[int]) -> dict[int, Place]:
    """The places of those of the manifestations that have a row."""
    rows = select_in(Manifestation, ("id", "work", "work_keys"), "id", numbers)
    return {number: Place(work, unpack_keys(keys)) for number, work, keys in rows}


def write_works(before: Mapping[int, Place], fresh: Mapping[int, Keys], writes: Writes) -> None:
    """Update the works of these manifestations and of all that join or leave their works.

    before: the places of those that have a row. fresh: the current keys of each, none for one that ceased to exist;
    not in the tables yet.
    """
    old = {number: before[number].keys if number in before else NO_KEYS for number in fresh}
    changed = {number: keys for number, keys in fresh.items() if keys != old[number]}
    if not changed:
        return
    key_counts = count_keys(Kind.CROWDED_WORK, {number: old[number] for number in changed}, changed, writes)
    dirty = set(changed)
    dirty.update(
        *(key_counts.holders_before(key) for key in key_counts.newly_crowded()),
        *(key_counts.holders[key] for key in key_counts.no_longer_crowded()),
    )
    now = {number: Place(before[number].work if number in before else None, keys) for number, keys in fresh.items()}
    places = _reached(key_counts, _with_their_works(dirty, now), now)
    numbers = _labelled(key_counts, places)
    changes = [(numbers.get(number), number) for number, place in places.items() if place.work != numbers.get(number)]
    writes.update(Manifestation, ("work",), changes)


def _with_their_works(numbers: Set[int], now: Mapping[int, Place]) -> set[int]:
    """These manifestations, and all that were in a work with one of them."""
    old_works = {now[number].work for number in numbers & now.keys()}
    old_works.update(work for (work,) in select_in(Manifestation, ("work",), "id", numbers - now.keys()))
    works = {work for work in old_works if work is not None}
    return {*numbers, *(number for (number,) in select_in(Manifestation, ("id",), "work", works))}


def _reached(key_counts: KeyCounts, start: Iterable[int], now: Mapping[int, Place]) -> dict[int, Place]:
    """All places that are connected with these by uncrowded keys. now: those that the batch changes."""
    places: dict[int, Place] = {}
    frontier = set(start)
    while frontier:
        reached = stored_places(frontier - now.keys()) | {number: now[number] for number in frontier & now.keys()}
        places.update(reached)
        keys = set().union(*[place.keys for place in reached.values()])
        key_counts.look_up(keys)
        frontier = set().union(*[key_counts.holders[key] for key in keys - key_counts.crowds]) - places.keys()
    return places


def _labelled(key_counts: KeyCounts, places: Mapping[int, Place]) -> dict[int, int]:
    """Manifestation -> number of its work; those alone in their work are left out."""
    keys = set().union(*[place.keys for place in places.values()]) - key_counts.crowds
    groups = [sorted(holders) for key in keys if len(holders := key_counts.holders[key]) > 1]
    pairs = [(holders[0], other) for holders in groups for other in holders[1:]]
    works = components({number for pair in pairs for number in pair}, pairs)
    return {number: work[0] for work in works for number in work}
