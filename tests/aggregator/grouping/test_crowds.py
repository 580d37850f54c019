"""Keys shared by too many records: staff get an alarm, and descriptions of one book still meet through other keys."""

from itertools import product

import pytest
from msgspec import structs

from aggregator.matching.blocking_keys import CROWD
from aggregator.models import Manifestation, MatchAlarm
from metadata.record import BibliographicRecord
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record

KIND = MatchAlarm.Kind
ISBN = "9784003101018"
WORDS = ["".join(characters) for characters in product("春夏秋冬山川草木", repeat=3)][: CROWD + 20]


def alarms() -> dict[int, int]:
    """Kind -> the largest number of records in any alarm of that kind."""
    return {alarm.kind: alarm.records for alarm in MatchAlarm.objects.order_by("records")}


def shelve_and_aggregate(records: list[BibliographicRecord]) -> None:
    shelf = Shelf()
    for number, description in enumerate(records):
        shelf.put(f"library {number % 3}", f"{number:03}", description)
    match_and_merge()


@pytest.mark.django_db
def test_an_isbn_on_hundreds_of_books_raises_alarms_and_joins_none_of_them():
    shelve_and_aggregate([record(str(place), title=title, isbn=ISBN) for place, title in enumerate(WORDS)])
    assert alarms()[KIND.CROWDED_KEY] == alarms()[KIND.CROWDED_ISBN] == len(WORDS)
    assert KIND.SUSPECT_ISBN in alarms()
    assert Manifestation.objects.exclude(record=b"").count() == len(WORDS)


@pytest.mark.django_db
def test_a_title_of_hundreds_raises_an_alarm_and_two_descriptions_of_one_book_still_meet():
    books = [
        record(str(place), title="全集", creator=f"{word}, 太郎", issued=str(1801 + place))
        for place, word in enumerate(WORDS)
    ]
    shelve_and_aggregate([*books, structs.replace(books[0], extents=("300p",))])
    assert alarms() == {KIND.CROWDED_KEY: len(books) + 1}
    assert Manifestation.objects.exclude(record=b"").count() == len(books)
