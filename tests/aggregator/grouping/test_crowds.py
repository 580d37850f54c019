"""Keys that too many records share: staff hear of them, and what belongs together is found all the same."""

from itertools import product

import pytest
from msgspec import structs

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.matching.blocking_keys import CROWD
from aggregator.models import Manifestation, MatchAlarm
from metadata.record import BibliographicRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

KIND = MatchAlarm.Kind
ISBN = "9784003101018"
WORDS = ["".join(each) for each in product("春夏秋冬山川草木", repeat=3)][: CROWD + 20]


def alarms() -> dict[int, int]:
    """Kind -> the largest number of records of any."""
    return {each.kind: each.records for each in MatchAlarm.objects.order_by("records")}


def shelved(records: list[BibliographicRecord]) -> None:
    shelf = Shelf()
    for place, each in enumerate(records):
        shelf.put(f"library {place % 3}", f"{place:03}", each)
    sum(aggregate_pending())


@pytest.mark.django_db
def test_an_isbn_on_hundreds_of_books_rings_and_joins_none_of_them():
    shelved([record(str(place), title=each, isbn=ISBN) for place, each in enumerate(WORDS)])
    assert alarms()[KIND.CROWDED_KEY] == alarms()[KIND.CROWDED_ISBN] == len(WORDS)
    assert KIND.SUSPECT_ISBN in alarms()
    assert Manifestation.objects.exclude(record=b"").count() == len(WORDS)


@pytest.mark.django_db
def test_a_title_of_hundreds_rings_and_two_descriptions_of_one_book_meet_all_the_same():
    books = [
        record(str(place), title="全集", creator=f"{each}, 太郎", issued=str(1801 + place))
        for place, each in enumerate(WORDS)
    ]
    shelved([*books, structs.replace(books[0], extents=("300p",))])
    assert alarms() == {KIND.CROWDED_KEY: len(books) + 1}
    assert Manifestation.objects.exclude(record=b"").count() == len(books)
