"""Pages and JSON count and show libraries, not the records of providers."""

import pytest
from django.utils import timezone
from msgspec import structs

from aggregator.libraries.numbers import library_number
from aggregator.libraries.remerging import mark_for_merging
from aggregator.models import Library, LibraryCode
from aggregator.tasks import aggregate
from harvesting.models import SourceRecord
from harvesting.records.compression import pack_record
from metadata.record import BibliographicRecord, Item
from tests.aggregator.shelves import Shelf, book_id
from tests.books import record
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
EN = {"accept-language": "en"}
NAMES = {
    "2101": "北海道立図書館",
    "2113": "東京都立中央図書館",
    "2127": "大阪府立中央図書館",
    "2140": "福岡県立図書館",
}


def copy(code: str, number: int) -> BibliographicRecord:
    """One copy, as ゆにかねっと reports it: each copy has its own record, with its own address."""
    described = record("1", title="坊っちゃん", isbn="9784003101018")
    address = f"https://library{code}.example.jp/books/{number}"
    item = Item(
        uri=f"{address}#item",
        library_code=code,
        holding_agent=NAMES[code],
        call_number=f"913.6/{number}",
        see_also=(address,),
    )
    return structs.replace(described, uri=address, see_also=(address,), items=(item,))


@pytest.fixture
@stored_once
def book() -> str:
    """Eight records of four libraries, two copies each, from one provider: the permanent id of their book."""
    shelf = Shelf()
    repository = shelf.repository("ゆにかねっと")
    repository.state = repository.State.LIVE
    repository.save()
    for number in (1, 2):
        for code in NAMES:
            shelf.put("ゆにかねっと", f"{code}-{number}", copy(code, number))
    aggregate()
    return book_id(SourceRecord.objects.earliest("pk"))


def test_the_page_names_every_library_once_with_one_link_and_its_copies(client, book) -> None:
    page = client.get(f"/books/{book}", headers=EN).text
    assert "4 libraries, 8 copies" in page
    assert page.count('<li class="shelf">') == 4
    assert page.count('<li class="holding">') == 8
    assert "more-shelves" not in page and "more copies" not in page
    for code, name in NAMES.items():
        library = Library.objects.get(name=name)
        assert page.count(f'<h3 lang="ja"><a href="/libraries/L{library.pk}">{name}</a></h3>') == 1
        assert page.count(f'class="button go out detail" href="https://library{code}.example.jp/books/1"') == 1


def test_the_page_is_in_japanese_too(client, book) -> None:
    assert "所蔵館 4" in client.get(f"/books/{book}", headers={"accept-language": "ja"}).text


def test_a_result_links_to_libraries_and_counts_them(client, book) -> None:
    page = client.get("/search", {"q": "坊っちゃん"}, headers=EN).text
    assert "4 libraries, 8 copies" in page
    assert "See it at 北海道立図書館" in page and "See it at ゆにかねっと" not in page


@pytest.mark.parametrize("address", ["/api/records/{}", "/books/{}.json"])
def test_json_lists_the_libraries(client, book, address) -> None:
    answer = client.get(address.format(book)).json()
    assert [(own["code"], own["name"], own["copies"]) for own in answer["libraries"]] == [
        (code, name, 2) for code, name in NAMES.items()
    ]
    assert answer["libraries"][0] | {"name_en": ""} == {
        "scheme": "NDLLibCode",
        "code": "2101",
        "name": "北海道立図書館",
        "name_en": "",
        "copies": 2,
        "link": "https://library2101.example.jp/books/1",
        "link_kind": "detail",
        "repositories": ["R000000001"],
        "accessible": [],
        "url": f"http://127.0.0.1:8000/libraries/L{Library.objects.get(codes__value='2101').pk}",
    }
    assert len(answer["holdings"]) == 8


def test_a_page_that_was_read_shows_the_name_that_people_give_a_library_at_once(client, book) -> None:
    assert "北海道立図書館" in client.get(f"/books/{book}").text
    Library.objects.filter(name=NAMES["2101"]).update(name="道立図書館", edited=["name"])
    assert ">道立図書館</a></h3>" in client.get(f"/books/{book}").text


def test_a_page_that_was_read_shows_the_link_of_a_library_once_its_books_are_merged(client, book) -> None:
    client.get(f"/books/{book}")
    library = Library.objects.get(name=NAMES["2101"])
    Library.objects.filter(pk=library.pk).update(link_template="https://opac.example.jp/?isbn={isbn}")
    mark_for_merging([library.pk])
    aggregate()
    assert "https://opac.example.jp/?isbn=9784003101018" in client.get(f"/books/{book}").text


def test_a_page_that_was_read_shows_another_call_number_once_its_book_is_merged(client, book) -> None:
    client.get(f"/books/{book}")
    described = copy("2140", 2)
    item = structs.replace(described.items[0], call_number="R913.6")
    packed = pack_record(structs.replace(described, items=(item,)))
    SourceRecord.objects.filter(identifier="2140-2").update(
        record=packed, changed_at=timezone.now(), aggregated_at=None
    )
    assert "R913.6" not in client.get(f"/books/{book}").text
    aggregate()
    assert "R913.6" in client.get(f"/books/{book}").text


def test_two_codes_of_one_library_are_one_entry(client, book) -> None:
    first = Library.objects.get(name=NAMES["2101"])
    mark_for_merging(Library.objects.values_list("pk", flat=True))
    LibraryCode.objects.filter(value="2113").update(library=first)
    aggregate()
    assert client.get(f"/books/{book}", headers=EN).text.count('<li class="shelf">') == 3


def test_a_book_that_waits_for_matching_names_its_libraries(client) -> None:
    source = Shelf().put("ゆにかねっと", "1", copy("2127", 1))
    page = client.get(f"/books/{source.public_id}", headers=EN).text
    assert '<h3 lang="ja">大阪府立中央図書館</h3>' in page and "1 library" in page


def test_a_format_that_only_a_copy_states_is_found_as_soon_as_its_note_says_so(client) -> None:
    shelf = Shelf()
    repository = shelf.repository("ゆにかねっと")
    repository.state = repository.State.LIVE
    repository.save()
    plain = copy("2101", 1)
    shelf.put("ゆにかねっと", "1", plain)
    shelf.put("ゆにかねっと", "2", copy("2127", 2))
    aggregate()
    query = {"q": "坊っちゃん", "accessible": "large_print"}
    assert client.get("/api/search", query).json()["total"] == 0
    noted = structs.replace(plain.items[0], notes=("大活字本",))
    shelf.put("ゆにかねっと", "1", structs.replace(plain, items=(noted,)))
    aggregate()
    assert client.get("/api/search", query).json()["total"] == 1
    page = client.get("/search", {"q": "坊っちゃん"}, headers=EN).text
    assert "accessible=large_print" in page and '<span class="tag">Large print</span>' in page
    shelf.put("ゆにかねっと", "1", plain)
    aggregate()
    assert client.get("/api/search", query).json()["total"] == 0


def test_a_result_leads_to_the_page_of_a_library_and_in_one_click_to_its_own_catalogue(client, book) -> None:
    hit = client.get("/search", {"q": "坊っちゃん"}, headers=EN).text.partition('class="held"')[2]
    number = library_number(Library.objects.get(codes__value="2101").pk)
    assert f'<a href="/libraries/{number}">{NAMES["2101"]}</a> <a class="out door" href="https://library2101.' in hit
