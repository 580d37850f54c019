"""OpenSearch as NDL Search has it: parameters, limits, RSS."""

from datetime import timedelta
from email.utils import parsedate_to_datetime

import pytest
from msgspec import structs

from aggregator.provision.ndl import finding
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable
from metadata.record import Host, MaterialType, Title
from tests.aggregator.provision.ndl.helpers import NAMES, rss, total
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO


def test_an_item_has_what_clients_read(client, kokoro):
    channel = rss(client, title="こころ")
    item = channel.find("item")
    address = f"http://127.0.0.1:8000/books/{book_id(kokoro)}"
    assert total(channel) == 1
    assert (item.findtext("title"), item.findtext("link"), item.findtext("guid")) == ("こころ", address, address)
    plain = ("dc:title", "dcndl:titleTranscription", "dcndl:volume", "dc:creator", "dcndl:creatorTranscription")
    assert [item.findtext(name, namespaces=NAMES) for name in plain] == [
        *("こころ", "ココロ", "上", "夏目, 漱石, 1867-1916", "ナツメ, ソウセキ")
    ]
    numbers = {number.get(f"{{{NAMES['xsi']}}}type"): number.text for number in item.iterfind("dc:identifier", NAMES)}
    assert numbers == {"dcndl:ISBN": "978-4-00-310111-7", "dcndl:JPNO": "23164695"}
    assert item.xpath("dc:subject[@xsi:type='dcndl:NDC10']/text()", namespaces=NAMES) == ["913.6"]
    assert item.xpath("dc:date[@xsi:type='dcterms:W3CDTF']/text()", namespaces=NAMES) == ["1989"]
    assert [item.findtext(name, namespaces=NAMES) for name in ("dc:publisher", "dc:extent", "dcndl:price")] == [
        *("岩波書店", "349p ; 19cm", "850円")
    ]
    assert item.findtext("category") == "図書"
    assert item.findtext("author") == "夏目, 漱石, 1867-1916,夏目漱石 著"
    assert parsedate_to_datetime(item.findtext("pubDate")).utcoffset() == timedelta(hours=9)


def test_the_head_states_total_start_and_limit_with_the_defaults(client, kokoro):
    channel = rss(client, any="こころ")
    head = [channel.findtext(f"o:{name}", namespaces=NAMES) for name in ("totalResults", "startIndex", "itemsPerPage")]
    assert head == ["1", "1", "200"]
    assert channel.findtext("title").startswith("こころ - ")


@pytest.mark.parametrize(
    "parameters",
    [
        {"any": "漱石 岩波"},
        {"creator": "夏目漱石"},
        {"publisher": "岩波書店"},
        {"digitized_publisher": "国立国会図書館"},
        {"ndc": "913"},
        {"ndc": "KH4"},
        {"isbn": "4003101111"},
        {"isbn": "978-4-00-310111-7"},
        {"isbn": "9784003"},
        {"isbn": "400310"},
        {"isbn": "4003"},
        {"mediatype": "books maps"},
        {"any": "こころ", "mediatype": "booklet"},
        {"any": "こころ", "from": "1989", "until": "1989"},
        {"any": "こころ", "from": "1989-01", "until": "1989-12"},
        {"any": "こころ", "from": "1989-01-01"},
        {"any": "こころ", "dpid": "R900000001 aozora"},
        {"any": "こころ", "dpid": "book"},
        {"any": "こころ", "locale": "en"},
    ],
)
def test_a_condition_finds_the_book(client, kokoro, article, parameters):
    items = rss(client, **parameters).findall("item")
    assert f"http://127.0.0.1:8000/books/{book_id(kokoro)}" in [item.findtext("link") for item in items]


