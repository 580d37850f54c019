"""The ResourceSync documents and packages, as a client sees them."""

import io
import time
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise

import pytest
from django.test import Client
from lxml import etree
from msgspec import structs

from aggregator.models import ChangeList, MatchRuling, ResourceChange, ResourceClock
from aggregator.provision.resourcesync import changes, documents, naming, packages
from aggregator.review.rulings import carry_out
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, next_second
from tests.aggregator.provision.resourcesync.reading import NS, capability, entries, get_xml, locs, path_of, texts
from tests.aggregator.shelves import Shelf, book_id
from tests.books import record
from tests.paths import SCHEMAS

pytestmark = pytest.mark.django_db
START = "/.well-known/resourcesync"


def changes_in(found: list[etree._Element]) -> list[tuple[str, str]]:
    """Return (name of the resource, kind of change) of the entries."""
    return [
        (texts(element, "s:loc")[0].rpartition("/")[2].removesuffix(".xml"), texts(element, "rs:md/@change")[0])
        for element in found
    ]


def every_document(client: Client) -> Iterator[etree._Element]:
    """Yield all documents that can be reached from the source description."""
    visited, to_visit = set(), [START]
    while to_visit:
        path = path_of(to_visit.pop())
        if path in visited or "/books/" in path or not path.endswith(("resourcesync", ".xml")):
            continue
        visited.add(path)
        response = client.get(path)
        assert response.status_code == 200, path
        if response["Content-Type"] == "application/xml":
            body = b"".join(response.streaming_content) if response.streaming else response.content
            root = etree.fromstring(body)
            yield root
            to_visit += texts(root, "//s:loc") + texts(root, "//rs:ln[@rel='contents' or @rel='index']/@href")


def test_there_is_a_set_per_provider_and_one_of_merged_records(client: Client, catalogue: Shelf) -> None:
    root = get_xml(client, START)
    assert texts(root, "/s:urlset/rs:md/@capability") == ["description"]
    assert [url.split("/")[-2] for url in texts(root, "//s:loc")] == ["R000000001", "R000000002", "merged"]


def test_the_resource_list_has_all_records_with_the_right_hashes(client: Client, catalogue: Shelf) -> None:
    found = [element for name in ("R000000001", "R000000002") for element in entries(client, name, "resourcelist")]
    public_ids = set(SourceRecord.objects.values_list("public_id", flat=True))
    assert {url.rpartition("/")[2] for url in locs(found)} == {f"{element}.xml" for element in public_ids}
    for element in found + entries(client, "merged", "resourcelist"):
        response = client.get(path_of(texts(element, "s:loc")[0]))
        assert texts(element, "rs:md/@hash") == [f"sha-256:{sha256(response.content).hexdigest()}"]
        assert texts(element, "rs:md/@length") == [str(len(response.content))]
        assert texts(element, "rs:md/@type") == [response["Content-Type"]]


