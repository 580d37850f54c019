"""Every interface gives the same description of one book and of one record: the same RDF, the same identity."""

import fnmatch
import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from django.test import Client
from lxml import etree
from msgspec import structs

from aggregator.provision import dumps
from aggregator.provision.resourcesync import packages
from aggregator.tasks import aggregate
from core.files import shared
from harvesting.models import Repository, SourceRecord
from metadata.policy import DEFAULT
from metadata.reading import read
from metadata.record import BibliographicRecord, Identifier, Item, SourceLink
from tests.aggregator.provision.list_helpers import name_of_book
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN, SITE = "9784003101018", "http://127.0.0.1:8000"
RDF, OAI = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}RDF", "{http://www.openarchives.org/OAI/2.0/}"
SRW = "{http://www.loc.gov/zing/srw/}recordData"
type Door = Callable[[Client, str], etree._Element]


@pytest.fixture
def site(tmp_path: Path, settings) -> dict[str, str]:
    """A book of three records: one of a library, one without items and addresses, and one that may not be
    redistributed. Returns their ids, and that of the book.
    """
    settings.DATA_DIR = tmp_path
    shelf = Shelf()
    bare = structs.replace(record("2", isbn=ISBN), uri="", see_also=(), items=())
    secret = structs.replace(record("3", isbn=ISBN), see_also=("https://secret.example/3",))
    sources = {"full": record("1", isbn=ISBN), "bare": bare, "secret": secret}
    names = {name: shelf.put(name, name, described).public_id for name, described in sources.items()}
    Repository.objects.filter(name="secret").update(give_on=False)
    Repository.objects.filter(name="bare").update(home_page="")
    aggregate()
    list(packages.pack())
    list(dumps.make_dump(list(dumps.FORMATS)))
    return {**names, "book": name_of_book("full")}


def by_oai(client: Client, name: str, prefix: str = "dcndl") -> etree._Element:
    identifier = f"oai:aggregator.localhost:{name}"
    parameters = {"verb": "GetRecord", "metadataPrefix": prefix, "identifier": identifier}
    return etree.fromstring(client.get("/oai", parameters).content).find(f".//{OAI}metadata")[0]


def by_page(client: Client, name: str, prefix: str = "dcndl") -> etree._Element:
    return etree.fromstring(client.get(f"/books/{name}.xml", {"format": prefix}).content)


def by_rdf_page(client: Client, name: str) -> etree._Element:
    return etree.fromstring(client.get(f"/books/{name}.rdf").content)


def by_sru(client: Client, _name: str, prefix: str = "dcndl") -> etree._Element:
    found = client.get("/sru", {"query": ISBN, "recordSchema": prefix, "recordPacking": "xml"})
    return etree.fromstring(found.content).find(f".//{SRW}")[0]


def by_resourcesync(client: Client, name: str) -> etree._Element:
    folder = "merged" if name.startswith("M") else name.partition("-")[0]
    return etree.fromstring(client.get(f"/resourcesync/{folder}/{name}.xml").content)


def by_package(_client: Client, name: str) -> etree._Element:
    folder = "merged" if name.startswith("M") else name.partition("-")[0]
    [own] = fnmatch.filter(shared.files("resourcesync"), f"resourcedump-{folder}-*.zip")
    with zipfile.ZipFile(shared.local(packages.shared_name(own))) as package:
        [inside] = [inside for inside in package.namelist() if name in inside]
        return etree.fromstring(package.read(inside))


def by_dump(_client: Client, name: str) -> etree._Element:
    part = "merged" if name.startswith("M") else "records"
    [dump] = dumps.finished_dumps()
    root = etree.fromstring(gzip.decompress(shared.read(f"{dump.folder}/{part}.rdf.gz")))
    addresses = [address for address in subjects(root) if name in address or address == record("1").uri]
    for child in list(root):
        if not about(child).startswith(addresses[0]) and "#item" not in about(child):
            root.remove(child)
    return root


def about(element: etree._Element) -> str:
    return element.get(RDF.replace("}RDF", "}about"), "")


def subjects(root: etree._Element) -> list[str]:
    return [about(child) for child in root if child.tag.endswith("BibAdminResource")]


def canonical(root: etree._Element) -> bytes:
    """The RDF without what only an envelope adds: the place of the schema, and blanks between elements."""
    for name in [name for name in root.attrib if name.endswith("schemaLocation")]:
        del root.attrib[name]
    parser = etree.XMLParser(remove_blank_text=True)
    alone = etree.fromstring(etree.tostring(root, with_tail=False), parser)
    return etree.tostring(alone, method="c14n", exclusive=True)


BOOK_DOORS: list[Door] = [by_oai, by_page, by_rdf_page, by_sru, by_resourcesync, by_package]


def test_every_door_gives_the_same_rdf_of_a_book(client: Client, site: dict[str, str]) -> None:
    given = {door.__name__: canonical(door(client, site["book"])) for door in (*BOOK_DOORS, by_dump)}
    assert set(given.values()) == {given["by_oai"]}, given


def test_every_door_gives_the_same_rdf_of_a_record(client: Client, site: dict[str, str]) -> None:
    for name in (site["full"], site["bare"]):
        given = {canonical(door(client, name)) for door in (by_oai, by_resourcesync, by_package)}
        assert len(given) == 1, given


@pytest.mark.parametrize("prefix", ["dcndl_simple", "oai_dc", "jpcoar", "marcxml"])
def test_every_door_gives_the_same_record_in_other_formats(client: Client, site: dict[str, str], prefix: str) -> None:
    given = {canonical(door(client, site["book"], prefix)) for door in (by_oai, by_page, by_sru)}
    assert len(given) == 1, given


def test_json_contains_the_same_record_as_the_rdf(client: Client, site: dict[str, str]) -> None:
    [dump] = dumps.finished_dumps()
    line = json.loads(gzip.decompress(shared.read(f"{dump.folder}/merged.jsonl.gz")))
    answers = (
        client.get(f"/books/{site['book']}.json").json(),
        client.get(f"/api/records/{site['book']}").json(),
        line,
    )
    records = [converted(answer["record"]) for answer in answers]
    assert records[1:] == records[:1] * 2
    assert read(etree.tostring(by_oai(client, site["book"])), "dcndl", DEFAULT).record == records[0]


def test_the_json_of_a_record_contains_the_same_record_as_its_rdf(client: Client, site: dict[str, str]) -> None:
    for name in (site["full"], site["bare"]):
        answer = client.get(f"/api/records/{name}?source=1").json()["record"]
        assert converted(answer) == given(client, name)


def converted(answer: dict[str, object]) -> BibliographicRecord:
    """Return a record in JSON without its number on this site, which RDF does not have."""
    record = msgspec.convert(answer, BibliographicRecord)
    assert record.control_number.value.startswith(("M", "R"))
    return structs.replace(record, control_number=Identifier(value=""))


def given(client: Client, name: str) -> BibliographicRecord:
    found = read(etree.tostring(by_oai(client, name)), "dcndl", DEFAULT).record
    assert found is not None
    return found


def test_a_book_has_its_own_subject_and_links_to_its_providers(client: Client, site: dict[str, str]) -> None:
    book = given(client, site["book"])
    page = f"{SITE}/books/{site['book']}"
    assert (book.uri, book.see_also) == (page, (record("1").uri, page))
    assert book.repository_number == "R000000001"
    assert book.sources == (
        SourceLink(uri=f"{SITE}/books/{site['full']}?source=1", repository_number="R000000001"),
        SourceLink(uri=f"{SITE}/books/{site['bare']}?source=1", repository_number="R000000002"),
    )


def test_a_book_has_one_item_with_a_link_for_every_library(client: Client, site: dict[str, str]) -> None:
    book = given(client, site["book"])
    page = f"{SITE}/books/{site['book']}"
    assert [(item.holding_agent, item.see_also) for item in book.items] == [
        ("見本図書館", (record("1").uri,)),
        ("bare", (page,)),
    ]
    assert all(item.uri.startswith(f"{page}#item-L") for item in book.items)
    assert len({item.uri for item in book.items}) == 2


def test_a_record_keeps_its_subject_and_one_without_gets_its_address_here(client: Client, site: dict[str, str]) -> None:
    full, bare = given(client, site["full"]), given(client, site["bare"])
    address = f"{SITE}/books/{site['bare']}?source=1"
    assert (full.uri, full.see_also, full.repository_number) == (record("1").uri, (record("1").uri,), "R000000001")
    assert (bare.uri, bare.see_also, bare.repository_number) == (address, (address,), "R000000002")
    assert client.get(address).status_code == 200


def test_a_book_and_its_records_have_different_subjects(client: Client, site: dict[str, str]) -> None:
    addresses = [given(client, site[name]).uri for name in ("book", "full", "bare")]
    assert len(set(addresses)) == 3


def test_what_is_not_given_on_is_no_source(client: Client, site: dict[str, str]) -> None:
    for door in BOOK_DOORS:
        text = etree.tostring(door(client, site["book"])).decode()
        assert site["secret"] not in text and "secret" not in text and "R000000003" not in text, door


def test_entries_of_feeds_have_the_identity_of_the_book(client: Client, site: dict[str, str]) -> None:
    feed = etree.fromstring(client.get("/opensearch", {"q": ISBN, "format": "rss"}).content)
    [item] = feed.findall(".//item")
    links = [element.get(RDF.replace("}RDF", "}resource")) for element in item if element.tag.endswith("seeAlso")]
    assert (item.findtext("link"), links) == (f"{SITE}/books/{site['book']}", [record("1").uri])


def test_records_with_an_unusable_uri_get_their_address_here(client: Client) -> None:
    odd = structs.replace(record("1"), uri="#record", see_also=("not an address",), items=(Item(),))
    source: SourceRecord = Shelf().put("odd", "odd", odd)
    aggregate()
    assert given(client, source.public_id).uri == f"{SITE}/books/{source.public_id}?source=1"
