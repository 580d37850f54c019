"""ResourceSync as those who synchronise meet it."""

import io
import time
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.test import Client
from lxml import etree
from msgspec import structs

from aggregator.models import ChangeList, ResourceChange, ResourceClock
from aggregator.provision.resourcesync import changes, documents, naming, packages
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from tests.aggregator.provision.giving import a_second_later
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.paths import SCHEMAS

pytestmark = pytest.mark.django_db
NS = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "rs": "http://www.openarchives.org/rs/terms/"}
START = "/.well-known/resourcesync"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def catalogue(shelf: Shelf) -> Shelf:
    for number in range(6):
        shelf.put("ab"[number % 2], f"oai:p:{number}", record(str(number), title=f"{number}冊目の本"))
    aggregate()
    return shelf


def path_of(url: str) -> str:
    return urlsplit(url).path


def ask(client: Client, url: str) -> etree._Element:
    response = client.get(path_of(url))
    assert response.status_code == 200, url
    assert response["Content-Type"] == "application/xml"
    return etree.fromstring(response.content)


def texts(root: etree._Element, path: str) -> list[str]:
    return [str(getattr(each, "text", each)) for each in root.xpath(path, namespaces=NS)]


def capability(client: Client, set_name: str, name: str) -> str:
    root = ask(client, naming.capability_list_url(set_name))
    return texts(root, f"//s:url[rs:md/@capability='{name}']/s:loc")[0]


def entries(client: Client, set_name: str, name: str) -> list[etree._Element]:
    """All entries of a list, over its parts."""
    index = ask(client, capability(client, set_name, name))
    if index.tag.endswith("urlset"):
        return list(index.xpath("//s:url", namespaces=NS))
    return [each for url in texts(index, "//s:loc") for each in ask(client, url).xpath("//s:url", namespaces=NS)]


def locs(found: list[etree._Element]) -> list[str]:
    return [texts(each, "s:loc")[0] for each in found]


def told(found: list[etree._Element]) -> list[tuple[str, str]]:
    """The name of each resource, and what happened to it."""
    return [
        (texts(each, "s:loc")[0].rpartition("/")[2].removesuffix(".xml"), texts(each, "rs:md/@change")[0])
        for each in found
    ]


def every_document(client: Client) -> Iterator[etree._Element]:
    """All that can be reached from the source description."""
    seen, waiting = set(), [START]
    while waiting:
        path = path_of(waiting.pop())
        if path in seen or "/books/" in path or not path.endswith(("resourcesync", ".xml")):
            continue
        seen.add(path)
        response = client.get(path)
        assert response.status_code == 200, path
        if response["Content-Type"] == "application/xml":
            body = b"".join(response.streaming_content) if response.streaming else response.content
            root = etree.fromstring(body)
            yield root
            waiting += texts(root, "//s:loc") + texts(root, "//rs:ln[@rel='contents' or @rel='index']/@href")


def test_a_set_for_each_provider_and_one_for_what_is_merged(client: Client, catalogue: Shelf) -> None:
    root = ask(client, START)
    assert texts(root, "/s:urlset/rs:md/@capability") == ["description"]
    assert [url.split("/")[-2] for url in texts(root, "//s:loc")] == ["R000000001", "R000000002", "merged"]


def test_the_resource_list_is_the_database_byte_for_byte(client: Client, catalogue: Shelf) -> None:
    found = [each for name in ("R000000001", "R000000002") for each in entries(client, name, "resourcelist")]
    public_ids = set(SourceRecord.objects.values_list("public_id", flat=True))
    assert {url.rpartition("/")[2] for url in locs(found)} == {f"{each}.xml" for each in public_ids}
    for each in found + entries(client, "merged", "resourcelist"):
        response = client.get(path_of(texts(each, "s:loc")[0]))
        assert texts(each, "rs:md/@hash") == [f"sha-256:{sha256(response.content).hexdigest()}"]
        assert texts(each, "rs:md/@length") == [str(len(response.content))]
        assert texts(each, "rs:md/@type") == [response["Content-Type"]]


