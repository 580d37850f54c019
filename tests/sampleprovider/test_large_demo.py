"""The providers of the large demo: their documents are valid and lead to pages of their own, on whatever port."""

import io
import json
import re
import urllib.request
from collections import Counter
from collections.abc import Iterator

import pymarc
import pytest
from lxml import etree
from PIL import Image

from metadata.issue import Severity
from metadata.policy import Policy
from metadata.reading import read
from metadata.validation.xsd.check import schemas_in
from sampleprovider.demo.headers import SIZES, headers, read_header
from sampleprovider.demo.large.descriptions import description
from sampleprovider.demo.large.facts import Publication, publications
from sampleprovider.demo.large.holdings import LIBRARIES, PROVIDERS, UNION, holders, providers_of
from sampleprovider.demo.large.sources import large_sources
from sampleprovider.protocols.marc_file import NAME, marc_file
from sampleprovider.server import running
from sampleprovider.source import DEFAULT_BASE, SampleSource
from tests.paths import SCHEMAS

SOURCES = {source.name: source for source in large_sources()}
ERRORS = {Severity.RECORD_ERROR, Severity.ITEM_ERROR}
EVERY = 25  # of so many records one is checked


def some(source: SampleSource) -> list[bytes]:
    return [
        record.payloads[prefix] for prefix in source.prefixes for record in source.holdings.listing(prefix, "")[::EVERY]
    ]


def test_there_are_as_many_descriptions_as_the_demo_promises() -> None:
    assert 3000 <= sum(len(source.holdings) for source in SOURCES.values()) <= 5000
    assert all(len(source.holdings) >= 100 for source in SOURCES.values())


def test_popular_books_are_held_by_all_providers_of_books_and_by_all_libraries_of_the_union_catalogue() -> None:
    popular = [one for one in publications() if one.popular and one.type == "book" and one.issued < "1946"]
    assert len(popular) >= 50
    for publication in popular:
        assert set(providers_of(publication)) == {*PROVIDERS} - {"large-repository"}, publication.title
        assert holders(publication) == LIBRARIES


def test_every_publication_is_described_and_many_by_several_providers() -> None:
    counts = Counter(len(providers_of(publication)) for publication in publications())
    assert not counts[0]
    assert sum(count for providers, count in counts.items() if providers > 1) >= 1000


def test_numbers_of_repositories_and_names_are_used_once() -> None:
    known = headers("large").values()
    assert len({header.number for header in known}) == len(known) == len({header.name for header in known})
    assert {header.stem for header in SIZES["large"][1].glob("*.json")} == set(PROVIDERS)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.skipif(not SCHEMAS.is_dir(), reason="no copy of the schemas")
def test_payloads_are_valid_against_the_official_schemas(name: str) -> None:
    schemas = schemas_in(str(SCHEMAS))
    checked = [etree.fromstring(payload) for payload in some(SOURCES[name])]
    assert not [issue for root in checked for issue in schemas.check(root)]


@pytest.mark.parametrize("name", PROVIDERS)
def test_payloads_can_be_read_and_have_no_errors_by_our_rules(name: str) -> None:
    source = SOURCES[name]
    for prefix in source.prefixes:
        for record in source.holdings.listing(prefix, "")[::EVERY]:
            reading = read(record.payloads[prefix], prefix)
            errors = [issue for issue in reading.issues if Policy().severity(issue.code) in ERRORS]
            assert reading.record, record.identifier
            assert not errors, record.identifier


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_description_keeps_the_title_and_links_to_its_page(name: str) -> None:
    for publication in publications()[::EVERY]:
        record = description(publication, name, f"{DEFAULT_BASE}/{name}")
        assert record.title.startswith(publication.title.partition(" : ")[0])
        links = (record.uri, *record.see_also, *(link for item in record.items for link in item.see_also))
        assert f"{DEFAULT_BASE}/{name}/books/{publication.number:09d}" in links


def popular_book() -> Publication:
    return next(one for one in publications() if one.popular and one.volume and one.type == "book")


def test_providers_describe_the_same_book_in_different_ways() -> None:
    written = {description(popular_book(), name, "") for name in PROVIDERS}
    assert len(written) == len(PROVIDERS)
    titles = {record.titles[0].value for record in written}
    assert len(titles) > 1


def test_items_of_the_union_catalogue_name_sample_libraries() -> None:
    items = description(popular_book(), UNION, DEFAULT_BASE).items
    assert len(items) == len(LIBRARIES) == 12
    for item in items:
        assert item.holding_agent.startswith("見本")
        assert re.fullmatch(r"JP-MIHON\d\d", item.holding_agent_identifiers[0].value)


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with running(list(SOURCES.values())) as address:
        yield address


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as response:
        body: bytes = response.read()
        return body


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_interface_answers_and_its_links_lead_to_the_port_of_this_start(base: str, name: str) -> None:
    header = read_header(SIZES["large"][1] / f"{name}.json")
    query = f"?verb=ListRecords&metadataPrefix={header.prefixes[0]}" if header.protocol == "oai-pmh" else ""
    body = fetched(f"{base}/{name}/{header.path}{query}")
    assert base.encode() in body
    assert DEFAULT_BASE.encode() not in body
    record = next(iter(SOURCES[name].holdings.listing(header.prefixes[0], "")))
    assert "見本".encode() in fetched(f"{base}/{name}/books/{record.local_id}")


def test_the_manifest_of_an_old_book_leads_to_a_picture_on_this_port(base: str) -> None:
    source = SOURCES["large-archive"]
    payloads = (record.payloads["dcndl"].decode() for record in source.holdings.listing("dcndl", ""))
    manifest = next(filter(None, (re.search(r'"([^"]*manifest\.json)"', payload) for payload in payloads)))[1]
    shown = json.loads(fetched(manifest.replace(DEFAULT_BASE, base)))
    assert [canvas["label"]["ja"] for canvas in shown["items"][:2]] == [["表紙"], ["一丁表"]]
    for canvas in shown["items"]:
        picture = canvas["items"][0]["items"][0]["body"]
        with Image.open(io.BytesIO(fetched(picture["id"]))) as image:
            assert image.size == (picture["width"], picture["height"])


def test_an_unknown_record_has_no_manifest(base: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetched(f"{base}/large-archive/iiif/1/manifest.json")


def test_the_marc_file_has_every_record_with_its_own_number() -> None:
    reply = marc_file(SOURCES["large-marc"], "http://127.0.0.1:8477")
    assert reply
    records = list(pymarc.MARCReader(io.BytesIO(reply.body), to_unicode=True, force_utf8=True))
    assert len(records) == len(SOURCES["large-marc"].holdings)
    assert all(record and record["001"].data.isdigit() for record in records)
    assert b"http://127.0.0.1:8477/large-marc/books/" in reply.body


def test_a_source_without_marc_has_no_marc_file(base: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetched(f"{base}/large-town/{NAME}")


@pytest.mark.parametrize("prefix", ["dcndl", "marcxml"])
def test_a_person_keeps_the_identifier_of_the_authority_file_in_a_harvested_description(prefix: str) -> None:
    held = [source for source in SOURCES.values() if prefix in source.prefixes]
    payloads = [one.payloads[prefix] for source in held for one in source.holdings.listing(prefix, "")]
    found = [payload for payload in payloads if "村上, 春樹".encode() in payload]
    persons = [person for payload in found for person in read(payload, prefix).record.creators]
    assert "http://id.ndl.go.jp/auth/entity/00104237" in {person.uri for person in persons}
