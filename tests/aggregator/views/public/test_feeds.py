"""Searches as feeds, and the OpenSearch description."""

import pytest
from django.utils.dateparse import parse_datetime
from lxml import etree
from msgspec import structs

from aggregator.views.public import feeds
from metadata.record import Agent, Title
from metadata.vocabularies.namespaces import DC, DCNDL, DCTERMS, JPCOAR, RDF
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

A = {
    "a": "http://www.w3.org/2005/Atom",
    "o": feeds.OPENSEARCH,
    "dc": DC,
    "dcndl": DCNDL,
    "dcterms": DCTERMS,
    "rdf": RDF,
}
BASE = "http://127.0.0.1:8000"


@pytest.fixture
def books(shelf, library):
    """Three books; the last one added has the earliest year."""
    made = []
    for number, year in enumerate(("2001", "2020", "1950")):
        record = structs.replace(KOKORO, titles=(Title(value=f"本<{number}>&"),), issued=year)
        source = shelf.record(library, record)
        shelf.book(source, record=record)
        made.append(source)
    return made


def tree(client, path: str, media_type: str):
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (200, media_type)
    return etree.fromstring(answer.content)


def test_a_feed_is_valid_atom_with_the_latest_addition_first(client, books):
    root = tree(client, "/en/feeds/search.atom?q=夏目漱石", "application/atom+xml")
    assert root.xpath("string(a:title)", namespaces=A).startswith("夏目漱石")
    assert root.xpath("a:entry/a:id/text()", namespaces=A) == [
        f"{BASE}/books/{book_id(source)}" for source in reversed(books)
    ]
    assert root.xpath("a:entry/a:title/text()", namespaces=A) == [f"本<{number}>&. — 改版" for number in (2, 1, 0)]
    for place in (
        "a:id",
        "a:updated",
        "a:author/a:name",
        "a:link[@rel='self']/@href",
        "a:link[@rel='alternate']/@href",
    ):
        assert root.xpath(f"count({place})", namespaces=A) == 1, place
    for text in root.xpath("//a:updated/text()", namespaces=A):
        assert parse_datetime(text).tzinfo


def test_pages_link_to_the_next_page(client, books, monkeypatch):
    monkeypatch.setattr(feeds, "ENTRIES", 2)
    first = tree(client, "/feeds/search.atom?q=漱石&repository=R900000001", "application/atom+xml")
    (following,) = first.xpath("a:link[@rel='next']/@href", namespaces=A)
    second = tree(client, following.removeprefix(BASE), "application/atom+xml")
    ids = [root.xpath("a:entry/a:id/text()", namespaces=A) for root in (first, second)]
    assert [len(page_ids) for page_ids in ids] == [2, 1]
    assert not set(ids[0]) & set(ids[1])
    assert not second.xpath("a:link[@rel='next']", namespaces=A)
    assert first.xpath("string(a:id)", namespaces=A) == second.xpath("string(a:id)", namespaces=A)


def test_books_added_between_two_pages_move_no_entry(client, books, shelf, library, monkeypatch):
    monkeypatch.setattr(feeds, "ENTRIES", 2)
    first = tree(client, "/feeds/search.atom", "application/atom+xml")
    shelf.book(shelf.record(library))
    (following,) = first.xpath("a:link[@rel='next']/@href", namespaces=A)
    second = tree(client, following.removeprefix(BASE), "application/atom+xml")
    assert second.xpath("a:entry/a:id/text()", namespaces=A) == [f"{BASE}/books/{book_id(books[0])}"]
    assert second.xpath("a:link[@rel='self']/@href", namespaces=A) == [following]
    assert client.get("/feeds/search.atom?cursor=x").status_code == 400


def test_a_feed_without_hits_is_valid(client, shelf):
    root = tree(client, "/feeds/search.atom?q=ない", "application/atom+xml")
    assert root.xpath("count(a:updated)", namespaces=A) == 1
    assert root.xpath("string(o:totalResults)", namespaces=A) == "0"


