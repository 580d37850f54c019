"""OAI-PMH as a harvester sees it."""

import gzip
import re
from collections.abc import Iterator

import pytest
from django.test import Client
from lxml import etree
from msgspec import structs

from aggregator.provision.oai import lists
from aggregator.provision.oai.records import prefixes
from aggregator.provision.stamps.barrier import StampingTimeout
from aggregator.tasks import aggregate
from core.http.concurrency import ConcurrencyLimit
from harvesting.models import Feed, Repository, SourceRecord
from tests.aggregator.provision.list_helpers import aggregate_a_second_later
from tests.aggregator.shelves import Shelf, book_id
from tests.books import record
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
NS = {
    "o": "http://www.openarchives.org/OAI/2.0/",
    "p": "http://www.openarchives.org/OAI/2.0/provenance",
    "r": "http://www.openarchives.org/OAI/2.0/rights/",
    "dc": "http://purl.org/dc/elements/1.1/",
}
DC = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
@stored_once
def catalogue(shelf: Shelf) -> Shelf:
    """Twelve records and as many merged ones."""
    for number in range(12):
        shelf.put(
            "ab"[number % 2], f"oai:p:{number}", record(str(number), title=f"{number}冊目の本", creator=f"著者{number}")
        )
    aggregate()
    return shelf


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "PAGE_SIZES", {"ListRecords": 5, "ListIdentifiers": 5})


def ask(client: Client, arguments: object = None, **named: str) -> etree._Element:
    response = client.get("/oai", arguments or named)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/xml; charset=utf-8"
    return etree.fromstring(response.content)


def texts(root: etree._Element, path: str) -> list[str]:
    return [str(getattr(node, "text", node) or "") for node in root.xpath(path, namespaces=NS)]


def errors(client: Client, query: str) -> list[str]:
    response = client.get(f"/oai?{query}")
    assert response.status_code == 200
    return texts(etree.fromstring(response.content), "/o:OAI-PMH/o:error/@code")


def pages(client: Client, **arguments: str) -> Iterator[etree._Element]:
    root = ask(client, **arguments)
    yield root
    while token := "".join(texts(root, "//o:resumptionToken")):
        root = ask(client, verb=arguments["verb"], resumptionToken=token)
        yield root


def test_identify_matches_the_repository(client: Client, catalogue: Shelf) -> None:
    root = ask(client, verb="Identify")
    assert texts(root, "//o:baseURL") == ["http://127.0.0.1:8000/oai"]
    assert texts(root, "//o:deletedRecord") == ["persistent"]
    assert texts(root, "//o:compression") == ["gzip"]
    first = min(texts(ask(client, verb="ListIdentifiers", metadataPrefix="oai_dc"), "//o:datestamp"))
    assert texts(root, "//o:earliestDatestamp") == [first]
    assert texts(root, "/o:OAI-PMH/o:responseDate")[0] >= first


def test_the_pages_of_a_list_have_every_record_once(client: Client, catalogue: Shelf) -> None:
    found = [texts(page, "//o:header/o:identifier") for page in pages(client, **DC)]
    assert [len(names) for names in found] == [5, 5, 5, 5, 4]
    public_ids = set(SourceRecord.objects.values_list("public_id", flat=True))
    merged = {f"M{number}" for number in SourceRecord.objects.values_list("member__manifestation", flat=True)}
    flat = [name for names in found for name in names]
    assert len(flat) == len(set(flat))
    assert {name.rpartition(":")[2] for name in flat} == public_ids | merged


def test_resumption_tokens_have_a_cursor_and_can_be_repeated(client: Client, catalogue: Shelf) -> None:
    whole = list(pages(client, **DC))
    assert [texts(page, "//o:resumptionToken/@cursor") for page in whole] == [["0"], ["5"], ["10"], ["15"], ["20"]]
    assert {size for page in whole for size in texts(page, "//o:resumptionToken/@completeListSize")} == {"24"}
    assert not texts(whole[0], "//o:resumptionToken/@expirationDate")
    token = texts(whole[1], "//o:resumptionToken")[0]
    again = ask(client, verb="ListRecords", resumptionToken=token)
    assert texts(again, "//o:identifier") == texts(whole[2], "//o:identifier")


