"""Migration 0020: books keep numbers that were ids of records; those out of use still lead on, or come back."""

from importlib import import_module

import pytest
from django.db import connection
from django.utils import timezone

from aggregator.models import FormerMember, Manifestation, Member, NumberCounter
from aggregator.numbers.following import follow
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf, book_id, match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def numbers() -> tuple[int, int, int]:
    """Numbers: of a book with two records; of its younger record, which leads to the book; of a deleted record."""
    shelf = Shelf()
    sources = [shelf.put(name, name, record(name, isbn=ISBN)) for name in ("1", "2")]
    sources.append(shelf.put("3", "3", record("3", isbn="", title="別の本")))
    oldest, younger, gone = sorted(source.pk for source in sources)
    shelf.delete("3")
    match_and_merge()
    book = Manifestation.objects.get()
    book.pk = oldest
    book.save()
    Member.objects.update(manifestation=book)
    Manifestation.objects.exclude(pk=oldest).delete()
    NumberCounter.objects.all().delete()
    Manifestation.objects.create(pk=younger, successor=book, changed_at=timezone.now())
    Manifestation.objects.create(pk=gone, changed_at=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(import_module("aggregator.migrations.0020_numbers_of_books").NOTE_OWN_RECORDS)
    return oldest, younger, gone


def test_numbers_out_of_use_belong_to_the_records_that_have_them(numbers) -> None:
    _oldest, younger, gone = numbers
    assert set(FormerMember.objects.values_list("manifestation", "source_record")) == {(younger, younger), (gone, gone)}


def test_old_numbers_stay_and_come_back(numbers) -> None:
    oldest, younger, gone = numbers
    SourceRecord.objects.filter(pk=gone).update(deleted=False, aggregated_at=None)
    match_and_merge()
    assert [book_id(source) for source in SourceRecord.objects.order_by("pk")] == [
        f"M{number}" for number in (oldest, oldest, gone)
    ]
    assert follow(numbers) == {oldest: oldest, younger: oldest, gone: gone}
