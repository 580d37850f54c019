"""Decides which number each group of a region gets. Most groups keep the number of their book. Only where groups were
joined, split or emptied, or where a record returns, do the records decide (`aggregator.numbers`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from aggregator.grouping.kinds import KindChanges
from aggregator.grouping.region import Region
from aggregator.grouping.rows import members_of_cores
from aggregator.matching import Group
from aggregator.models import Member
from aggregator.numbers.giving import give_numbers, note_departures
from core.database.batches import select_in
from core.database.deferred_writes import Writes

type Records = frozenset[int]


@dataclass(frozen=True, slots=True)
class Numbers:
    """of_groups: the number of each group. retired: numbers that no group has any more. successors: number out of use
    -> the number of the book that it leads to.
    """

    of_groups: tuple[int, ...]
    retired: frozenset[int]
    successors: Mapping[int, int]


def number_groups(
    region: Region, changes: KindChanges, groups: Sequence[Group], before: Collection[int], writes: Writes
) -> Numbers:
    """The numbers of the groups of a region. before: the numbers of its books before the batch.

    writes: receives what later batches must know about numbers, see `aggregator.numbers.giving`.
    """
    place_of = {core: place for place, group in enumerate(groups) for core in group.cores}
    former, places = _connections(region, changes, place_of)
    returning = {place_of[changes.kinds[pk].core] for pk in changes.returning}
    kept = {
        place: number
        for place, numbers in former.items()
        if len(numbers) == 1 and place not in returning
        for number in numbers
        if places[number] == {place}
    }
    others = [place for place in range(len(groups)) if place not in kept]
    changed = set(before) - set(kept.values())
    records = _records_of_groups(region, changes, {place: groups[place].cores for place in others})
    gone = {pk: stored.manifestation for pk, stored in changes.memberships.items() if pk not in changes.kinds}
    assigned = give_numbers([records[place] for place in others], _records_of_books(changed), gone, writes)
    given = kept | {place: assigned.numbers[min(records[place])] for place in others}
    note_departures({pk: number for pk, number in gone.items() if number not in changed}, writes)
    numbers = tuple(given[place] for place in range(len(groups)))
    return Numbers(numbers, frozenset(changed - set(numbers)), assigned.successors)


def _connections(
    region: Region, changes: KindChanges, place_of: Mapping[int, int]
) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Which groups have cores or records of which former books: group -> numbers of books, and the inverse. Groups are
    given by position.
    """
    former: defaultdict[int, set[int]] = defaultdict(set)
    for core, place in place_of.items():
        if core in region.stored:
            former[place].add(region.stored[core].manifestation)
    for pk, stored in changes.memberships.items():
        place_now = place_of.get(changes.kinds[pk].core) if pk in changes.kinds else None
        if place_now is not None:
            former[place_now].add(stored.manifestation)
    places: defaultdict[int, set[int]] = defaultdict(set)
    for place, numbers in former.items():
        for number in numbers:
            places[number].add(place)
    return dict(former), places


def _records_of_groups(region: Region, changes: KindChanges, cores: Mapping[int, Iterable[int]]) -> dict[int, Records]:
    """The records of groups after the batch. cores: position of a group -> its cores."""
    place_of = {core: place for place, of_group in cores.items() for core in of_group}
    book_of = {core: region.stored[core].manifestation for core in place_of if core in region.stored}
    records: defaultdict[int, set[int]] = defaultdict(set)
    for pk, _kind, core in members_of_cores(book_of):
        if pk not in changes.memberships:
            records[place_of[core]].add(pk)
    for pk, row in changes.kinds.items():
        if row.core in place_of:
            records[place_of[row.core]].add(pk)
    return {place: frozenset(records[place]) for place in cores}


def _records_of_books(numbers: Collection[int]) -> dict[int, Records]:
    """The records of books before the batch."""
    records: defaultdict[int, set[int]] = defaultdict(set)
    columns = ("source_record_id", "manifestation_id")
    for pk, number in select_in(Member, columns, "manifestation_id", numbers):
        records[number].add(pk)
    return {number: frozenset(pks) for number, pks in records.items()}
