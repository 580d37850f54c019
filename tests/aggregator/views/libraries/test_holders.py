"""All libraries and all records of a book, in parts; the book's page has the first of both."""

import pytest
from msgspec import structs

from aggregator.models import Library
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from metadata.record import Item
from tests.aggregator.shelves import Shelf, book_id
from tests.books import record
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
EN = {"accept-language": "en"}
LIBRARIES = 65


@pytest.fixture
@stored_once
def book() -> str:
    """A book that 65 libraries hold, three of them in Osaka and the others in Hokkaido: its permanent id."""
    shelf = Shelf()
    for number in range(LIBRARIES):
        item = Item(library_code=str(3000 + number), holding_agent=f"図書館{number}")
        described = record(str(number), title="坊っちゃん", isbn="9784003101018")
        shelf.put("ゆにかねっと", str(number), structs.replace(described, items=(item,)))
    Repository.objects.update(state="live")
    aggregate()
    Library.objects.update(prefecture="01")
    Library.objects.filter(name__in=["図書館1", "図書館7", "図書館64"]).update(prefecture="27")
    return book_id(SourceRecord.objects.earliest("pk"))


def names(page: str) -> list[str]:
    return [
        f"図書館{number}"
        for number in range(LIBRARIES)
        if f">図書館{number}</a></h3>" in page or f">図書館{number}</h3>" in page
    ]


def test_the_parts_have_every_library_once(client, book) -> None:
    first = client.get(f"/books/{book}", headers=EN).text
    assert "65 libraries" in first and "57 more libraries" in first and f'"/books/{book}/holdings"' in first
    parts = [client.get(f"/books/{book}/holdings?page={number}", headers=EN).text for number in (1, 2, 3)]
    assert names(parts[0])[:8] == names(first)
    assert [len(names(part)) for part in parts] == [30, 30, 5]
    assert set().union(*map(names, parts)) == {f"図書館{number}" for number in range(LIBRARIES)}
    assert ["data-next" in part for part in parts] == [True, True, False]


def test_the_libraries_of_a_prefecture_are_listed(client, book) -> None:
    page = client.get(f"/books/{book}/holdings?region=27", headers=EN).text
    assert names(page) == ["図書館1", "図書館7", "図書館64"]
    assert 'href="?region=27" aria-current="true"' in page and "Hokkaido" in page


def test_chosen_libraries_are_listed_alone_and_others_ignored(client, book) -> None:
    chosen = Library.objects.filter(name__in=["図書館3", "図書館64"]).values_list("pk", flat=True)
    query = "&".join(f"library=L{pk}" for pk in [*chosen, 10**9])
    page = client.get(f"/books/{book}/holdings?{query}&library=x", headers=EN).text
    assert names(page) == ["図書館3", "図書館64"] and "data-next" not in page
    assert names(client.get(f"/books/{book}/holdings?library=L{10**9}", headers=EN).text) == []


@pytest.mark.parametrize("query", ["page=4", "page=0", "page=x", "region=13", "region=xx", "page=999999999999"])
def test_a_part_that_does_not_exist_is_refused_with_the_reason(client, book, query) -> None:
    assert client.get(f"/books/{book}/holdings?{query}").status_code == 400


def test_a_book_that_waits_for_matching_has_its_parts_too(client) -> None:
    items = tuple(Item(holding_agent=f"図書館{number}") for number in range(LIBRARIES))
    source = Shelf().put("ゆにかねっと", "1", structs.replace(record("1"), items=items))
    parts = [client.get(f"/books/{source.public_id}/holdings?page={number}").text for number in (1, 2, 3)]
    assert [len(names(part)) for part in parts] == [30, 30, 5]


def test_the_records_are_listed_in_parts(client, book) -> None:
    first = client.get(f"/books/{book}", headers=EN).text
    assert "All 65 records" in first and first.count('class="source-links"') == 8
    parts = [client.get(f"/books/{book}/records?page={number}", headers=EN).text for number in (1, 2, 3, 4)]
    assert [part.count('class="source-links"') for part in parts] == [20, 20, 20, 5]


def test_an_unknown_book_has_no_parts(client, db) -> None:
    assert client.get("/books/M9/holdings").status_code == 404
    assert client.get("/books/M9/records").status_code == 404
