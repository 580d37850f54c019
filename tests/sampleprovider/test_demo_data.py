"""The data files of the three demo providers: they can be read, and contain the cases that the demo shows."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from lxml import etree

from metadata.identifiers import normalise
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight
from tests.paths import DEMO

PREFECTURE, UNIVERSITY, TOWN = PROVIDERS = "pref-library", "univ-repository", "town-library"
LINE = {"identifier", "datestamp", "sets", "deleted", "record", "xml", "prefix"}
DATESTAMP = {"YYYY-MM-DD": r"\d{4}-\d\d-\d\d", "YYYY-MM-DDThh:mm:ssZ": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"}
ISBN_IN_XML = re.compile(r'/terms/ISBN">([^<]*)<')
TERMS = "http://ndl.go.jp/dcndl/terms/"

# Faults of the town library: there is at least one raw payload with each of them.
FAULTS: dict[str, Callable[[str], object]] = {
    "no title": lambda xml: "<dc:title>" not in xml and "<dcterms:title>" not in xml,
    "title empty": lambda xml: "<rdf:value></rdf:value>" in xml,
    "title only as display form": lambda xml: "<dc:title>" not in xml and "<dcterms:title>" in xml,
    "private use in the title": lambda xml: re.search("<dc:title>[^/]*[\ue000-\uf8ff]", xml),
    "private use in a note": lambda xml: re.search("description>[^<]*[\ue000-\uf8ff]", xml),
    "outside the BMP": lambda xml: re.search("[\U00010000-\U0010ffff]", xml),
    "zero width": lambda xml: "\u200b" in xml,
    "byte order mark": lambda xml: "\ufeff" in xml,
    "decomposed kana": lambda xml: "\u3099" in xml,
    "geta for a missing character": lambda xml: "\u3013" in xml,
    "line breaks in the title": lambda xml: re.search(r"value>\n", xml),
    "very long title": lambda xml: re.search("value>[^<]{400}", xml),
    "escaped twice": lambda xml: "&amp;amp;" in xml,
    "HTML in a note": lambda xml: "&lt;br&gt;" in xml,
    "wrong check digit": lambda xml: any(not normalise("ISBN", isbn) for isbn in _isbns(xml, 10)),
    "wrong check digit of 13": lambda xml: any(not normalise("ISBN", isbn) for isbn in _isbns(xml, 13)),
    "ISBN of nine digits": lambda xml: _isbns(xml, 9),
    "several ISBNs": lambda xml: len(_isbns(xml, 10)) > 1,
    "words in the ISBN": lambda xml: "ISBN978" in xml,
    "literal and link differ": lambda xml: 'resource="http://iss.ndl.go.jp/isbn/9784103534143"' in xml,
    "unknown identifier type": lambda xml: f"{TERMS}TRCNO" in xml,
    "Japanese year as W3CDTF": lambda xml: ">昭62</dcterms:issued>" in xml,
    "no such day": lambda xml: ">2009-11-31<" in xml,
    "year to come": lambda xml: ">2106<" in xml,
    "kanji in the reading": lambda xml: re.search("transcription>[^<]*[一-龠]", xml),
    "hiragana in the reading": lambda xml: re.search("transcription>[ぁ-ん]", xml),
    "half-width reading": lambda xml: re.search("transcription>[ｦ-ﾟ]", xml),
    "two descriptions": lambda xml: len(set(re.findall('BibResource rdf:about="([^"]*)"', xml))) > 1,
    "no administrative part": lambda xml: "BibAdminResource" not in xml,
    "description without a name": lambda xml: "<dcndl:BibResource>" in xml,
    "no item": lambda xml: "dcndl:Item" not in xml,
    "two items": lambda xml: xml.count("<dcndl:Item ") == 2,
    "item of nobody": lambda xml: "<dcndl:Item " in xml and "holdingAgent" not in xml,
    "relative names": lambda xml: 'about="books/' in xml,
    "another's repository number": lambda xml: ">R100000001<" in xml,
    "repository number without R": lambda xml: ">900000003<" in xml,
    "unknown material type": lambda xml: "ndltype/Comic" in xml,
    "no material type": lambda xml: "materialType" not in xml,
    "language of two letters": lambda xml: ">ja</dcterms:language>" in xml,
    "language in words": lambda xml: ">日本語</dcterms:language>" in xml,
    "country of three letters": lambda xml: ">JPN<" in xml,
    "class without a number": lambda xml: 'class/ndc9/"' in xml,
    "class in full width": lambda xml: "９１１．１６８" in xml,
    "empty elements": lambda xml: "<dcterms:isPartOf/>" in xml,
    "relative link": lambda xml: 'resource="/opac/' in xml,
    "script for a link": lambda xml: 'resource="javascript:' in xml,
    "other namespace prefixes": lambda xml: "<r:RDF" in xml,
}
# Oddities of the university, which oai_dc permits.
ODDITIES: dict[str, Callable[[str], object]] = {
    "relative identifier": lambda xml: "<dc:identifier>/records/" in xml,
    "several dates": lambda xml: xml.count("<dc:date>") > 2,
    "role in the name": lambda xml: "夏目漱石 著" in xml,
    "empty creator": lambda xml: "<dc:creator/>" in xml,
}


def _isbns(xml: str, digits: int) -> list[str]:
    """The ISBNs of a payload with this number of digits."""
    return [isbn for isbn in ISBN_IN_XML.findall(xml) if len(re.findall("[0-9X]", isbn)) == digits]


@cache
def lines(provider: str) -> list[dict[str, Any]]:
    with (DEMO / f"{provider}.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def header(provider: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((DEMO / f"{provider}.json").read_text("utf-8"))
    return content


def every_line() -> Iterator[tuple[str, dict[str, Any]]]:
    return ((provider, line) for provider in PROVIDERS for line in lines(provider))


def records(provider: str) -> list[BibliographicRecord]:
    return [msgspec.convert(line["record"], BibliographicRecord) for line in lines(provider) if "record" in line]


def payloads(provider: str) -> list[str]:
    return [line["xml"] for line in lines(provider) if "xml" in line]


def live(provider: str) -> list[BibliographicRecord]:
    live_records = [line["record"] for line in lines(provider) if "record" in line and not line.get("deleted")]
    return msgspec.convert(live_records, list[BibliographicRecord])


def holders_by_isbn() -> dict[str, set[str]]:
    """Normal form of an ISBN -> the providers that have it."""
    holders = defaultdict(set)
    for provider in PROVIDERS:
        known = [value for record in live(provider) for value in record.values("ISBN")]
        raw = [normalise("ISBN", text) for xml in payloads(provider) for text in ISBN_IN_XML.findall(xml)]
        for value in filter(None, known + raw):
            holders[value].add(provider)
    return holders


def holders_without_isbn() -> dict[tuple[str, ...], set[str]]:
    """(title without subtitle, creator without dates, volume, year) -> providers, for records without an ISBN."""
    holders = defaultdict(set)
    for provider in PROVIDERS:
        for record in live(provider):
            electronic = any("ElectronicResource" in type_.uri for type_ in record.material_types)
            if record.creators and not electronic and not record.values("ISBN"):
                title = fold_tight(re.split(" : |―", record.title)[0])
                name = fold_tight(re.sub("[-0-9,]", "", record.creators[0].name))
                holders[title, name, record.volume[:1], record.year].add(provider)
    return holders


def shared(holders: dict[Any, set[str]]) -> int:
    return sum(len(providers) > 1 for providers in holders.values())


def test_every_line_has_only_known_keys() -> None:
    assert all(set(line) <= LINE for _, line in every_line())


def test_every_line_is_a_description_or_a_payload_or_a_deletion() -> None:
    for _, line in every_line():
        assert ("record" in line) + ("xml" in line) == 1 or line.get("deleted"), line["identifier"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_records_have_no_unknown_fields_and_no_default_values(provider: str) -> None:
    for line in lines(provider):
        if "record" in line:
            record = msgspec.convert(line["record"], BibliographicRecord)
            assert json.loads(msgspec.json.encode(record)) == line["record"], line["identifier"]


def test_identifiers_are_unique_and_end_with_the_name_of_their_page() -> None:
    seen = [line["identifier"] for _, line in every_line()]
    assert len(set(seen)) == len(seen)
    for _, line in every_line():
        for uri in filter(None, [line.get("record", {}).get("uri")]):
            assert uri == "{base}/books/" + line["identifier"].rpartition(":")[2]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_datestamps_and_sets_match_the_header(provider: str) -> None:
    pattern = re.compile(DATESTAMP[header(provider)["granularity"]])
    specs = {set_["spec"] for set_ in header(provider)["sets"]}
    for line in lines(provider):
        assert pattern.fullmatch(line["datestamp"]), line["identifier"]
        assert set(line.get("sets", ())) <= specs


@pytest.mark.parametrize("provider", PROVIDERS)
def test_payloads_are_well_formed_and_in_a_format_of_their_provider(provider: str) -> None:
    for line in lines(provider):
        if "xml" in line:
            etree.fromstring(line["xml"].encode())
            assert line.get("prefix", header(provider)["prefixes"][0]) in header(provider)["prefixes"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_isbns_of_the_records_are_valid_and_in_normal_form(provider: str) -> None:
    for record in records(provider):
        for identifier in record.identifiers:
            if identifier.scheme in {"ISBN", "SetISBN"}:
                normal = normalise("ISBN", identifier.printed or identifier.value)
                assert identifier.value == normal, (record.title, identifier)


def test_apart_from_identifiers_all_links_lead_to_own_pages() -> None:
    allowed = re.compile(r"\{base\}/(?:books/[\w#-]+)?\Z")
    for provider in PROVIDERS:
        for record in records(provider):
            of_items = (link for item in record.items for link in (item.uri, *item.see_also))
            links = filter(None, (record.uri, *record.see_also, *of_items))
            assert all(allowed.match(link) for link in links), record.title


def test_there_are_no_unfilled_placeholders() -> None:
    for provider, line in every_line():
        text = json.dumps(line, ensure_ascii=False).replace("{base}", "")
        assert not re.search(r"TODO|FIXME|XXX|None|null|\{[a-z]+\}", text), (provider, line["identifier"])


def test_the_number_of_records_suits_a_demo() -> None:
    assert 350 <= sum(1 for _ in every_line()) <= 520


def test_many_books_are_held_by_several_providers() -> None:
    by_isbn, without = shared(holders_by_isbn()), shared(holders_without_isbn())
    assert by_isbn >= 100
    assert without >= 20
    assert by_isbn + without >= 120


def test_some_books_are_held_by_all_three() -> None:
    assert sum(len(providers) == 3 for providers in holders_by_isbn().values()) >= 20


def test_isbns_are_written_in_different_forms() -> None:
    printed = [identifier.printed for record in live(TOWN) for identifier in record.identifiers]
    forms = {re.sub("[0-9X]", "0", text) for text in printed}
    assert {"0000000000", "0000000000000", "０００００００００００００"} <= {form.translate(_FULL) for form in forms}
    assert any(re.fullmatch("[0-9]-[0-9-]{9}-[0-9X]", text) for text in printed)


_FULL = {ord(digit): "０" for digit in "１２３４５６７８９Ｘ"}


def test_most_deletions_have_only_a_header() -> None:
    deleted = [line for _, line in every_line() if line.get("deleted")]
    assert len(deleted) >= 8
    assert sum("record" not in line for line in deleted) >= 5


@pytest.mark.parametrize("fault", FAULTS)
def test_the_town_library_has_the_fault(fault: str) -> None:
    assert any(FAULTS[fault](xml) for xml in payloads(TOWN))


@pytest.mark.parametrize("oddity", ODDITIES)
def test_the_university_has_the_oddity(oddity: str) -> None:
    assert any(ODDITIES[oddity](xml) for xml in payloads(UNIVERSITY))


def test_the_town_library_has_many_faulty_records() -> None:
    assert len(payloads(TOWN)) >= 35


def test_a_set_isbn_is_given_as_the_isbn_of_a_volume() -> None:
    sets = {value for record in live(PREFECTURE) for value in record.values("SetISBN")}
    assert sets & {normalise("ISBN", text) for xml in payloads(TOWN) for text in ISBN_IN_XML.findall(xml)}


def test_there_are_volumes_editions_and_books_with_the_same_title() -> None:
    titles = [(record.title, record.volume, record.edition) for record in live(PREFECTURE)]
    assert {("海辺のカフカ", "上", ""), ("海辺のカフカ", "下", "")} <= set(titles)
    assert {edition for title, _, edition in titles if title == "広辞苑"} >= {"第6版", "第7版"}
    assert len({record.creators[0].name for record in live(PREFECTURE) if record.title == "告白"}) == 2


def test_the_providers_link_to_their_pages_in_different_ways() -> None:
    assert header(PREFECTURE)["link_template"]
    assert all(record.see_also for record in live(UNIVERSITY))
    pages = [any(item.see_also for item in record.items) for record in live(TOWN)]
    assert {True, False} == set(pages)
