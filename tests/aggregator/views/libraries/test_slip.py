"""The slip to print for readers who ask their own library to get a book."""

import pytest
from msgspec import structs

from metadata.record import Item
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db
EN = {"accept-language": "en"}


def held_by(*codes: str):
    items = tuple(Item(library_code=code, holding_agent=f"図書館{code}", call_number="913.6") for code in codes)
    return structs.replace(KOKORO, items=items)


def test_the_slip_has_what_a_library_needs_to_find_the_book(client, shelf, library):
    record = held_by("2127")
    book = shelf.book(shelf.record(library, record), record=record, libraries=[shelf.library("府立図書館", "2127")])
    page = client.get(f"/books/M{book.pk}/slip", headers=EN).text
    texts = ("こころ", "ココロ", "夏目漱石", "岩波書店", "1989", "改版", "9784003101117", "府立図書館 (2127)", "913.6")
    for text in (*texts, f"http://127.0.0.1:8000/books/M{book.pk}"):
        assert text in page, text
    assert f'href="/books/M{book.pk}/slip"' in client.get(f"/books/M{book.pk}").text


def test_the_slip_names_as_many_libraries_as_fit_on_a_page(client, shelf, library):
    record = held_by(*(str(number) for number in range(2100, 2112)))
    book = shelf.book(shelf.record(library, record), record=record)
    page = client.get(f"/books/M{book.pk}/slip", headers=EN).text
    assert page.count("913.6") == 8 and "and 4 more libraries" in page


def test_the_id_of_a_record_leads_to_the_slip_of_its_book(client, shelf, library):
    source = shelf.record(library)
    book = shelf.book(source)
    assert client.get(f"/books/{source.public_id}/slip")["Location"] == f"/books/M{book.pk}/slip"


def test_there_is_no_slip_of_what_is_gone_or_unknown(client, shelf, library):
    deleted = shelf.record(library, deleted=True)
    assert client.get(f"/books/{deleted.public_id}/slip").status_code == 410
    assert client.get("/books/M99999/slip").status_code == 404
