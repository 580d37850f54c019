"""The page of a book, and a provider's own record."""

import json

import pytest
from lxml import etree
from msgspec.structs import replace

from metadata.record import Identifier, Item, Subject
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

EN = {"accept-language": "en"}


def test_the_page_shows_the_record_and_every_holding(client, shelf, library, archive):
    source = shelf.record(library)
    shelf.book(source, shelf.record(archive))
    page = client.get(f"/books/{source.public_id}", headers=EN).text
    for text in ("こころ", "ココロ", "夏目漱石", "岩波書店", "改版", "978-4-00-310111-7"):
        assert text in page
    for text in ("中央図書館", "913.6-N58", "貸出可"):
        assert text in page
    assert page.count('<li class="holding">') == 2
    assert "Go to the top page of 中央図書館" in page


def test_the_copies_of_a_union_catalogue_are_those_of_its_libraries(client, shelf, library):
    """Eight records of one provider: four libraries with two copies each, as NDL guideline 2.1.2 (2) asks."""
    names = {
        "2101": "大阪府立中央図書館",
        "2102": "大阪府立中之島図書館",
        "2127": "堺市立中央図書館",
        "2113": "豊中市立岡町図書館",
    }
    items = [
        Item(library_code=code, holding_agent=names[code], see_also=(f"https://library.example.jp/{code}/{copy}",))
        for code in names
        for copy in "12"
    ]
    sources = [shelf.record(library, replace(KOKORO, items=(item,))) for item in items]
    shelf.book(*sources)
    page = client.get(f"/books/{sources[0].public_id}", headers=EN).text
    shown = page[page.index('id="holdings"') :]
    assert "4 libraries, 8 copies" in shown
    assert all(shown.count(f"{name}</h3>") == 1 for name in names.values())
    assert "more-shelves" not in shown
    assert "4 libraries, 8 copies" in client.get("/search?q=こころ", headers=EN).text


def test_the_link_follows_the_template_of_the_provider(client, shelf, library):
    library.link_template = "https://opac.example.jp/openurl?rft.isbn={isbn}"
    library.save()
    source = shelf.record(library)
    shelf.book(source)
    page = client.get(f"/books/{source.public_id}").text
    assert 'href="https://opac.example.jp/openurl?rft.isbn=9784003101117" rel="noopener noreferrer nofollow"' in page


def test_the_best_link_of_a_provider_is_used(client, shelf, library):
    with_own_page = replace(KOKORO, see_also=("https://library.example.jp/b/7",))
    shelf.book(shelf.record(library), shelf.record(library, with_own_page))
    assert client.get("/api/search").json()["items"][0]["links"] == ["https://library.example.jp/b/7"]


def test_every_source_record_shows_the_book_with_one_canonical_address(client, shelf, library, archive, settings):
    settings.PUBLIC_URL = "https://books.example.jp"
    first, second = shelf.record(library), shelf.record(archive)
    shelf.book(first, second)
    for source in (first, second):
        assert (
            f'rel="canonical" href="https://books.example.jp/books/{book_id(first)}"'
            in client.get(f"/books/{source.public_id}").text
        )


def test_a_page_of_several_records_links_to_the_reasons_of_the_match(client, shelf, library, archive):
    first, alone = shelf.record(library), shelf.record(library)
    shelf.book(first, shelf.record(archive))
    shelf.book(alone)
    assert f'href="/books/{first.public_id}/why"' in client.get(f"/books/{first.public_id}").text
    assert "/why" not in client.get(f"/books/{alone.public_id}").text


def test_a_record_has_a_page_before_it_is_matched(client, shelf, library):
    assert client.get(f"/books/{shelf.record(library).public_id}").status_code == 200


def test_a_record_whose_group_changed_keeps_its_address(client, shelf, library, archive):
    first, second = shelf.record(library), shelf.record(archive)
    other = shelf.book(second)
    book = shelf.book(first)
    second.member.delete()
    other.record = b""
    other.successor = book
    other.save()
    first.member.__class__.objects.create(source_record=second, manifestation=book)
    assert f"/books/{book_id(first)}.rdf" in client.get(f"/books/{second.public_id}").text


def test_a_deleted_record_is_gone(client, shelf, library):
    source = shelf.record(library, deleted=True)
    answer = client.get(f"/books/{source.public_id}", headers=EN)
    assert answer.status_code == 410
    assert "This record was deleted" in answer.text
    assert client.get(f"/books/{source.public_id}.json").status_code == 410


