"""The SRU endpoint: requests and responses, by hand and with the independent client sruthi."""

import pytest
import sruthi
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from lxml import etree
from msgspec import structs

from aggregator.models import Manifestation
from aggregator.provision.sru.schemas import schemas
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable
from metadata.record import Identifier, Title
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO
from tests.stored_once import stored_once

SRU = "{http://www.loc.gov/zing/srw/}"
DIAGNOSTIC = "{http://www.loc.gov/zing/srw/diagnostic/}"
ZEEREX = "{http://explain.z3950.org/dtd/2.0/}"
# The order of the elements in the standard's schema.
RESPONSE = (
    *("version", "numberOfRecords", "resultSetId", "resultSetIdleTime", "records", "nextRecordPosition"),
    *("echoedSearchRetrieveRequest", "diagnostics", "extraResponseData"),
)
RECORD = ("recordSchema", "recordPacking", "recordData", "recordIdentifier", "recordPosition", "extraRecordData")


def search(client, query="", **parameters):
    """Make a searchRetrieve request, check what holds for all responses, and return the root element."""
    parameters_sent = {
        "operation": "searchRetrieve",
        "version": "1.2",
        **({"query": query} if query else {}),
        **parameters,
    }
    answer = client.get("/sru", parameters_sent)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/xml; charset=utf-8")
    root = etree.fromstring(answer.content)
    in_order(root, RESPONSE)
    for record in root.iter(f"{SRU}record"):
        in_order(record, RECORD)
    return root


def in_order(parent, names):
    places = [names.index(etree.QName(child).localname) for child in parent]
    assert places == sorted(set(places))


def codes(root):
    return [int(element.text.rpartition("/")[2]) for element in root.iter(f"{DIAGNOSTIC}uri")]


def text(root, name):
    return root.findtext(f"{SRU}{name}")


@pytest.fixture
@stored_once
def many(shelf, library):
    """The permanent addresses of twelve books."""
    addresses = set()
    for number in range(12):
        record = structs.replace(
            KOKORO,
            titles=(Title(value=f"図書 第{number}巻 <&>"),),
            identifiers=(Identifier(scheme="ISBN", value=f"97840031011{number:02}"),),
            issued=str(1990 + number),
        )
        source = shelf.record(library, record)
        shelf.book(source, record=record)
        addresses.add(f"http://127.0.0.1:8000/books/{book_id(source)}")
    return addresses


def test_one_book_is_found_in_every_schema(client, book):
    for schema in schemas():
        for schema_name in (schema.name, schema.identifier):
            root = search(client, 'title = "こころ"', recordSchema=schema_name)
            assert (text(root, "numberOfRecords"), codes(root)) == ("1", [])
            record = root.find(f"{SRU}records/{SRU}record")
            assert text(record, "recordSchema") == schema.identifier
            assert text(record, "recordIdentifier") == f"http://127.0.0.1:8000/books/{book_id(book)}"
            assert "こころ" in "".join(record.find(f"{SRU}recordData").itertext())


def test_string_packing_contains_the_same_record(client, book):
    record = search(client, "isbn = 9784003101117").find(f"{SRU}records/{SRU}record/{SRU}recordData")
    string = search(client, "isbn = 9784003101117", recordPacking="string").find(f".//{SRU}recordData")
    inside = etree.fromstring(string.text)
    assert etree.tostring(inside, method="c14n2") == etree.tostring(record[0], method="c14n2", with_tail=False)


def test_a_client_gets_exactly_the_records_of_the_database(live_server, many):
    client = sruthi.Client(f"{live_server.url}/sru", maximum_records=5, record_schema="dc")
    response = client.searchretrieve("cql.allRecords = 1")
    titles = [record["title"] for record in response]
    assert response.count == len(titles) == Manifestation.objects.count() == 12
    assert sorted(titles) == sorted(f"図書 第{number}巻 <&>. — 改版" for number in range(12))
    assert client.explain().server["port"] == 8000


def test_positions_lead_to_the_end(client, many):
    addresses, start = [], "1"
    while start:
        root = search(client, "図書", maximumRecords="5", startRecord=start)
        addresses += [text(record, "recordIdentifier") for record in root.iter(f"{SRU}record")]
        assert text(root.find(f".//{SRU}record"), "recordPosition") == start
        start = text(root, "nextRecordPosition")
    assert (len(addresses), set(addresses)) == (12, many)


