"""Update of a site whose release did not yet combine records of equal features (kinds): all records are matched again,
batch by batch, and books keep their numbers.
"""

import pytest

from aggregator.grouping import claim
from aggregator.grouping.aggregate import aggregate_batch
from aggregator.merging.stage import merge_pending
from aggregator.models import Core, Kind, Manifestation, MatchAlarm, MatchKey, Member, ReviewPair, WorkKey
from harvesting.models import SourceRecord
from tests.aggregator.shelves import (
    Shelf,
    assert_kinds_are_correct,
    assert_numbers_lead_to_groups,
    expected_groups,
    match_and_merge,
    match_everything,
    stored_groups,
)
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def numbers() -> dict[str, int]:
    """Four records of one book and three single books, as the migration leaves them: record -> its book's number."""
    shelf = Shelf()
    for name in "abcd":
        shelf.put(f"library {name}", name, record(name, isbn=ISBN, issued=f"199{ord(name) % 4}"))
    for name, title in (("x", "料理入門"), ("y", "日本の鉄道"), ("z", "星の本")):
        shelf.put("library x", name, record(name, title=title, creator=f"{title}, 太郎"))
    match_and_merge()
    before = numbers_of_records()
    assert len(set(before.values())) == 4
    Member.objects.update(kind=None)
    for table in (Kind, Core, MatchKey, WorkKey, ReviewPair, MatchAlarm):
        table.objects.all().delete()
    SourceRecord.objects.update(aggregated_at=None)
    return before


def numbers_of_records() -> dict[str, int]:
    return dict(Member.objects.values_list("source_record__identifier", "manifestation"))


@pytest.mark.parametrize("size", [1, 2, 100])
def test_books_keep_their_numbers_in_batches_of_any_size(numbers, size):
    while aggregate_batch(size):
        assert_numbers_lead_to_groups()
    sum(merge_pending())
    assert numbers_of_records() == numbers
    assert stored_groups() == expected_groups()
    assert_kinds_are_correct(match_everything())


@pytest.mark.parametrize("size", [1, 2])
def test_companions_that_another_worker_holds_follow_in_its_batch(numbers, size, monkeypatch):
    """If so, the records of one book are matched in several batches, but no two groups may get the book's number."""
    monkeypatch.setattr(claim, "_older_companions", lambda _pks: [])
    while aggregate_batch(size):
        pass
    sum(merge_pending())
    assert_numbers_lead_to_groups()
    assert stored_groups() == expected_groups()
    assert_kinds_are_correct(match_everything())
    kept = numbers_of_records()
    assert {kept[name] for name in "abcd"} == {numbers["a"]}
    assert {name: kept[name] for name in "xyz"} == {name: numbers[name] for name in "xyz"}


def test_parts_of_a_book_that_no_longer_match_get_numbers_of_their_own(monkeypatch):
    shelf = Shelf()
    for name, title in (("x", "料理入門"), ("y", "日本の鉄道"), ("z", "星の本")):
        shelf.put("library x", name, record(name, title=title, creator=f"{title}, 太郎"))
    match_and_merge()
    former = min(numbers_of_records().values())
    Member.objects.update(kind=None, manifestation=former)
    Core.objects.all().delete()
    Manifestation.objects.exclude(pk=former).delete()
    for table in (Kind, Core, MatchKey, WorkKey):
        table.objects.all().delete()
    SourceRecord.objects.update(aggregated_at=None)
    monkeypatch.setattr(claim, "_older_companions", lambda _pks: [])
    while aggregate_batch(1):
        pass
    sum(merge_pending())
    assert len(set(numbers_of_records().values())) == 3
    assert former in numbers_of_records().values()
    assert_numbers_lead_to_groups()


def test_pages_stay_while_records_wait(numbers, client):
    aggregate_batch(1)
    for source in SourceRecord.objects.all():
        assert client.get(f"/books/{source.public_id}").status_code == 200
    for number in set(numbers.values()):
        assert client.get(f"/books/M{number}").status_code == 200


def test_the_reasons_of_a_book_wait_until_it_is_matched_again(numbers, client):
    source = SourceRecord.objects.get(identifier="b")
    assert client.get(f"/books/{source.public_id}/why").status_code == 200
