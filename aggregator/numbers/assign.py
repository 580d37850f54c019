"""Decides which book keeps which number when groups of records change. Pure: no database.

Of the parts into which a book is split, the one with most of its members inherits its number; of equal ones, the one
with its oldest member. A group that inherits several numbers keeps the smallest, and the others lead to it. A number
that is out of use leads to the group with most of the records that were its last members; if that group inherits no
number, it gets this one back. Groups without any of these get new numbers.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

type Records = Collection[int]


@dataclass(frozen=True, slots=True)
class Assigned:
    """numbers: oldest record of a group -> the group's number. successors: number out of use -> the number of the book
    that it leads to; numbers that lead nowhere are left out.
    """

    numbers: Mapping[int, int]
    successors: Mapping[int, int]


def assign(
    groups: Mapping[int, Records],
    before: Mapping[int, Records],
    retired: Mapping[int, Records],
    elsewhere: Mapping[int, int],
    new_numbers: Iterator[int],
) -> Assigned:
    """Give every group its number.

    groups: by their oldest records. before: number -> its members, of the books that the groups replace. retired:
    number -> its last members, for numbers that are out of use unless a group inherits them. elsewhere: record -> the
    number of its book, for last members that are in other books.
    """
    group_of = {pk: oldest for oldest, pks in groups.items() for pk in pks}
    inherited = _places_of_most(before, group_of)
    numbers = _smallest(inherited)
    # A group without a number is represented by the id of its oldest record, as a negative number.
    books = {pk: numbers.get(oldest, -oldest) for pk, oldest in group_of.items()} | dict(elsewhere)
    claims = _places_of_most({number: pks for number, pks in retired.items() if number not in inherited}, books)
    numbers |= _smallest({number: -book for number, book in claims.items() if book < 0})
    for oldest in sorted(groups.keys() - numbers.keys()):
        numbers[oldest] = next(new_numbers)
    leads = {number: numbers[oldest] for number, oldest in inherited.items()}
    leads |= {number: numbers[-book] if book < 0 else book for number, book in claims.items()}
    return Assigned(numbers, {number: book for number, book in leads.items() if number != book})


def _places_of_most(members: Mapping[int, Records], places: Mapping[int, int]) -> dict[int, int]:
    """Number -> the place where most of its members are; numbers without any member in a place are left out."""
    inherited = {}
    for number, pks in members.items():
        ordered = [places[pk] for pk in sorted(pks) if pk in places]
        if ordered:  # of equally frequent places, Counter returns the one that it met first
            inherited[number] = Counter(ordered).most_common(1)[0][0]
    return inherited


def _smallest(inherited: Mapping[int, int]) -> dict[int, int]:
    """Return place -> the smallest of the numbers that it inherits."""
    return {place: number for number, place in sorted(inherited.items(), reverse=True)}