@pytest.mark.parametrize(
    "path", ["/feeds/search.atom?x=1", "/opensearch?q=a&format=pdf", "/opensearch?isbn=1&format=rss"]
)
def test_a_bad_parameter_is_named_in_plain_text(client, shelf, path):
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/plain; charset=utf-8")


def test_opensearch_gives_rss_with_dublin_core(client, books):
    root = tree(client, "/opensearch?q=漱石", "application/rss+xml")
    assert root.xpath("count(channel/item)") == 3
    assert root.xpath("string(channel/o:totalResults)", namespaces=A) == "3"
    assert set(root.xpath("//dc:creator/text()", namespaces=A)) == {"夏目漱石"}
    identifier = "//dc:identifier[@rdf:datatype='http://ndl.go.jp/dcndl/terms/ISBN']/text()"
    assert set(root.xpath(identifier, namespaces=A)) == {"978-4-00-310111-7"}
    assert set(root.xpath("//dcndl:edition/text()", namespaces=A)) == {"改版"}
    assert root.xpath("//dcterms:issued/text()", namespaces=A)


def test_opensearch_gives_atom_and_json(client, books):
    root = tree(client, "/opensearch?q=漱石&format=atom", "application/atom+xml")
    assert "format=atom" in root.xpath("string(a:link[@rel='self']/@href)", namespaces=A)
    assert client.get("/opensearch?q=漱石&format=json").json()["total"] == 3


def test_the_description_is_linked_and_its_searches_work(client, books):
    root = tree(client, "/opensearch.xml", "application/opensearchdescription+xml")
    space = {"o": "http://a9.com/-/spec/opensearch/1.1/"}
    assert len(root.xpath("string(o:ShortName)", namespaces=space)) <= 16
    for url in root.xpath("o:Url[not(@rel)]", namespaces=space):
        template = url.get("template").removeprefix(BASE).replace("{searchTerms}", "漱石")
        for page, count, region in (("", "", ""), ("1", "2", "27")):  # optional: first left out, then filled in
            path = template.replace("{startPage?}", page).replace("{count?}", count)
            path = path.replace("{agg:library?}", "").replace("{agg:region?}", region)
            assert client.get(path, follow=True)["Content-Type"].startswith(url.get("type"))
    assert 'href="/opensearch.xml"' in client.get("/about").text


def test_rare_elements_declare_their_namespaces(client, shelf, library):
    author = Agent(name="夏目漱石", affiliations=(Agent(name="東京帝国大学"),))
    record = structs.replace(KOKORO, creators=(author,))
    shelf.book(shelf.record(library), record=record)
    root = tree(client, "/opensearch?q=漱石", "application/rss+xml")
    assert root.find(f".//{{{JPCOAR}}}affiliation") is not None


@pytest.mark.parametrize("path", ["/feeds/search.atom", "/opensearch"])
def test_illegal_characters_do_not_break_the_feed(client, shelf, library, path):
    record = structs.replace(KOKORO, titles=(Title(value="a\x00b\x0b"),), creators=(Agent(name="x\x1f"),))
    shelf.book(shelf.record(library), record=record)
    root = etree.fromstring(client.get(path).content)
    assert "ab" in "".join(root.itertext())


def test_the_number_of_queries_does_not_grow_with_the_entries(client, books, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        client.get("/feeds/search.atom?q=漱石")


def test_a_page_has_the_requested_number_of_entries(client, books):
    root = tree(client, "/opensearch?q=漱石&size=2&page=", "application/rss+xml")
    assert root.xpath("count(channel/item)") == 2
    assert root.xpath("string(channel/o:itemsPerPage)", namespaces=A) == "2"
    first = client.get("/opensearch?q=漱石&format=json&size=2").json()
    second = client.get("/opensearch", {"q": "漱石", "format": "json", "size": "2", "cursor": first["next"]}).json()
    assert (len(first["items"]), len(second["items"]), second["next"]) == (2, 1, None)
