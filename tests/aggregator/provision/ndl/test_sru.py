"""SRU as NDL Search has it: defaults, indexes, diagnostics, facets."""

import pytest
from lxml import etree
from msgspec import structs

from aggregator.middleware.refusals import busy
from aggregator.provision.ndl import finding
from aggregator.provision.ndl.problems import UNAVAILABLE
from metadata.record import Identifier
from tests.aggregator.provision.ndl.helpers import NAMES, count, message, rss, srw, total
from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

NDL_DC = "info:srw/schema/1/dc-v1.1"


def test_the_defaults_are_dc_as_a_string(client, kokoro):
    root = srw(client, 'title="こころ"')
    assert [etree.QName(child).localname for child in root] == [
        *("version", "numberOfRecords", "nextRecordPosition", "extraResponseData", "records")
    ]
    record = root.find("s:records/s:record", NAMES)
    assert [child.text for child in record if child.tag != "{*}recordData"][:2] == [NDL_DC, "string"]
    inside = etree.fromstring(record.findtext("s:recordData", namespaces=NAMES))
    assert inside.tag == f"{{{NDL_DC}}}dc"
    assert [title.text for title in inside.iterfind("dc:title", NAMES)] == ["こころ. 上. — 改版"]
    assert "xml:lang" not in etree.tostring(inside).decode()


def test_dcndl_is_given_with_and_without_the_copies(client, kokoro):
    whole = srw(client, "isbn=9784003101117", recordSchema="dcndl", recordPacking="xml")
    book = srw(client, "isbn=9784003101117", recordSchema="dcndl", recordPacking="xml", onlyBib="true")
    admin = whole.find(".//dcndl:BibAdminResource", NAMES)
    assert admin.get(f"{{{NAMES['rdf']}}}about").endswith(f"/books/{book_id(kokoro)}")
    assert (whole.find(".//dcndl:Item", NAMES) is None, book.find(".//dcndl:Item", NAMES) is None) == (False, True)


@pytest.mark.parametrize(
    "query",
    [
        "title any 夢十夜 こころ and from=1989 and until=1989",
        "creator all 夏目 漱石 AND title=こころ and from=1989 and until=1989",
        'title="こころ" AND from="1989" AND until="1989"',
        'ndc="913.6"',
        "ndlc=KH426",
        "ndlc=K",
        "ndc=KH4",
        "ndc=91",
        'isbn="4-00-310111-1"',
        "jpno=23164695",
        "description=初版本",
        "digitized_publisher any 岩波書店 国立国会図書館",
        'anywhere="漱石 岩波" and mediatype="books maps"',
        'dpid="R900000001 aozora" and isbn=9784003101117',
        "dpid any R900000001 aozora and isbn=9784003101117",
        'publisher exact "岩波書店" not mediatype=articles',
        "title=夢十夜 or (isbn=9784003101117)",
    ],
)
def test_a_query_finds_the_book(client, kokoro, article, query):
    assert (count(srw(client, query)), message(srw(client, query))) == (1, "")


def test_a_number_of_the_national_bibliography_is_no_other_number(client, shelf, library):
    other = structs.replace(KOKORO, identifiers=(Identifier(scheme="NCID", value="23164695"),))
    shelf.book(shelf.record(library, other), record=other)
    assert message(srw(client, "jpno=23164695")) == "Record does not exist"
    assert message(srw(client, "description=岩波書店 and digitized_publisher=岩波書店")) == "Record does not exist"


def test_a_collection_code_finds_the_books_whose_records_state_it(client, kokoro, shelf, library):
    digitised = structs.replace(KOKORO, sub_category="A00001 A00000", access_rights=("国立国会図書館内限定公開",))
    shelf.book(shelf.record(library, digitised), record=digitised)
    assert [count(srw(client, f"dpid={code}")) for code in ("A00001", "A00000", "ARkannai")] == [1, 1, 1]
    assert count(srw(client, 'dpid any "A00001 R900000001"')) == 2
    assert message(srw(client, "dpid=A00002")) == "Record does not exist"
    assert [total(rss(client, any="こころ", dpid=code)) for code in ("A00001", "A00009 A00000", "A00002")] == [1, 1, 0]
    assert count(srw(client, "title=こころ and mediatype=digital")) == 1