def test_a_list_comes_in_parts(client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregator.provision.resourcesync.listing.PART", 4)
    index = ask(client, capability(client, "merged", "resourcelist"))
    assert len(texts(index, "//s:loc")) > 2
    assert len(set(locs(entries(client, "merged", "resourcelist")))) == 6


def test_changes_are_told_one_by_one_in_their_order(client: Client, catalogue: Shelf) -> None:
    assert {kind for _name, kind in told(entries(client, "R000000001", "changelist"))} == {"created"}
    stored = SourceRecord.objects.get(identifier="oai:p:0")
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    a_second_later()
    catalogue.delete("oai:p:0")
    a_second_later()
    found = entries(client, "R000000001", "changelist")
    assert told(found)[-2:] == [(stored.public_id, "updated"), (stored.public_id, "deleted")]
    moments = [texts(each, "rs:md/@datetime")[0] for each in found]
    assert moments == sorted(moments)
    assert not texts(found[-1], "rs:md/@hash")
    assert client.get(path_of(texts(found[-1], "s:loc")[0])).status_code == 410


def test_an_unmerge_is_told_as_deletions_and_creations(client: Client, shelf: Shelf) -> None:
    book = record("1", isbn="9784003101018")
    first = shelf.put("a", "one", book)
    second = shelf.put("b", "two", book)
    aggregate()
    assert told(entries(client, "merged", "changelist")) == [(f"M{first.pk}", "created")]
    shelf.delete("one")
    a_second_later()
    assert told(entries(client, "merged", "changelist"))[1:] == [
        (f"M{first.pk}", "deleted"),
        (f"M{second.pk}", "created"),
    ]


def test_what_a_provider_does_not_want_given_on_any_more_is_deleted(client: Client, catalogue: Shelf) -> None:
    Repository.objects.filter(number="R000000002").update(give_on=False)
    a_second_later()
    offered = ask(client, naming.capability_list_url("R000000002"))
    assert "resourcelist" not in texts(offered, "//s:url/rs:md/@capability")
    assert [kind for _name, kind in told(entries(client, "R000000002", "changelist"))][3:] == ["deleted"] * 3


def test_nothing_is_told_twice(client: Client, catalogue: Shelf) -> None:
    count = ResourceChange.objects.count()
    aggregate()
    ResourceClock.objects.update(seen=0)
    aggregate()
    assert ResourceChange.objects.count() == count == 12


def test_other_code_that_writes_other_bytes_makes_changes(
    client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "code", lambda: "other")
    monkeypatch.setattr(changes, "measured", lambda packed: (len(packed), sha256(packed).digest()))
    aggregate()
    assert {kind for _name, kind in told(entries(client, "merged", "changelist"))[6:]} == {"updated"}


def test_a_full_list_is_closed_and_followed_by_another(
    client: Client, catalogue: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST", 4)
    monkeypatch.setattr(documents, "MOST_IN_ONE", 4)
    for number in range(6):
        catalogue.put("ab"[number % 2], f"oai:p:{number}", record(str(number), title=f"{number}冊目、新版"))
    a_second_later()
    index = ask(client, capability(client, "merged", "changelist"))
    spans = [dict(each.attrib) for each in index.xpath("//s:sitemap/rs:md", namespaces=NS)]
    assert [set(each) for each in spans] == [{"from", "until"}, {"from", "until"}, {"from"}][-len(spans) :]
    assert all(one["until"] == other["from"] for one, other in pairwise(spans))
    assert len(entries(client, "merged", "changelist")) == 12


def test_lists_of_an_earlier_day_are_closed_and_kept_in_the_archive(client: Client, catalogue: Shelf) -> None:
    ChangeList.objects.update(since=int(time.time()) - 2 * changes.DAY)
    aggregate()
    archive = ask(client, capability(client, "merged", "changelist-archive"))
    assert texts(archive, "/s:urlset/rs:md/@capability") == ["changelist-archive"]
    closed = ask(client, texts(archive, "//s:loc")[0])
    assert len(closed.xpath("//s:url", namespaces=NS)) == 6
    assert texts(closed, "/s:urlset/rs:md/@until")


def test_the_archive_forgets_lists_after_more_than_a_year(client: Client, catalogue: Shelf) -> None:
    changes.close_lists(int(time.time()), everything=True)
    list(packages.pack())
    assert entries(client, "merged", "changelist-archive")
    ChangeList.objects.exclude(until=None).update(until=int(time.time()) - packages.ARCHIVED - 10)
    list(packages.pack())
    assert not ResourceChange.objects.exists()
    assert not ChangeList.objects.exclude(until=None).exists()


def test_dumps_hold_the_very_bytes_that_their_manifests_tell(client: Client, catalogue: Shelf) -> None:
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    a_second_later()
    catalogue.delete("oai:p:2")
    a_second_later()
    changes.close_lists(int(time.time()), everything=True)
    assert list(packages.pack())
    for capability_name, count in (("resourcedump", 2), ("changedump", 5)):
        dump = ask(client, capability(client, "R000000001", capability_name))
        (package,) = dump.xpath("//s:url", namespaces=NS)
        body = b"".join(client.get(path_of(texts(package, "s:loc")[0])).streaming_content)
        assert texts(package, "rs:md/@hash") == [f"sha-256:{sha256(body).hexdigest()}"]
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            manifest = etree.fromstring(archive.read("manifest.xml"))
            inside = manifest.xpath("//s:url", namespaces=NS)
            assert len(inside) == count
            for each in inside:
                for path in texts(each, "rs:md/@path"):
                    found = archive.read(path.removeprefix("/"))
                    assert texts(each, "rs:md/@hash") == [f"sha-256:{sha256(found).hexdigest()}"]
        beside = b"".join(client.get(path_of(texts(package, "rs:ln[@rel='contents']/@href")[0])).streaming_content)
        assert beside == etree.tostring(manifest) or etree.fromstring(beside).xpath("count(//s:url)", namespaces=NS)


def test_only_what_changed_is_packed_again(client: Client, catalogue: Shelf) -> None:
    time.sleep(1.1)
    assert len(list(packages.pack())) == 3
    assert not list(packages.pack())
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    a_second_later()
    assert {each.origin for each in packages.pack()} == {0, Repository.objects.get(number="R000000001").pk}


def test_every_document_is_valid(client: Client, catalogue: Shelf) -> None:
    if not SCHEMAS.exists():
        pytest.skip("the schemas are not beside the project")
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    a_second_later()
    changes.close_lists(int(time.time()), everything=True)
    list(packages.pack())
    kinds = {name: _schema(name) for name in ("urlset", "sitemapindex")}
    seen = 0
    for root in every_document(client):
        kinds[etree.QName(root).localname].assertValid(root)
        seen += 1
    assert seen > 25


def _schema(root: str) -> etree.XMLSchema:
    """The Sitemap schema, with that of ResourceSync for what its wildcards hold."""
    sitemap = SCHEMAS / "sitemap" / ("sitemap.xsd" if root == "urlset" else "siteindex.xsd")
    together = f"""<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema">
        <xsd:import namespace="{NS["s"]}" schemaLocation="{sitemap.as_uri()}"/>
        <xsd:import namespace="{NS["rs"]}" schemaLocation="{(SCHEMAS / "resourcesync/resourcesync.xsd").as_uri()}"/>
    </xsd:schema>"""
    return etree.XMLSchema(etree.fromstring(together))


def test_resources_describe_their_providers_pages(client: Client, shelf: Shelf) -> None:
    repository = shelf.repository("a")
    Repository.objects.filter(pk=repository.pk).update(home_page="https://library.example.jp/")
    own = structs.replace(record("1"), items=(), see_also=("https://library.example.jp/books/1?a=1&b=2",))
    stored = shelf.put("a", "one", own)
    aggregate()
    (entry,) = entries(client, repository.number, "resourcelist")
    assert texts(entry, "rs:ln[@rel='describes']/@href") == ["https://library.example.jp/books/1?a=1&b=2"]
    links = client.get(path_of(texts(entry, "s:loc")[0]))["Link"]
    assert 'rel="resourcesync"' in links
    assert 'rel="describes"' in links
    (merged,) = entries(client, "merged", "resourcelist")
    assert texts(merged, "rs:ln[@rel='describes']/@href") == [f"http://127.0.0.1:8000/books/{stored.public_id}"]


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
def test_what_is_not_there_is_404(client: Client, catalogue: Shelf, path: str) -> None:
    assert client.get(path).status_code == (200 if "resourcelist-" in path else 404)


def test_a_document_that_did_not_change_is_not_sent_again(client: Client, catalogue: Shelf) -> None:
    path = path_of(capability(client, "merged", "changelist"))
    etag = client.get(path)["ETag"]
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
    catalogue.put("a", "oai:p:0", record("0", title="改訂された本"))
    a_second_later()
    assert client.get(path, headers={"If-None-Match": etag}).status_code == 200