def test_a_cursor_leads_to_the_end_even_if_books_are_added_meanwhile(client, many, shelf, library):
    addresses, cursor, start = [], {}, 1
    while cursor is not None:
        query = "図書 sortby dc.date/sort.descending"
        root = search(client, query, maximumRecords="5", startRecord=str(start), **cursor)
        addresses += [text(record, "recordIdentifier") for record in root.iter(f"{SRU}record")]
        start = text(root, "nextRecordPosition")
        next_cursor = root.findtext(f"{SRU}extraResponseData/*")
        cursor = {"x-cursor": next_cursor} if next_cursor else None
        newest = structs.replace(KOKORO, titles=(Title(value="図書"),), issued="2025")
        shelf.book(shelf.record(library, newest), record=newest)
    assert (len(addresses), set(addresses)) == (12, many)


def test_sort_keys_of_version_1_1_are_supported(client, many):
    root = search(client, "図書", version="1.1", sortKeys="date,,0", maximumRecords="1")
    assert "第11巻" in "".join(root.find(f".//{SRU}recordData").itertext())
    assert (text(root, "version"), root.find(f".//{SRU}recordIdentifier")) == ("1.1", None)
    assert codes(search(client, "図書 sortby title", sortKeys="date,,0")) == [94]


def test_the_count_is_available_without_records(client, many):
    root = search(client, "図書", maximumRecords="0")
    assert (text(root, "numberOfRecords"), root.find(f"{SRU}records")) == ("12", None)
    assert text(root, "nextRecordPosition") is None


def test_a_search_without_hits_has_no_diagnostic(client, book):
    root = search(client, "title = 不在")
    assert (text(root, "numberOfRecords"), codes(root)) == ("0", [])


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({}, 7),
        ({"query": "a and"}, 10),
        ({"query": "colour = red"}, 16),
        ({"query": "こころ", "startRecord": "2"}, 61),
        ({"query": "a", "startRecord": "0"}, 6),
        ({"query": "a", "maximumRecords": "-1"}, 6),
        ({"query": "a", "maximumRecords": "many"}, 6),
        ({"query": "a", "recordSchema": "junk"}, 66),
        ({"query": "a", "recordPacking": "box"}, 71),
        ({"query": "a", "recordXPath": "//title"}, 72),
        ({"query": "a", "stylesheet": "https://example.org/x.xsl"}, 110),
        ({"query": "a", "cnt": "5"}, 8),
        ({"query": ["a", "b"]}, 6),
        ({"query": "a", "version": "2.0"}, 5),
        ({"query": "a", "operation": "scan"}, 4),
        ({"query": "a", "operation": "delete"}, 4),
        ({"query": "a", "sortKeys": "title date"}, 84),
        ({"query": "a", "sortKeys": "colour"}, 88),
        ({"query": "a", "sortKeys": "title,marc"}, 87),
        ({"query": "a", "sortKeys": "title,,0"}, 90),
        ({"query": "a", "x-cursor": "zzz"}, 6),
        ({"query": "a", "x-cursor": "b2xkZXN0OjE"}, 6),
    ],
)
def test_invalid_requests_get_a_diagnostic(client, book, parameters, code):
    answer = client.get("/sru", {"operation": "searchRetrieve", "version": "1.2", **parameters})
    root = etree.fromstring(answer.content)
    assert (answer.status_code, codes(root)) == (200, [code])
    assert root.findtext(f".//{DIAGNOSTIC}message")
    assert b"xml-stylesheet" not in answer.content


def test_an_unknown_version_gets_the_highest_version_as_detail(client, db):
    root = etree.fromstring(client.get("/sru", {"operation": "explain", "version": "2.0"}).content)
    assert (root.tag, text(root, "version")) == (f"{SRU}explainResponse", "1.2")
    assert root.findtext(f".//{DIAGNOSTIC}details") == "1.2"


def test_unknown_extensions_are_ignored(client, book):
    assert codes(search(client, "こころ", **{"x-info-5-restrict": "1"})) == []


