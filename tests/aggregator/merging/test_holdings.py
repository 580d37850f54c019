"""The holdings of books follow their members: in whatever order things happen, they are what the records say now."""

import random
from collections import Counter

import pytest
from django.utils import timezone
from msgspec import structs

from aggregator.grouping.aggregate import aggregate_batch
from aggregator.libraries.holding_rows import Row, rows_of, stored_rows
from aggregator.libraries.holdings import Description, held, reports_of, unpack_copies
from aggregator.libraries.identify import Reports
from aggregator.libraries.provider_link import LinkSource
from aggregator.libraries.registry import find_libraries
from aggregator.merging import stage
from aggregator.merging.stage import merge_pending
from aggregator.models import Holding, Library, LibraryCode, Manifestation, Member, Provided
from aggregator.tasks import aggregate
from harvesting.models import SourceRecord
from harvesting.records.compression import unpack_encoded, unpack_record
from harvesting.records.suppression import suppress
from metadata.record import BibliographicRecord, Item
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
CODES = ("2101", "2102", "2127", "2113")


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def copy(name: str, code: str, isbn: str = ISBN, **fields: object) -> BibliographicRecord:
    """A record of one copy in the library with this code, as NDL guideline 2.1.2 (2) asks for it."""
    described = record(name, title="坊っちゃん", isbn=isbn)
    item = Item(uri=f"https://union.example/{name}", library_code=code, holding_agent=f"図書館{code}", **fields)
    return structs.replace(described, items=(item,))


def expected(number: int) -> dict[int, Row]:
    """The holdings of a book, computed from its records at once."""
    members = Member.objects.filter(manifestation=number, source_record__suppressed_at=None).order_by("pk")
    columns = ("public_id", "repository", "repository__number", "repository__home_page", "record")
    rows = list(members.values_list(*(f"source_record__{name}" for name in columns)))
    descriptions = [Description(*row[:3], unpack_record(bytes(row[4]))) for row in rows]
    reports = Reports()
    reports_of(descriptions, reports)
    sources = {row[1]: LinkSource(home_page=row[3]) for row in rows}
    return dict(rows_of(held(descriptions, find_libraries(reports.first), sources)))


def assert_holdings_are_correct() -> None:
    numbers = set(Member.objects.values_list("manifestation", flat=True))
    assert stored_rows(numbers) == {number: expected(number) for number in numbers}
    assert not Holding.objects.exclude(manifestation__in=numbers).exists()
    counted = Counter(Holding.objects.values_list("library", flat=True))
    assert {pk: held for pk, held in Library.objects.values_list("pk", "holdings") if held} == counted


def test_eight_records_of_four_libraries_are_four_rows(shelf: Shelf) -> None:
    for code in CODES:
        for number in "12":
            shelf.put("ゆにかねっと", f"{code}-{number}", copy(f"{code}-{number}", code))
    match_and_merge()
    assert list(Holding.objects.order_by("library").values_list("copies", flat=True)) == [2, 2, 2, 2]
    assert sorted(Library.objects.values_list("name", "holdings")) == [(f"図書館{code}", 1) for code in sorted(CODES)]
    row = Holding.objects.select_related("library").get(library__name="図書館2127")
    names = [copy.record for copy in unpack_copies(unpack_encoded(bytes(row.packed)))]
    own = SourceRecord.objects.filter(identifier__startswith="2127").order_by("pk")
    assert names == list(own.values_list("public_id", flat=True))


def test_a_further_copy_rewrites_one_row(shelf: Shelf) -> None:
    for code in CODES:
        shelf.put("ゆにかねっと", code, copy(code, code))
    match_and_merge()
    before = stored_rows(Manifestation.objects.values_list("pk", flat=True))
    shelf.put("ゆにかねっと", "2101-2", copy("2101-2", "2101"))
    match_and_merge()
    (number,) = before
    changed = {pk for pk, row in stored_rows(before)[number].items() if before[number][pk] != row}
    assert changed == {Library.objects.get(name="図書館2101").pk}


def test_only_differences_are_written(shelf: Shelf, monkeypatch) -> None:
    for code in CODES:
        shelf.put("ゆにかねっと", code, copy(code, code))
    match_and_merge()
    written: list[object] = []
    monkeypatch.setattr(stage, "write_differences", lambda differences, _writes: written.append(differences))
    Manifestation.objects.update(merge_since=timezone.now())
    sum(merge_pending())
    assert written and not any(written)


def test_a_withheld_record_leaves_no_copy(shelf: Shelf) -> None:
    first, second = (shelf.put("ゆにかねっと", code, copy(code, code)) for code in CODES[:2])
    match_and_merge()
    suppress(first, "a request", "a person")
    match_and_merge()
    assert Holding.objects.get().library.name == "図書館2102"
    assert_holdings_are_correct()
    suppress(second, "a request", "a person")
    match_and_merge()
    assert not Holding.objects.exists()
    assert not Library.objects.exclude(holdings=0).exists()


def test_a_book_of_another_library_is_indexed_and_stamped_although_its_record_is_the_same(shelf: Shelf) -> None:
    """This happens when two libraries prove to be one."""
    for code in CODES[:2]:
        shelf.put("ゆにかねっと", code, copy(code, code))
    aggregate()
    assert not Manifestation.objects.filter(index_pending=True).exists()
    LibraryCode.objects.update(library=Library.objects.earliest("pk"))
    Manifestation.objects.update(merge_since=timezone.now())
    sum(merge_pending())
    assert Holding.objects.values_list("copies", "manifestation__index_pending").get() == (2, True)
    assert sorted(Library.objects.values_list("holdings", flat=True)) == [0, 1]
    assert Provided.objects.filter(origin=0, waiting=True).count() == 1


@seeds(6)
def test_in_any_order_of_events_the_holdings_are_those_of_the_records(shelf: Shelf, seed: int, monkeypatch) -> None:
    """Records come, change their library or book, are deleted, withheld and come back; batches of any size between."""
    monkeypatch.setattr(stage, "PORTION", 7)
    rng = random.Random(seed)
    books = [ISBN, "9784003101025", "9784061473430"]
    for _event in range(120):
        name = str(rng.randrange(25))
        if rng.random() < 0.25:
            shelf.delete(name)
        elif rng.random() < 0.1:
            for source in SourceRecord.objects.filter(identifier=name, suppressed_at=None, deleted=False):
                suppress(source, "a request", "a person")
        else:
            code = rng.choice([*CODES, ""])
            items = {} if rng.random() < 0.8 else {"call_number": rng.choice("123")}
            described = copy(name, code, rng.choice(books), **items)
            described = described if rng.random() < 0.9 else structs.replace(described, items=described.items * 2)
            shelf.put(f"provider {int(name) % 3}", name, described)
        if rng.random() < 0.3:
            aggregate_batch(rng.choice([3, 1000]))
        if rng.random() < 0.2:
            next(merge_pending(), 0)
    match_and_merge()
    assert Holding.objects.exists()
    assert_holdings_are_correct()
