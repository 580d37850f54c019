"""Gives the groups of a batch their numbers, and notes what later batches must know: who the last members of a number
were, and the last number given. The caller holds the aggregation lock, so that no number is given twice.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import count

from django.db.models import Max

from aggregator.models import FormerMember, Manifestation, Member, NumberCounter
from aggregator.numbers.assign import Assigned, assign
from core.database.batches import select_in
from core.database.deferred_writes import Writes
from harvesting.models import SourceRecord

_ROW = 1
_COLUMNS = ("manifestation_id", "source_record_id")

type Members = frozenset[int]


def give_numbers(
    groups: Collection[Members], before: Mapping[int, Members], departed: Iterable[int], writes: Writes
) -> Assigned:
    """Give numbers to groups of records, and find where the numbers lead that are out of use.

    before: the books that the groups replace; those of their records that are in none of the groups have left the
    catalogue. departed: records that left it, also from books that stay as they are: a number may have led to such a
    book because of the record. The tables are read as they were before the batch.
    """
    members: Members = frozenset().union(*groups)
    gone: Members = frozenset(departed).union(*before.values()) - members
    if not members and not gone:
        return Assigned({}, {})
    noted = _noted(members | gone)
    in_other_books = _numbers_in_use(noted.keys() - before.keys())
    retired = {number: pks for number, pks in noted.items() if number not in in_other_books}
    elsewhere = _books_of({pk for pks in retired.values() for pk in pks} - members - gone)
    last = _last_number()
    assigned = assign({min(pks): pks for pks in groups}, before, retired, elsewhere, count(last + 1))
    in_use = {*assigned.numbers.values(), *in_other_books}
    left = {number: pks if number not in in_use else pks & gone for number, pks in before.items()}
    writes.upsert(FormerMember, _COLUMNS, _pairs(left), unique=_COLUMNS)
    in_books = members | elsewhere.keys()
    returned = {number: pks & in_books for number, pks in noted.items() if number in in_use}
    writes.delete(FormerMember, _COLUMNS, _pairs(returned))
    newest = max(assigned.numbers.values(), default=0)
    if newest > last:
        writes.upsert(NumberCounter, ("id", "last"), [(_ROW, newest)], unique=("id",))
    return assigned


def note_departures(records: Mapping[int, int], writes: Writes) -> None:
    """Note records that leave the catalogue from a book that stays. records: record -> the number of its book."""
    pairs = sorted((number, pk) for pk, number in records.items())
    writes.upsert(FormerMember, _COLUMNS, pairs, unique=_COLUMNS)


def _noted(records: Collection[int]) -> dict[int, Members]:
    """Number -> its former members, for all numbers that have one of these records among them."""
    numbers = {number for (number,) in select_in(FormerMember, ("manifestation_id",), "source_record_id", records)}
    noted: defaultdict[int, set[int]] = defaultdict(set)
    for number, pk in select_in(FormerMember, _COLUMNS, "manifestation_id", numbers):
        noted[number].add(pk)
    return {number: frozenset(pks) for number, pks in noted.items()}


def _numbers_in_use(numbers: Collection[int]) -> set[int]:
    return {number for (number,) in select_in(Member, ("manifestation_id",), "manifestation_id", numbers)}


def _books_of(records: Collection[int]) -> dict[int, int]:
    return dict(select_in(Member, ("source_record_id", "manifestation_id"), "source_record_id", records))


def _last_number() -> int:
    """The last number given. At first the largest key of any record or book: once the key of a record was used as the
    number of its book, and an address that was ever published must not get another meaning.
    """
    last = NumberCounter.objects.filter(pk=_ROW).values_list("last", flat=True).first()
    if last is not None:
        return last
    largest = (table.objects.aggregate(largest=Max("pk"))["largest"] for table in (Manifestation, SourceRecord))
    return max(number or 0 for number in largest)


def _pairs(numbers: Mapping[int, Members]) -> list[tuple[int, int]]:
    return [(number, pk) for number in sorted(numbers) for pk in sorted(numbers[number])]