def test_a_request_may_be_posted(client, book):
    answer = client.post("/sru", {"operation": "searchRetrieve", "version": "1.1", "query": 'title = "こころ"'})
    assert text(etree.fromstring(answer.content), "numberOfRecords") == "1"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("library = 2127", 1),
        ("library = 大阪市立中央図書館", 1),
        ('dcndl.holdingAgent any "2127 2103"', 2),
        ("library <> 2127", 1),
        ("title = こころ not library = 2103", 1),
        ("region = 27100", 1),
        ('region any "27 13"', 2),
        ("region <> 27", 1),
    ],
)
def test_libraries_and_regions_are_indexes(client, shelf, library, query, count):
    osaka = shelf.library("大阪市立中央図書館", "2127", prefecture="27", municipality="27100")
    shelf.book(shelf.record(library), libraries=[osaka])
    shelf.book(shelf.record(library), libraries=[shelf.library("都立中央図書館", "2103", prefecture="13")])
    root = search(client, query)
    assert (codes(root), text(root, "numberOfRecords")) == ([], str(count))


@pytest.mark.parametrize("query", ["library = 9999", "region = 99"])
def test_an_unknown_library_or_region_gets_a_diagnostic(client, book, query):
    assert codes(search(client, query)) == [36]


def test_explain_lists_indexes_and_schemas(client, db):
    root = etree.fromstring(client.get("/sru").content)
    names = {(element.get("set"), element.text) for element in root.iter(f"{ZEEREX}name")}
    assert {("dc", "title"), ("cql", "allRecords"), ("rec", "lastModificationDate"), ("agg", "jpno")} <= names
    assert {element.get("name") for element in root.iter(f"{ZEEREX}schema")} == {element.name for element in schemas()}
    titles = {element.text for element in root.iter(f"{ZEEREX}title") if element.get("lang") == "ja"}
    assert {"タイトル", "出版者"} <= titles


def test_every_masking_character_that_explain_lists_can_be_used(client, book):
    root = etree.fromstring(client.get("/sru").content)
    listed = [item.text for item in root.iter(f"{ZEEREX}supports") if item.get("type") == "maskingCharacter"]
    assert listed == ["*"]
    for character in listed:
        assert codes(search(client, f'title = "organ{character}"')) == []
    assert codes(search(client, 'title = "日?"')) == [28]


def test_a_book_deleted_since_indexing_gives_a_diagnostic_in_its_place(client, many):
    deleted = Manifestation.objects.order_by("pk").first()
    deleted.members.all().delete()
    root = search(client, "図書", maximumRecords="50")
    assert text(root, "numberOfRecords") == "12"
    assert len(list(root.iter(f"{SRU}record"))) == 12
    assert codes(root) == [64]


def test_an_unavailable_index_gives_a_diagnostic_and_retry_after(client, shelf, monkeypatch):
    def fail():
        raise IndexUnavailable("outdated")

    monkeypatch.setattr("aggregator.indexing.searching.get_index", fail)
    answer = client.get("/sru", {"operation": "searchRetrieve", "query": "a"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert codes(etree.fromstring(answer.content)) == [2]


def test_queries_do_not_grow_with_records(client, many, django_assert_max_num_queries):
    with django_assert_max_num_queries(11):
        search(client, "図書", maximumRecords="12")


PARAMETERS = st.sampled_from(
    ["operation", "version", "query", "startRecord", "maximumRecords", "recordPacking", "recordSchema", "sortKeys"]
    + ["recordXPath", "stylesheet", "x-cursor", "x-a", "\x00", "colour"]
)
VALUES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["searchRetrieve", "explain", "1.2", "dcndl", "<script>", "]]>", "title=a", "9" * 30, "こころ"]),
)


class TestFuzz(TestCase):
    def setUp(self):
        get_index().clear()

    @given(st.lists(st.tuples(PARAMETERS, VALUES), max_size=6))
    def test_any_request_gets_a_document(self, pairs):
        parameters = {}
        for name, value in pairs:
            parameters.setdefault(name, []).append(value.encode("utf-8", "replace").decode())
        for answer in (self.client.get("/sru", parameters), self.client.post("/sru", parameters)):
            self.assertEqual(answer.status_code, 200)
            etree.fromstring(answer.content)
            self.assertNotIn(b"<script>", answer.content)