def test_articles_and_websites_are_found_by_their_own_properties(client, shelf, library):
    """Articles by the beginning of the ISSN of their journal, websites by their type."""
    host = Host(title="情報の科学と技術", issn=("0913-3801",))
    described = {
        "paper": structs.replace(KOKORO, identifiers=(), host=host),
        "site": structs.replace(KOKORO, identifiers=(), material_types=(MaterialType(label="website"),)),
    }
    sources = {name: shelf.record(library, record) for name, record in described.items()}
    for name, source in sources.items():
        shelf.book(source, record=described[name])
    for parameters, name in (
        ({"issn": "0913-3801"}, "paper"),
        ({"issn": "0913"}, "paper"),
        ({"mediatype": "web"}, "site"),
    ):
        assert [item.findtext("link") for item in rss(client, **parameters).findall("item")] == [
            f"http://127.0.0.1:8000/books/{book_id(sources[name])}"
        ]


@pytest.mark.parametrize("parameters", [{"issn": "091"}, {"issn": "0913-38012"}, {"issn": "x"}])
def test_what_is_no_issn_has_no_hits(client, kokoro, parameters):
    assert total(rss(client, **parameters)) == 0


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"dpid": "R900000001"},
        {"any": "こころ", "cnt": "x"},
        {"any": "こころ", "idx": "0"},
        {"any": "こころ", "from": "1989", "until": "1989-12"},
        {"any": "こころ", "from": "89"},
        {"any": "こころ", "from": "1990", "until": "1980"},
        {"any": "こころ", "mediatype": "1"},
        {"any": "こころ", "mediatype": "web"},
        {"any": "こころ", "mediatype": "children"},
        {"any": "こころ", "from": "1990-01"},
        {"any": "こころ", "until": "1988-12-31"},
        {"any": "こころ", "dpid": "iss-ndl-opac"},
        {"any": "こ" * 300},
        {"any": "a " * 90},
        {"isbn": "978"},
        {"any": "こころ", "digitized_publisher": "岩波書店"},
        {"publisher": "国立国会図書館"},
        {"isbn": "[0-9]*"},
        {"ndc": ".*"},
    ],
)
def test_a_request_that_cannot_be_understood_has_no_hits(client, kokoro, parameters):
    channel = rss(client, **parameters)
    assert (total(channel), channel.find("item")) == (0, None)


def test_pages_end_with_the_window(client, many, monkeypatch):
    monkeypatch.setattr(finding, "WINDOW", 5)
    assert len(rss(client, any="図書", cnt="2", idx="4").findall("item")) == 2
    channel = rss(client, any="図書", cnt="4", idx="4")
    assert (total(channel), len(channel.findall("item"))) == (7, 2)
    assert rss(client, any="図書", idx="6").find("item") is None


def test_at_most_500_hits_are_given_at_once(client, many):
    assert rss(client, any="図書", cnt="9999").findtext("o:itemsPerPage", namespaces=NAMES) == "500"


def test_hostile_text_stays_text(client, shelf, library):
    record = structs.replace(KOKORO, titles=(Title(value="]]><script>x</script>\x00こころ"),), display_title="")
    shelf.book(shelf.record(library, record), record=record)
    item = rss(client, any="こころ").find("item")
    assert item.findtext("dc:title", namespaces=NAMES) == "]]><script>x</script>こころ"
    assert "<script>" not in item.findtext("description")


def test_the_group_of_open_data_is_that_of_free_licences(client, kokoro, library):
    assert total(rss(client, dpid="open", cnt="20", title="こころ", creator="夏目漱石")) == 0
    library.licence = "https://creativecommons.org/publicdomain/zero/1.0/"
    library.save()
    assert total(rss(client, dpid="open", cnt="20", title="こころ", creator="夏目漱石")) == 1


def test_books_of_a_provider_that_forbids_it_are_not_given(client, kokoro, library):
    library.give_on = False
    library.save()
    assert total(rss(client, any="こころ")) == 0


def test_a_missing_index_is_a_temporary_problem(client, kokoro, monkeypatch):
    def unavailable(*_arguments, **_options):
        raise IndexUnavailable("damaged")

    monkeypatch.setattr(type(get_index()), "search", unavailable)
    answer = client.get("/api/opensearch", {"any": "こころ"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert client.get("/api/sru", {"operation": "searchRetrieve", "query": "こころ"}).status_code == 503