@pytest.mark.parametrize("name", ["R900000001-Iabcdefghijklmnop", "R900000001", "x", "R900000001-I%00"])
def test_an_unknown_id_is_not_found(client, shelf, name):
    assert client.get(f"/books/{name}").status_code == 404


def test_a_refused_record_has_no_book_but_shows_why(client, shelf, library):
    source = shelf.record(library, None)
    shelf.issue(source, "dcndl.E003", "record_error", field="dc:title")
    assert client.get(f"/books/{source.public_id}").status_code == 404
    page = client.get(f"/books/{source.public_id}?source=1", headers=EN).text
    assert "This record was not registered" in page
    assert "Record error" in page
    assert "dcndl.E003" in page


def test_the_payload_of_a_source_record_is_shown_escaped(client, shelf, library):
    source = shelf.record(library)
    page = client.get(f"/books/{source.public_id}?source=1").text
    assert f"&lt;dc&gt;&lt;title&gt;{source.identifier}" in page


def test_unknown_parameters_get_400(client, shelf, library):
    source = shelf.record(library)
    for ending in ("?x=1", "?source=2", ".xml?format=marc", ".rdf?format=dcndl"):
        assert client.get(f"/books/{source.public_id}{ending}").status_code == 400


def test_subjects_and_creators_link_to_searches(client, shelf, library):
    record = replace(KOKORO, subjects=(Subject(value="小説 & 評論", scheme="NDLSH"),))
    source = shelf.record(library, record)
    shelf.book(source, record=record)
    page = client.get(f"/books/{source.public_id}").text
    assert "/search?subject=%E5%B0%8F%E8%AA%AC+%26+%E8%A9%95%E8%AB%96" in page
    assert "/search?creator=%E5%A4%8F%E7%9B%AE%E6%BC%B1%E7%9F%B3" in page


def test_dangerous_addresses_are_not_linked(client, shelf, library):
    record = replace(
        KOKORO, see_also=("javascript:alert(1)",), identifiers=(Identifier(scheme="DOI", value='10.1000/"><b>'),)
    )
    source = shelf.record(library, record)
    shelf.book(source, record=record)
    page = client.get(f"/books/{source.public_id}").text
    assert 'href="javascript:' not in page
    assert '"><b>' not in page


@pytest.mark.parametrize(
    ("ending", "media_type", "root"),
    [
        (".rdf", "application/rdf+xml", "RDF"),
        (".xml", "application/xml", "RDF"),
        (".xml?format=dcndl", "application/xml", "RDF"),
        (".xml?format=oai_dc", "application/xml", "dc"),
    ],
)
def test_the_record_is_available_in_xml(client, shelf, library, ending, media_type, root):
    source = shelf.record(library)
    shelf.book(source)
    answer = client.get(f"/books/{source.public_id}{ending}")
    assert answer["Content-Type"].startswith(media_type)
    assert etree.QName(etree.fromstring(answer.content)).localname == root
    assert "こころ" in answer.text


def test_the_record_is_available_in_json(client, shelf, library):
    source = shelf.record(library)
    shelf.book(source)
    answer = json.loads(client.get(f"/books/{source.public_id}.json").content)
    assert answer["id"] == book_id(source)
    assert answer["record"]["titles"][0]["value"] == "こころ"
    assert answer["holdings"][0]["link"] == "https://library.example.jp/"


def test_programs_get_their_format_by_accept(client, shelf, library):
    address = f"/books/{shelf.record(library).public_id}"
    assert client.get(address, headers={"accept": "application/rdf+xml"})["Location"] == f"{address}.rdf"
    assert client.get(address, headers={"accept": "application/json"})["Location"] == f"{address}.json"
    assert client.get(address, headers={"accept": "text/html,*/*;q=0.8"}).status_code == 200


def test_queries_do_not_grow_with_members_and_editions(client, shelf, library, archive, django_assert_num_queries):
    sources = [shelf.record(owner) for owner in (library, archive) for _copy in range(10)]
    books = [shelf.book(*sources), *(shelf.book(shelf.record(library)) for _edition in range(12))]
    type(books[0]).objects.update(work=books[0].pk)
    with django_assert_num_queries(12):
        client.get(f"/books/{sources[-1].public_id}")


def test_identical_copies_share_one_row(client, shelf, library):
    elsewhere = replace(KOKORO, items=(replace(KOKORO.items[0], call_number="913.6-N58-b"),))
    source = shelf.record(library)
    shelf.book(source, shelf.record(library), shelf.record(library, elsewhere))
    assert client.get(f"/books/{source.public_id}").text.count('<li class="holding">') == 2