def test_a_token_finds_the_book_of_its_record(client, kokoro, article):
    assert count(srw(client, f'itemno="{kokoro.public_id}"')) == 1
    assert count(srw(client, f"itemno={book_id(kokoro)}")) == 1
    assert message(srw(client, "itemno=R900000001-Iabc")) == "Record does not exist"


@pytest.mark.parametrize(
    ("query", "parameters", "text"),
    [
        ("", {"operation": "explain"}, "operation is not searchRetrieve"),
        ("a", {"version": "2.0"}, "version must be 1.1 or 1.2"),
        ("", {}, "query must be present"),
        ("title=(", {}, "illegal query syntax"),
        ("unknown=a", {}, "illegal query syntax"),
        ("isbn any 1 2", {}, "illegal query syntax"),
        ("from=1989 and until=1989-12", {}, "illegal query syntax"),
        ("a", {"startRecord": "x"}, "illegal startRecord value"),
        ("a", {"startRecord": "0"}, "illegal startRecord value"),
        ("a", {"maximumRecords": "x"}, "illegal maximumRecords value"),
        ("a", {"recordPacking": "json"}, "illegal recordPacking value"),
        ("a", {"recordSchema": "dcndl_v4"}, "illegal recordSchema value"),
        ("a", {"version": "1.1", "sortKeys": "size"}, "illegal sortKeys value"),
        ("mediatype=1", {}, "illegal mediaType value"),
        ("夢十夜", {}, "Record does not exist"),
        ("こころ", {"inprocess": "true"}, "Record does not exist"),
    ],
)
def test_every_problem_has_ndls_text(client, kokoro, query, parameters, text):
    root = srw(client, query, **parameters)
    assert (message(root), count(root), root.find("s:records", NAMES)) == (text, 0, None)


def test_facets_are_counted_over_all_hits(client, kokoro, article):
    root = srw(client, "こころ", maximumRecords="1", recordPacking="xml")
    facets = {
        one.get("name"): {value.get("name"): value.text for value in one}
        for one in root.iterfind("s:extraResponseData/s:facets/s:lst", NAMES)
    }
    assert facets == {
        "REPOSITORY_NO": {"R900000001": "2"},
        "NDC": {"9": "1"},
        "ISSUED_DATE": {"2011": "1", "1989": "1"},
    }


@pytest.mark.parametrize(
    ("query", "parameters", "first"),
    [
        ("図書", {}, "図書 0"),
        ("図書 sortBy title/sort.descending", {}, "図書 6"),
        ("図書 sortBy issued_date/sort.descending", {}, "図書 6"),
        ("図書 sortBy issued_date", {"startRecord": "3"}, "図書 2"),
        ("図書 sortBy created_date", {}, "図書 0"),
        ("図書 sortBy created_date/sort.descending", {"startRecord": "7"}, "図書 0"),
        ("図書", {"version": "1.1", "sortKeys": "title,,0", "startRecord": "2"}, "図書 5"),
    ],
)
def test_hits_are_in_the_order_asked_for(client, many, query, parameters, first):
    data = srw(client, query, maximumRecords="2", **parameters).findtext(".//s:recordData", namespaces=NAMES)
    assert first in data


def test_positions_lead_to_the_end_and_not_beyond_the_window(client, many, monkeypatch):
    def read(start):
        root = srw(client, "図書", maximumRecords="4", startRecord=start)
        return len(root.findall(".//s:record", NAMES)), root.findtext("s:nextRecordPosition", namespaces=NAMES)

    assert [read("1"), read("5")] == [(4, "5"), (3, "0")]
    monkeypatch.setattr(finding, "WINDOW", 5)
    assert [read("1"), read("5"), read("6")] == [(4, "5"), (1, "0"), (0, "0")]


def test_the_count_is_available_without_records(client, many):
    root = srw(client, "図書", maximumRecords="0")
    assert (count(root), root.find("s:records", NAMES)) == (7, None)


def test_opensearch_and_sru_find_the_same(client, kokoro, article):
    assert len(rss(client, title="こころ").findall("item")) == count(srw(client, "title=こころ")) == 2


def test_a_refusal_has_the_form_of_the_face(rf):
    root = etree.fromstring(busy(rf.get("/api/sru"), 2).content)
    assert message(root) == UNAVAILABLE
    assert message(etree.fromstring(busy(rf.get("/sru"), 2).content)) != UNAVAILABLE
