"""Accessible formats on the results page, the book page, in feeds, SRU and JSON."""

import pytest
from msgspec import structs

from aggregator.models import Manifestation
from metadata.record import Item, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO


@pytest.fixture
def braille(shelf, library) -> str:
    """The address of a braille book; another book beside it is printed. Both are held by the same library."""
    osaka = shelf.library("大阪府立中央図書館", "2127", prefecture="27")
    record = structs.replace(
        KOKORO,
        titles=(Title(value="こころ 点字版"),),
        identifiers=(),
        items=(Item(library_code="2127"), Item(library_code="2127", notes=("大活字本",))),
    )
    source = shelf.record(library, record)
    shelf.book(source, record=record, libraries=[osaka])
    shelf.book(shelf.record(library), libraries=[osaka])
    return book_id(source)


@pytest.fixture
def printed(braille) -> str:
    """The address of the printed book."""
    return f"M{Manifestation.objects.exclude(pk=braille[1:]).get().pk}"


@pytest.mark.parametrize("address", ["/search", "/feeds/search.atom", "/api/search", "/opensearch"])
def test_a_format_is_a_condition_everywhere(client, braille, printed, address):
    with_format = client.get(address, {"title": "こころ", "accessible": "braille"}).text
    assert f"/books/{braille}" in with_format and f"/books/{printed}" not in with_format
    without = client.get(address, {"title": "こころ", "-accessible": "braille"}).text
    assert f"/books/{braille}" not in without and f"/books/{printed}" in without
    assert client.get(address, {"accessible": "gold"}).status_code == 400


def test_sru_has_an_index_of_formats(client, braille):
    query = {"operation": "searchRetrieve", "version": "1.2", "query": "accessible = braille"}
    assert "<numberOfRecords>1</numberOfRecords>" in client.get("/sru", query).text.replace("zs:", "").replace(
        "srw:", ""
    )


def test_the_facet_is_offered_even_with_one_value(client, braille):
    page = client.get("/search", {"q": "こころ"}).text
    assert "利用しやすい形式" in page
    assert "accessible=braille" in page and "-accessible=braille" in page
    assert "accessible=daisy" not in page
    assert '<span class="tag">点字</span>' in page


def test_the_book_page_marks_the_holdings(client, braille):
    page = client.get(f"/books/{braille}").text
    shelf = page[page.index('class="shelf"') :]
    assert '<span class="tag">点字</span>' in shelf and '<span class="tag">大活字</span>' in shelf
    assert 'href="/search?accessible=braille"' in page


def test_json_names_the_formats_of_every_library(client, braille):
    assert client.get(f"/books/{braille}.json").status_code == 200
    (library,) = client.get(f"/api/records/{braille}").json()["libraries"]
    assert library["accessible"] == ["braille", "large_print"]


def test_the_advanced_form_offers_the_formats(client, braille):
    page = client.get("/search/advanced?accessible=daisy").text
    assert '<input type="checkbox" name="accessible" value="daisy" checked>' in page
    assert 'name="accessible" value="large_print"' in page