def test_a_long_list_is_divided_into_parts(client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("listing", "blocks"):
        monkeypatch.setattr(f"aggregator.provision.resourcesync.{module}.PART", 4)
    ResourceClock.objects.update(blocks=None)
    index = get_xml(client, capability(client, "merged", "resourcelist"))
    assert len(texts(index, "//s:loc")) > 2
    assert len(set(locs(entries(client, "merged", "resourcelist")))) == 6


def test_every_change_is_listed_in_order(client: Client, catalogue: Shelf) -> None:
    assert {kind for _name, kind in changes_in(entries(client, "R000000001", "changelist"))} == {"created"}
    stored = SourceRecord.objects.get(identifier="oai:p:0")
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    aggregate_a_second_later()
    catalogue.delete("oai:p:0")
    aggregate_a_second_later()
    found = entries(client, "R000000001", "changelist")
    assert changes_in(found)[-2:] == [(stored.public_id, "updated"), (stored.public_id, "deleted")]
    moments = [texts(element, "rs:md/@datetime")[0] for element in found]
    assert moments == sorted(moments)
    assert not texts(found[-1], "rs:md/@hash")
    assert client.get(path_of(texts(found[-1], "s:loc")[0])).status_code == 410


def test_joined_books_are_listed_as_a_deletion_and_an_update(client: Client, shelf: Shelf) -> None:
    first = shelf.put("a", "one", record("1"))
    second = shelf.put("b", "two", record("2", title="別の本"))
    aggregate()
    older, younger = book_id(first), book_id(second)
    assert changes_in(entries(client, "merged", "changelist")) == [(older, "created"), (younger, "created")]
    pair = sorted([first.public_id, second.public_id])
    carry_out(MatchRuling(verdict="same", first=pair[0], second=pair[1]), None)
    aggregate_a_second_later()
    assert changes_in(entries(client, "merged", "changelist"))[2:] == [(older, "updated"), (younger, "deleted")]


def test_forbidding_redistribution_deletes_the_resources_of_a_provider(client: Client, catalogue: Shelf) -> None:
    Repository.objects.filter(number="R000000002").update(give_on=False)
    aggregate_a_second_later()
    capabilities = get_xml(client, naming.capability_list_url("R000000002"))
    assert "resourcelist" not in texts(capabilities, "//s:url/rs:md/@capability")
    assert [kind for _name, kind in changes_in(entries(client, "R000000002", "changelist"))][3:] == ["deleted"] * 3


def test_no_change_is_listed_twice(client: Client, catalogue: Shelf) -> None:
    count = ResourceChange.objects.count()
    aggregate()
    ResourceClock.objects.update(seen=0)
    aggregate()
    assert ResourceChange.objects.count() == count == 12


def test_new_code_that_writes_other_bytes_causes_changes(
    client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "code_digest", lambda: "other")
    monkeypatch.setattr(changes, "length_and_digest", lambda record: (3, sha256(record.uri.encode()).digest()))
    aggregate()
    assert {kind for _name, kind in changes_in(entries(client, "merged", "changelist"))[6:]} == {"updated"}


def test_a_full_list_is_closed_and_continued_in_another(
    client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MAX_CHANGES", 4)
    monkeypatch.setattr(documents, "MAX_SINGLE_LIST", 4)
    for number in range(6):
        catalogue.put("ab"[number % 2], f"oai:p:{number}", record(str(number), title=f"{number}冊目、新版"))
    aggregate_a_second_later()
    index = get_xml(client, capability(client, "merged", "changelist"))
    spans = [dict(element.attrib) for element in index.xpath("//s:sitemap/rs:md", namespaces=NS)]
    assert [set(element) for element in spans] == [{"from", "until"}, {"from", "until"}, {"from"}][-len(spans) :]
    assert all(one["until"] == other["from"] for one, other in pairwise(spans))
    assert len(entries(client, "merged", "changelist")) == 12


def test_lists_of_an_earlier_day_are_closed_and_kept_in_the_archive(client: Client, catalogue: Shelf) -> None:
    ChangeList.objects.update(since=int(time.time()) - 2 * changes.DAY)
    aggregate()
    archive = get_xml(client, capability(client, "merged", "changelist-archive"))
    assert texts(archive, "/s:urlset/rs:md/@capability") == ["changelist-archive"]
    closed = get_xml(client, texts(archive, "//s:loc")[0])
    assert len(closed.xpath("//s:url", namespaces=NS)) == 6
    assert texts(closed, "/s:urlset/rs:md/@until")


def test_the_archive_drops_lists_after_more_than_a_year(client: Client, catalogue: Shelf) -> None:
    changes.close_lists(int(time.time()), everything=True)
    list(packages.pack())
    assert entries(client, "merged", "changelist-archive")
    ChangeList.objects.exclude(until=None).update(until=int(time.time()) - packages.ARCHIVE_KEPT - 10)
    list(packages.pack())
    assert not ResourceChange.objects.exists()
    assert not ChangeList.objects.exclude(until=None).exists()


def test_entries_name_the_licence_of_a_resource(client: Client, catalogue: Shelf) -> None:
    licence = "https://creativecommons.org/publicdomain/zero/1.0/"
    repository = catalogue.repository("a")
    Repository.objects.filter(pk=repository.pk).update(licence=licence)
    aggregate_a_second_later()
    for name in ("resourcelist", "changelist"):
        found = entries(client, repository.number, name)
        assert [texts(entry, "rs:ln[@rel='license']/@href") for entry in found][-3:] == [[licence]] * 3
    assert not texts(
        entries(client, catalogue.repository("b").number, "resourcelist")[0], "rs:ln[@rel='license']/@href"
    )


@pytest.mark.parametrize(
    "licence", ["data:text/html,<script>", "javascript:x()", "https:no-host", "CC BY 4.0 https://a/"]
)
def test_a_licence_that_is_no_safe_address_is_not_linked(client: Client, catalogue: Shelf, licence: str) -> None:
    repository = catalogue.repository("a")
    Repository.objects.filter(pk=repository.pk).update(licence=licence)
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    aggregate_a_second_later()
    for name in ("resourcelist", "changelist"):
        found = entries(client, repository.number, name)
        assert found
        assert not [href for entry in found for href in texts(entry, "rs:ln[@rel='license']/@href")]


def test_pages_lead_to_the_capability_list_of_their_set(client: Client, catalogue: Shelf) -> None:
    number = catalogue.repository("a").number
    book = SourceRecord.objects.filter(repository__number=number).first().public_id
    for page, name in ((f"/books/{book}", "merged"), (f"/repositories/{number}", number)):
        text = client.get(page, follow=True).text
        assert f'<link rel="resourcesync" href="/resourcesync/{name}/capabilitylist.xml">' in text
        assert client.get(f"/resourcesync/{name}/capabilitylist.xml").status_code == 200


def test_packages_contain_the_bytes_that_their_manifests_describe(client: Client, catalogue: Shelf) -> None:
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    aggregate_a_second_later()
    catalogue.delete("oai:p:2")
    aggregate_a_second_later()
    changes.close_lists(int(time.time()), everything=True)
    assert list(packages.pack())
    for capability_name, count in (("resourcedump", 2), ("changedump", 5)):
        dump = get_xml(client, capability(client, "R000000001", capability_name))
        (package,) = dump.xpath("//s:url", namespaces=NS)
        body = b"".join(client.get(path_of(texts(package, "s:loc")[0])).streaming_content)
        assert texts(package, "rs:md/@hash") == [f"sha-256:{sha256(body).hexdigest()}"]
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            manifest = etree.fromstring(archive.read("manifest.xml"))
            inside = manifest.xpath("//s:url", namespaces=NS)
            assert len(inside) == count
            for element in inside:
                for path in texts(element, "rs:md/@path"):
                    found = archive.read(path.removeprefix("/"))
                    assert texts(element, "rs:md/@hash") == [f"sha-256:{sha256(found).hexdigest()}"]
        beside = b"".join(client.get(path_of(texts(package, "rs:ln[@rel='contents']/@href")[0])).streaming_content)
        assert beside == etree.tostring(manifest) or etree.fromstring(beside).xpath("count(//s:url)", namespaces=NS)


def test_only_what_changed_is_packed_again(client: Client, catalogue: Shelf) -> None:
    next_second()
    assert len(list(packages.pack())) == 3
    assert not list(packages.pack())
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    aggregate_a_second_later()
    assert {element.origin for element in packages.pack()} == {0, Repository.objects.get(number="R000000001").pk}


def test_every_document_is_valid(client: Client, catalogue: Shelf) -> None:
    if not SCHEMAS.exists():
        pytest.skip("the schemas are not beside the project")
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    aggregate_a_second_later()
    changes.close_lists(int(time.time()), everything=True)
    list(packages.pack())
    kinds = {name: _schema(name) for name in ("urlset", "sitemapindex")}
    seen = 0
    for root in every_document(client):
        kinds[etree.QName(root).localname].assertValid(root)
        seen += 1
    assert seen > 25


def _schema(root: str) -> etree.XMLSchema:
    """Return the Sitemap schema, with the ResourceSync schema for its wildcards."""
    sitemap = SCHEMAS / "sitemap" / ("sitemap.xsd" if root == "urlset" else "siteindex.xsd")
    schema_text = f"""<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema">
        <xsd:import namespace="{NS["s"]}" schemaLocation="{sitemap.as_uri()}"/>
        <xsd:import namespace="{NS["rs"]}" schemaLocation="{(SCHEMAS / "resourcesync/resourcesync.xsd").as_uri()}"/>
    </xsd:schema>"""
    return etree.XMLSchema(etree.fromstring(schema_text))


def test_resources_describe_their_providers_pages(client: Client, shelf: Shelf) -> None:
    repository = shelf.repository("a")
    Repository.objects.filter(pk=repository.pk).update(home_page="https://library.example.jp/")
    own_record = structs.replace(record("1"), items=(), see_also=("https://library.example.jp/books/1?a=1&b=2",))
    stored = shelf.put("a", "one", own_record)
    aggregate()
    (entry,) = entries(client, repository.number, "resourcelist")
    assert texts(entry, "rs:ln[@rel='describes']/@href") == ["https://library.example.jp/books/1?a=1&b=2"]
    links = client.get(path_of(texts(entry, "s:loc")[0]))["Link"]
    assert 'rel="resourcesync"' in links
    assert 'rel="describes"' in links
    (merged,) = entries(client, "merged", "resourcelist")
    assert texts(merged, "rs:ln[@rel='describes']/@href") == [f"http://127.0.0.1:8000/books/{book_id(stored)}"]


@pytest.mark.parametrize(
    "path",
    [
        "/resourcesync/R999999999/capabilitylist.xml",
        "/resourcesync/merged/resourcelist-999999999999.xml",
        "/resourcesync/merged/changelist-999.xml",
        "/resourcesync/merged/M999999999999999999.xml",
        "/resourcesync/merged/R000000001-Inone.xml",
        "/resourcesync/merged/resourcedump-merged-0-1.zip",
        "/resourcesync/merged/resourcedump-..%2Fmerged-.zip",
        "/resourcesync/merged/anything",
    ],
)
def test_unknown_addresses_are_not_found(client: Client, catalogue: Shelf, path: str) -> None:
    assert client.get(path).status_code == (200 if "resourcelist-" in path else 404)


def test_an_unchanged_document_is_not_sent_again(client: Client, catalogue: Shelf) -> None:
    path = path_of(capability(client, "merged", "changelist"))
    etag = client.get(path)["ETag"]
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    aggregate_a_second_later()
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 200
