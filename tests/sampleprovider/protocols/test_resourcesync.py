"""ResourceSync without faults: discovery from the well-known address, valid documents, correct hashes."""

import gzip
import hashlib
import io
import zipfile
from datetime import UTC, datetime

import pytest
from lxml import etree

from sampleprovider.protocols.resourcesync import resourcesync, robots
from sampleprovider.replies import Reply
from sampleprovider.source import SampleSource
from tests.paths import SCHEMAS

BASE = "http://127.0.0.1:9999"
NOW = datetime(2026, 1, 2, tzinfo=UTC)
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
RS = "{http://www.openarchives.org/rs/terms/}"
LISTS = "resourcesync/oai_dc"
SCHEMA = SCHEMAS / "resourcesync" / "resourcesync.xsd"


def reply_to(source: SampleSource, path: str) -> Reply:
    reply = resourcesync(source, path.removeprefix(f"{BASE}/{source.name}/"), BASE, NOW)
    assert reply is not None, path
    return reply


def fetched(source: SampleSource, path: str) -> etree._Element:
    return etree.fromstring(reply_to(source, path).body)


def locations(root: etree._Element) -> list[str]:
    return [element.text for element in root.iter(f"{SITEMAP}loc")]


def entries(root: etree._Element) -> dict[str, dict[str, str]]:
    """The attributes of rs:md by the last part of the URL."""
    return {
        url.findtext(f"{SITEMAP}loc").rpartition("/")[2]: dict(url.find(f"{RS}md").attrib)
        for url in root.iter(f"{SITEMAP}url")
    }


def test_the_well_known_address_leads_to_every_record(source: SampleSource) -> None:
    (capabilities,) = locations(fetched(source, ".well-known/resourcesync"))
    capability_entries = entries(fetched(source, capabilities))
    assert [attributes["capability"] for attributes in capability_entries.values()] == list(
        dict.fromkeys(name.partition(".")[0] for name in capability_entries)
    )
    resources = locations(fetched(source, f"{LISTS}/resourcelist.xml"))
    assert [url.rpartition("/")[2] for url in resources] == ["1.xml", "2.xml", "3.xml", "5.xml"]
    assert b"<dc:title>" in reply_to(source, resources[0]).body


def test_hashes_and_lengths_match_the_content(source: SampleSource) -> None:
    for name, facts in entries(fetched(source, f"{LISTS}/resourcelist.xml")).items():
        content = reply_to(source, f"{LISTS}/resources/{name}").body
        assert facts["hash"] == f"sha-256:{hashlib.sha256(content).hexdigest()}"
        assert facts["length"] == str(len(content))


def test_a_change_list_has_deletions_and_is_in_order_of_time(source: SampleSource) -> None:
    change_entries = entries(fetched(source, f"{LISTS}/changelist.xml"))
    assert change_entries["4.xml"] == {"change": "deleted", "datetime": "2024-01-03T11:00:00Z"}
    times = [attributes["datetime"] for attributes in change_entries.values()]
    assert times == sorted(times)


@pytest.mark.parametrize("kind", ["resourcelist", "changelist"])
def test_long_lists_have_an_index(source: SampleSource, kind: str) -> None:
    whole = locations(fetched(source, f"{LISTS}/{kind}.xml"))
    source.list_size = 2
    index = fetched(source, f"{LISTS}/{kind}.xml")
    assert index.tag == f"{SITEMAP}sitemapindex"
    assert [url for part in locations(index) for url in locations(fetched(source, part))] == whole


@pytest.mark.parametrize(("kind", "count"), [("resourcedump", 4), ("changedump", 4)])
def test_a_dump_contains_the_files_of_its_manifest(source: SampleSource, kind: str, count: int) -> None:
    (facts,) = entries(fetched(source, f"{LISTS}/{kind}.xml")).values()
    packed = reply_to(source, f"{LISTS}/{kind}.zip").body
    assert facts["hash"] == f"sha-256:{hashlib.sha256(packed).hexdigest()}"
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        manifest = entries(etree.fromstring(archive.read("manifest.xml")))
        paths = {entry["path"].lstrip("/"): entry["hash"] for entry in manifest.values() if "path" in entry}
        assert len(paths) == count
        assert set(archive.namelist()) == {*paths, "manifest.xml"}
        for path, digest in paths.items():
            assert digest == f"sha-256:{hashlib.sha256(archive.read(path)).hexdigest()}"


def test_lists_are_also_served_compressed(source: SampleSource) -> None:
    plain = reply_to(source, f"{LISTS}/resourcelist.xml").body
    assert gzip.decompress(reply_to(source, f"{LISTS}/resourcelist.xml.gz").body) == plain


def test_the_hub_and_the_topic_are_linked(source: SampleSource) -> None:
    assert not reply_to(source, f"{LISTS}/changelist.xml").headers
    source.hub = "http://hub.example/"
    ((name, link),) = reply_to(source, f"{LISTS}/changelist.xml").headers
    assert (name, link.partition(",")[0]) == ("Link", '<http://hub.example/>; rel="hub"')
    assert f'<{BASE}/x/{LISTS}/changelist.xml>; rel="self"' in link


def test_robots_txt_leads_to_the_resource_list(source: SampleSource) -> None:
    assert robots(source, BASE) == f"Sitemap: {BASE}/x/{LISTS}/resourcelist.xml\n"


@pytest.mark.parametrize(
    "path", [f"{LISTS}/nothing.xml", "resourcesync/x/resourcelist.xml", f"{LISTS}/resources/4.xml"]
)
def test_there_is_nothing_at_other_paths(source: SampleSource, path: str) -> None:
    assert resourcesync(source, path, BASE, NOW) is None


@pytest.mark.skipif(not SCHEMA.is_file(), reason="no copy of the ResourceSync schema")
@pytest.mark.parametrize("name", ["capabilitylist", "resourcelist", "changelist", "resourcedump", "changedump"])
def test_documents_are_valid(source: SampleSource, name: str) -> None:
    terms = etree.XMLSchema(etree.parse(SCHEMA))
    root = fetched(source, f"{LISTS}/{name}.xml")
    for element in [*root.iter(f"{RS}md"), *root.iter(f"{RS}ln")]:
        terms.assertValid(element)
