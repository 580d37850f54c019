"""Keys shared by too many records: staff get an alarm, and descriptions of one book still meet through other keys."""

from itertools import product

import pytest
from django.db.models import Count
from msgspec import structs

from aggregator.grouping import key_counts
from aggregator.matching.blocking_keys import CROWD
from aggregator.matching.groups import suspects
from aggregator.models import Manifestation, MatchAlarm, Member
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record

KIND = MatchAlarm.Kind
ISBN = "9784003101018"
WORDS = ["".join(characters) for characters in product("春夏秋冬山川草木", repeat=3)][: CROWD + 20]


def alarms() -> dict[int, int]:
    """Return kind of alarm -> the largest number of records in any alarm of that kind."""
    return {alarm.kind: alarm.records for alarm in MatchAlarm.objects.order_by("records")}


def shelve_and_aggregate(records: list[BibliographicRecord]) -> None:
    shelf = Shelf()
    for number, description in enumerate(records):
        shelf.put(f"library {number % 3}", f"{number:03}", description)
    match_and_merge()


@pytest.mark.django_db
def test_an_isbn_on_very_many_books_raises_alarms_and_joins_none_of_them(monkeypatch):
    for module in (key_counts, suspects):
        monkeypatch.setattr(module, "ASKED_AT_MOST", len(WORDS) - 1)
    shelve_and_aggregate([record(str(place), title=title, isbn=ISBN) for place, title in enumerate(WORDS)])
    asked = len(WORDS) - 1
    assert alarms() == {KIND.CROWDED_KEY: len(WORDS), KIND.CROWDED_ISBN: len(WORDS), KIND.SUSPECT_ISBN: asked}
    assert Manifestation.objects.exclude(record=b"").count() == len(WORDS)


@pytest.mark.django_db
def test_the_isbn_of_a_book_that_hundreds_hold_is_not_suspect():
    """One library has entered its record as another volume by mistake: that does not make the ISBN suspect."""
    first = [record(str(copy), title="見本の本", volume="上", isbn=ISBN) for copy in range(190)]
    lost, wrong = record("190", isbn=ISBN), record("191", volume="下", isbn=ISBN)
    shelve_and_aggregate([*first, lost, wrong])
    assert alarms() == {KIND.MISTAKEN_ISBN: 192}
    sizes = Member.objects.values("manifestation").annotate(size=Count("pk")).values_list("size", flat=True)
    assert sorted(sizes) == [1, 191]
    assert (
        wrong.uri
        in unpack_record(bytes(Manifestation.objects.get(members__source_record__identifier="191").record)).uri
    )


@pytest.mark.django_db
def test_an_isbn_on_very_many_descriptions_of_one_book_is_no_less_a_sign_of_it(monkeypatch):
    """Those that most records have decide. One library holds another volume under the ISBN by mistake."""
    for module in (key_counts, suspects):
        monkeypatch.setattr(module, "ASKED_AT_MOST", 20)
    pages = [structs.replace(record(str(n), title="見本の本", isbn=ISBN), extents=(f"{200 + n}p",)) for n in range(30)]
    wrong = record("wrong", title="見本の本", volume="下", isbn=ISBN)
    shelve_and_aggregate(
        [*pages, *[record(f"copy {n}", title="見本の本", volume="上", isbn=ISBN) for n in range(40)], wrong]
    )
    reasons = dict(MatchAlarm.objects.filter(number=int(ISBN)).values_list("kind", "reason"))
    assert reasons == {KIND.CROWDED_ISBN: "", KIND.MISTAKEN_ISBN: "of 上"}


@pytest.mark.django_db
def test_a_title_of_hundreds_raises_an_alarm_and_two_descriptions_of_one_book_still_meet():
    books = [
        record(str(place), title="全集", creator=f"{word}, {chr(0x5000 + 53 * place)}", issued=str(1801 + place))
        for place, word in enumerate(WORDS)
    ]
    shelve_and_aggregate([*books, structs.replace(books[0], extents=("300p",))])
    assert alarms() == {KIND.CROWDED_KEY: len(books) + 1}
    assert Manifestation.objects.exclude(record=b"").count() == len(books)