def test_a_single_page_has_no_resumption_token(client: Client, shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    assert not ask(client, **DC).xpath("//o:resumptionToken", namespaces=NS)


def test_post_answers_like_get(client: Client, catalogue: Shelf) -> None:
    got = ask(client, **DC)
    posted = client.post(
        "/oai", "verb=ListRecords&metadataPrefix=oai_dc", content_type="application/x-www-form-urlencoded"
    )
    assert texts(etree.fromstring(posted.content), "//o:identifier") == texts(got, "//o:identifier")
    assert Client(enforce_csrf_checks=True).post("/oai", {"verb": "Identify"}).status_code == 200


@pytest.mark.parametrize("prefix", prefixes())
def test_every_format_names_its_schema(client: Client, catalogue: Shelf, prefix: str) -> None:
    root = ask(client, verb="ListRecords", metadataPrefix=prefix)
    roots = root.xpath("//o:metadata/*", namespaces=NS)
    assert len(roots) == 5
    where = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
    assert all(root_element.get(where) for root_element in roots)


def test_sets_list_their_records(client: Client, catalogue: Shelf) -> None:
    number = catalogue.repository("a").number
    sets = texts(ask(client, verb="ListSets"), "//o:setSpec")
    assert {"merged", "repository", f"repository:{number}", "type", "type:Book"} <= set(sets)
    assert all(re.fullmatch(r"[A-Za-z0-9\-_.!~*'()]+(:[A-Za-z0-9\-_.!~*'()]+)*", set_spec) for set_spec in sets)

    def count(name: str) -> int:
        return sum(len(texts(page, "//o:identifier")) for page in pages(client, **DC, set=name))

    assert count(f"repository:{number}") == 6
    assert count("repository") == count("merged") == 12
    assert count("type:Book") == count("type") == 24


def test_get_record_has_provenance_and_rights(client: Client, catalogue: Shelf) -> None:
    one = SourceRecord.objects.get(identifier="oai:p:0")
    feed = Feed.objects.create(repository=one.repository, base_url="https://provider.example.jp/oai?a=b&c=d")
    SourceRecord.objects.update(feed=feed, datestamp="2020-02-03")
    Repository.objects.update(licence="https://creativecommons.org/publicdomain/zero/1.0/")
    name = f"oai:aggregator.localhost:{one.public_id}"
    root = ask(client, verb="GetRecord", identifier=name, metadataPrefix="oai_dc")
    assert texts(root, "//p:baseURL") == ["https://provider.example.jp/oai?a=b&c=d"]
    assert texts(root, "//p:identifier") == ["oai:p:0"]
    assert texts(root, "//p:originDescription/p:datestamp") == ["2020-02-03"]
    assert texts(root, "//r:rightsReference/@ref") == ["https://creativecommons.org/publicdomain/zero/1.0/"]
    merged = f"oai:aggregator.localhost:{book_id(one)}"
    root = ask(client, verb="GetRecord", identifier=merged, metadataPrefix="oai_dc")
    assert texts(root, "//r:rightsReference/@ref") and not texts(root, "//p:baseURL")
    assert texts(root, "//o:setSpec") == ["merged", "type:Book"]


def test_only_sets_with_records_are_listed(client: Client, catalogue: Shelf) -> None:
    catalogue.repository("without records")
    sets = texts(ask(client, verb="ListSets"), "//o:setSpec")
    assert f"repository:{catalogue.repository('without records').number}" not in sets
    assert "type:Map" not in sets
    assert all(texts(ask(client, **DC, set=name), "//o:identifier") for name in sets)


def test_a_site_without_records_lists_the_set_of_merged_records(client: Client, db: None) -> None:
    assert texts(ask(client, verb="ListSets"), "//o:setSpec") == ["merged"]


def test_deleted_records_are_reported_in_their_sets(client: Client, catalogue: Shelf) -> None:
    one = SourceRecord.objects.get(identifier="oai:p:0")
    merged = book_id(one)
    catalogue.delete("oai:p:0")
    aggregate_a_second_later()
    name = f"oai:aggregator.localhost:{one.public_id}"
    for prefix in ("oai_dc", "dcndl"):
        root = ask(client, verb="GetRecord", identifier=name, metadataPrefix=prefix)
        assert texts(root, "//o:header/@status") == ["deleted"] and not texts(root, "//o:metadata")
    gone = [
        identifier
        for page in pages(client, **DC, set="type:Book")
        for identifier in texts(page, "//o:header[@status]/o:identifier")
    ]
    assert gone == [name, f"oai:aggregator.localhost:{merged}"]


def test_records_of_a_provider_that_is_not_redistributable_are_deleted_at_once(
    client: Client, catalogue: Shelf
) -> None:
    Repository.objects.filter(name="a").update(give_on=False)
    one = SourceRecord.objects.get(identifier="oai:p:0")
    name = f"oai:aggregator.localhost:{one.public_id}"
    root = ask(client, verb="GetRecord", identifier=name, metadataPrefix="oai_dc")
    assert texts(root, "//o:header/@status") == ["deleted"]
    assert "0冊目の本" not in "".join(etree.tostring(page, encoding="unicode") for page in pages(client, **DC))


def test_a_record_changed_between_pages_is_not_lost(client: Client, catalogue: Shelf) -> None:
    """A change after the beginning of a list is in the rest of it or in the next list, and no record is repeated."""
    walk = pages(client, **DC)
    first = next(walk)
    began = texts(first, "/o:OAI-PMH/o:responseDate")[0]
    seen = texts(first, "//o:identifier")
    catalogue.put("b", "oai:p:11", record("11", title="書きかえた本", creator="著者11"))
    catalogue.delete("oai:p:0")
    aggregate_a_second_later()
    seen += [name for page in walk for name in texts(page, "//o:identifier")]
    later = [name for page in pages(client, **DC, **{"from": began}) for name in texts(page, "//o:identifier")]
    changed = [SourceRecord.objects.get(identifier=f"oai:p:{number}").public_id for number in (0, 11)]
    assert {name.rpartition(":")[2] for name in later} >= set(changed)
    assert len({*seen, *later}) == 24 and len(seen) == len(set(seen))


def test_a_list_whose_remaining_records_changed_can_be_finished(client: Client, catalogue: Shelf) -> None:
    token = texts(ask(client, **DC), "//o:resumptionToken")[0]
    Repository.objects.update(licence="新しい条件")
    aggregate_a_second_later()
    root = ask(client, verb="ListRecords", resumptionToken=token)
    assert texts(root, "//o:identifier") and not texts(root, "//o:error/@code")


ERROR_CODES = {
    "": ["badVerb"],
    "verb=Identify&verb=Identify": ["badVerb"],
    "verb=listrecords": ["badVerb"],
    "verb=Identify&x=1": ["badArgument"],
    "verb=Identify&x=1&y=2": ["badArgument", "badArgument"],
    "verb=ListRecords": ["badArgument"],
    "verb=GetRecord": ["badArgument", "badArgument"],
    "verb=GetRecord&identifier=a%20b&metadataPrefix=oai_dc": ["badArgument"],
    "verb=GetRecord&identifier=oai:x.y:1&metadataPrefix=oai_dc": ["idDoesNotExist"],
    "verb=GetRecord&identifier=oai:aggregator.localhost:M999999999999999999999&metadataPrefix=oai_dc": [
        "idDoesNotExist"
    ],
    "verb=GetRecord&identifier=oai:aggregator.localhost:M01&metadataPrefix=oai_dc": ["idDoesNotExist"],
    "verb=ListMetadataFormats&identifier=nothing": ["idDoesNotExist"],
    "verb=ListRecords&metadataPrefix=marc21": ["cannotDisseminateFormat"],
    "verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=2020": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=2020-02-30": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=2020-02-03T00:00:00": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=2020-02-03T00:00:00%2B09:00": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=2020-02-03&until=2021-01-01T00:00:00Z": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=2021-01-01&until=2020-01-01": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&until=1990-01-01": ["noRecordsMatch"],
    "verb=ListRecords&metadataPrefix=oai_dc&from=9999-12-31": ["noRecordsMatch"],
    "verb=ListRecords&metadataPrefix=oai_dc&set=nothing": ["noRecordsMatch"],
    "verb=ListRecords&metadataPrefix=oai_dc&set=a:": ["badArgument"],
    "verb=ListRecords&metadataPrefix=oai_dc&set=": ["badArgument"],
    "verb=ListRecords&resumptionToken=x": ["badResumptionToken"],
    "verb=ListRecords&resumptionToken=": ["badResumptionToken"],
    "verb=ListRecords&resumptionToken=x&metadataPrefix=oai_dc": ["badArgument"],
    "verb=ListSets&resumptionToken=x": ["badResumptionToken"],
}


@pytest.mark.parametrize(("query", "codes"), ERROR_CODES.items())
def test_errors_have_their_codes(client: Client, catalogue: Shelf, query: str, codes: list[str]) -> None:
    assert errors(client, query) == codes


def test_a_token_is_valid_only_for_its_verb_and_unchanged(client: Client, catalogue: Shelf) -> None:
    token = texts(ask(client, **DC), "//o:resumptionToken")[0]
    assert errors(client, f"verb=ListIdentifiers&resumptionToken={token}") == ["badResumptionToken"]
    for place in range(0, len(token), 7):
        other = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        assert errors(client, f"verb=ListRecords&resumptionToken={other}") == ["badResumptionToken"]


def test_the_request_element_has_attributes_unless_arguments_are_bad(client: Client, catalogue: Shelf) -> None:
    assert ask(client, **DC).find("o:request", NS).attrib == DC
    assert ask(client, verb="ListRecords").find("o:request", NS).attrib == {}


def test_gzip_is_sent_on_request(client: Client, catalogue: Shelf) -> None:
    plain = client.get("/oai", DC)
    packed = client.get("/oai", DC, headers={"Accept-Encoding": "gzip;q=1.0, identity;q=0.5"})
    assert packed["Content-Encoding"] == "gzip" and "Accept-Encoding" in packed["Vary"]
    root = etree.fromstring(gzip.decompress(packed.content))
    assert texts(root, "//o:identifier") == texts(etree.fromstring(plain.content), "//o:identifier")
    assert not client.get("/oai", DC, headers={"Accept-Encoding": "gzip;q=0"}).has_header("Content-Encoding")


def test_scripts_of_other_sites_may_read_answers(client: Client) -> None:
    assert client.get("/oai?verb=Identify")["Access-Control-Allow-Origin"] == "*"
    assert client.options("/oai")["Access-Control-Allow-Origin"] == "*"


def test_a_day_includes_all_of_its_seconds(client: Client, catalogue: Shelf) -> None:
    day = texts(ask(client, verb="Identify"), "//o:earliestDatestamp")[0][:10]
    found = [
        name for page in pages(client, **DC, **{"from": day, "until": day}) for name in texts(page, "//o:identifier")
    ]
    assert len(found) == 24


def test_queries_do_not_grow_with_the_page(
    client: Client, catalogue: Shelf, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(14):  # type: ignore[operator]
        ask(client, **DC)


def test_characters_that_are_illegal_in_xml_are_dropped(client: Client, shelf: Shelf) -> None:
    shelf.put(
        "a", "oai:p:\x0b<&>\U0010ffff", structs.replace(record("1"), abstracts=("a\x00b\x1fc\ufffe<&>]]>\U00020000",))
    )
    feed = Feed.objects.create(repository=shelf.repository("a"), base_url="https://provider.example.jp/oai")
    SourceRecord.objects.update(feed=feed)
    aggregate()
    for prefix in ("oai_dc", "dcndl", "dcndl_simple", "jpcoar", "marcxml"):
        ask(client, verb="ListRecords", metadataPrefix=prefix)


def test_too_many_harvesters_get_503_with_retry_after(
    client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ConcurrencyLimit, "enter", lambda _gate, _known: False)
    refused = client.get("/oai", DC)
    assert refused.status_code == 503 and refused["Retry-After"] == "5"


def test_a_list_that_cannot_begin_gets_retry_after(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang() -> int:
        raise StampingTimeout

    monkeypatch.setattr("aggregator.provision.listing.begin_list", hang)
    assert client.get("/oai", DC)["Retry-After"] == "5"


def test_a_browser_gets_a_page(client: Client, shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", title="<script>alert(1)</script>"))
    aggregate()
    headers = {"Sec-Fetch-Dest": "document"}
    page = client.get("/en/oai", DC, headers=headers)
    text = page.content.decode()
    assert page["Content-Type"].startswith("text/html") and "Sec-Fetch-Dest" in page["Vary"]
    assert "&lt;script&gt;alert(1)" in text and "<script>alert" not in text
    assert (
        'href="?verb=GetRecord&amp;metadataPrefix=oai_dc&amp;identifier=oai:aggregator.localhost:R000000001-I' in text
    )
    for query in ("", "verb=Identify", "verb=ListSets", "verb=ListMetadataFormats", "verb=%3Cscript%3E"):
        assert client.get(f"/oai?{query}", headers=headers).status_code == 200


def test_a_record_without_an_address_is_identified_by_its_page_here(client: Client, shelf: Shelf) -> None:
    shelf.put("a", "one", structs.replace(record("1"), uri="", see_also=(), items=()))
    aggregate()
    root = ask(client, verb="ListRecords", metadataPrefix="dcndl")
    about = root.xpath("//*[local-name()='BibAdminResource']/@*[local-name()='about']")
    names = [identifier.rpartition(":")[2] for identifier in texts(root, "//o:identifier")]
    assert about == [f"http://127.0.0.1:8000/books/{name}{'?source=1' * (name[0] == 'R')}" for name in names]
