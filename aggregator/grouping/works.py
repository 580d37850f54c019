"""Works in the tables: which manifestations are editions of one, true after every batch. What a work is: see
`matching.works`; whether a key is crowded: see `crowds`.

Of the manifestations whose titles or persons changed, the old works and all that they reach now by a key that is not
crowded are labelled anew. Nothing outside that can change: a work is a component of these keys.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass

from aggregator.grouping.crowds import KeyCounts, Kind, take_census
from aggregator.grouping.rows import unpack_keys
from aggregator.matching.groups.partition import components
from aggregator.models import Manifestation
from core.database.batches import select_in
from core.database.deferred_writes import Writes

type Keys = frozenset[int]
NO_KEYS: Keys = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """Of a manifestation as it is stored: its work and its work keys."""

    work: int | None = None
    keys: Keys = NO_KEYS


def stored_places(numbers: Collection[int]) -> dict[int, Place]:
    """Of those of the manifestations that have a row."""
    rows = select_in(Manifestation, ("id", "work", "work_keys"), "id", numbers)
    return {number: Place(work, unpack_keys(keys)) for number, work, keys in rows}


def write_works(before: Mapping[int, Place], fresh: Mapping[int, Keys], writes: Writes) -> None:
    """The works of these manifestations, and of all that come to them or lose them.

    before: where those with a row stood. fresh: the keys of each now, none where it is no more; not in the tables yet.
    """
    old = {number: before[number].keys if number in before else NO_KEYS for number in fresh}
    changed = {number: keys for number, keys in fresh.items() if keys != old[number]}
    if not changed:
        return
    census = take_census(Kind.CROWDED_WORK, {number: old[number] for number in changed}, changed, writes)
    dirty = set(changed)
    dirty.update(*(census.before(key) for key in census.rising()), *(census.now[key] for key in census.falling()))
    now = {number: Place(before[number].work if number in before else None, keys) for number, keys in fresh.items()}
    places = _reached(census, _with_their_works(dirty, now), now)
    numbers = _labelled(census, places)
    changes = [(numbers.get(number), number) for number, place in places.items() if place.work != numbers.get(number)]
    writes.update(Manifestation, ("work",), changes)


def _with_their_works(numbers: Set[int], now: Mapping[int, Place]) -> set[int]:
    """These, and all that stood in a work with one of them."""
    stood = {now[number].work for number in numbers & now.keys()}
    stood.update(work for (work,) in select_in(Manifestation, ("work",), "id", numbers - now.keys()))
    works = {work for work in stood if work is not None}
    return {*numbers, *(number for (number,) in select_in(Manifestation, ("id",), "work", works))}


def _reached(census: KeyCounts, start: Iterable[int], now: Mapping[int, Place]) -> dict[int, Place]:
    """All that hang together with these by keys that are not crowded. now: those that the batch changes."""
    places: dict[int, Place] = {}
    frontier = set(start)
    while frontier:
        met = stored_places(frontier - now.keys()) | {number: now[number] for number in frontier & now.keys()}
        places.update(met)
        keys = set().union(*[place.keys for place in met.values()])
        census.look_up(keys)
        frontier = set().union(*[census.now[key] for key in keys - census.crowds]) - places.keys()
    return places


def _labelled(census: KeyCounts, places: Mapping[int, Place]) -> dict[int, int]:
    """Manifestation -> number of its work; those without a companion are left out."""
    keys = set().union(*[each.keys for each in places.values()]) - census.crowds
    shared = [sorted(holders) for key in keys if len(holders := census.now[key]) > 1]
    pairs = [(each[0], other) for each in shared for other in each[1:]]
    found = components({number for pair in pairs for number in pair}, pairs)
    return {number: each[0] for each in found for number in each}
