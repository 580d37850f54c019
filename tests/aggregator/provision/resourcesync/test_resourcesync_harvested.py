"""ResourceSync with the client resync and our own harvester: they get exactly the records of the database."""

import time
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer
from resync.archives import ChangeDumpArchive, ChangeListArchive, ResourceDumpArchive, ResourceListArchive
from resync.capability_list import CapabilityList
from resync.client import Client
from resync.list_base_with_index import ListBaseWithIndex
from resync.resource_list import ResourceList
from resync.source_description import SourceDescription

from aggregator.provision.resourcesync import blocks, changes, documents, listing, naming, packages
from aggregator.tasks import aggregate
from tests.aggregator.provision.downstream import Downstream, upstream
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, list_all, next_second
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shelf(live_server: LiveServer, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Twelve records, of which two describe the same book, in short lists; a client keeps its state in the folder."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.PUBLIC_URL = live_server.url
    monkeypatch.chdir(tmp_path)
    for module in ("listing", "blocks"):
        monkeypatch.setattr(f"aggregator.provision.resourcesync.{module}.PART", 8)
    monkeypatch.setattr(changes, "MAX_CHANGES", 5)
    shelf = Shelf()
    for number in range(10):
        shelf.put("ab"[number % 2], f"n{number}", record(f"n{number}", title=f"{number}冊目の本"))
    shelf.put("a", "one", record("1", isbn="9784003101018"))
    shelf.put("b", "two", record("2", isbn="9784003101018"))
    aggregate()
    return shelf


def client(set_name: str, folder: Path, *hashes: str) -> Client:
    """Return a resync client.

    hashes: algorithms by which the client compares files; a client that has one cannot read change lists.
    """
    resync_client = Client(hashes=list(hashes))
    resync_client.set_mappings([naming.base(set_name), str(folder)])
    resync_client.sitemap_name = f"{naming.base(set_name)}resourcelist.xml"
    resync_client.change_list_name = "changelist.xml"
    return resync_client


def names_in(set_name: str) -> set[str]:
    """Return the names of the live resources of a set."""
    living = {name for name, state in list_all(limit=100).items() if state == "live"}
    return {name for name in living if (name[0] == "M") == (set_name == "merged") and set_name in (name[:10], "merged")}


@pytest.mark.parametrize("set_name", ["merged", pytest.param("R000000001", marks=pytest.mark.slow)])
def test_resync_has_the_same_bytes(live_server: LiveServer, shelf: Shelf, tmp_path: Path, set_name: str) -> None:
    """The client continues from the newest second of its baseline; so first one record is stamped in a second alone."""
    shelf.put("a", "late", record("late", title="後から来た本"))
    aggregate_a_second_later()
    folder = tmp_path / set_name
    client(set_name, folder, "sha-256").baseline_or_audit()
    assert {path.stem for path in folder.iterdir()} == names_in(set_name)
    shelf.put("a", "n0", record("n0", title="改訂された本"))
    shelf.delete("n2")
    shelf.put("a", "new", record("new", title="新しい本"))
    aggregate_a_second_later()
    client(set_name, folder).incremental(allow_deletion=True)
    assert {path.stem for path in folder.iterdir()} == names_in(set_name)
    audit = client(set_name, folder, "sha-256")
    statuses: list[dict[str, object]] = []
    audit.log_status = lambda **status: statuses.append(status)  # type: ignore[method-assign]
    audit.baseline_or_audit(audit_only=True)
    assert statuses[-1]["in_sync"], statuses


@pytest.mark.slow
@pytest.mark.sample
def test_our_own_harvester_has_the_same_records(live_server: LiveServer, shelf: Shelf, tmp_path: Path) -> None:
    """A harvest by the resource list, then by change lists, then from dumps."""
    (tmp_path / "other").mkdir()
    other = Downstream(tmp_path / "other")
    start = f"{live_server.url}/.well-known/resourcesync"
    for set_name in ("merged", "R000000001"):
        number = other.register(
            start, "--protocol", "resourcesync", "--prefix", "dcndl", "--set", capability_url(set_name)
        )
        check_same(other.harvest(number), set_name)
        shelf.put("a", "n0", record("n0", title=f"改訂された本 {set_name}"))
        shelf.delete({"merged": "two", "R000000001": "n4"}[set_name])
        aggregate_a_second_later()
        change_list = "".join(documents.latest_changes(set_name, listing.origin_of(set_name) or 0))
        check_same(other.harvest(number), set_name, change_list)
    changes.close_lists(int(time.time()), everything=True)
    next_second()
    assert len(list(packages.pack())) > len(blocks.parts(0))
    number = other.register(start, "--protocol", "resourcesync", "--prefix", "dcndl", "--set", capability_url("merged"))
    check_same(other.harvest(number), "merged")


def capability_url(set_name: str) -> str:
    return naming.capability_list_url(set_name)


def check_same(records: dict[str, tuple[bool, str]], set_name: str, change_list: str = "") -> None:
    """Check that the other instance has exactly the live resources of a set. change_list: shown if the check fails."""
    content = {name: content for name, (deleted, content) in records.items() if not deleted}
    assert content == {naming.resource_url(set_name, name): upstream(name) for name in names_in(set_name)}, change_list


def test_resync_reads_all_archives(live_server: LiveServer, shelf: Shelf) -> None:
    """From the source description on, as a client finds them."""
    changes.close_lists(int(time.time()), everything=True)
    list(packages.pack())
    description = SourceDescription()
    description.read(uri=naming.description_url())
    capabilities = CapabilityList()
    capabilities.read(uri=next(resource.uri for resource in description if "/merged/" in resource.uri))
    found = {resource.capability: resource.uri for resource in capabilities}
    kinds = (ResourceListArchive, ResourceDumpArchive, ChangeListArchive, ChangeDumpArchive)
    for archive in (kind() for kind in kinds):
        archive.read(uri=found[archive.capability_name])
        assert len(archive) >= 1
        assert {resource.capability for resource in archive} == {archive.capability_name.removesuffix("-archive")}
    (archived,) = (resource.uri for resource in _read(ResourceListArchive(), found["resourcelist-archive"]))
    names = {resource.basename.removesuffix(".xml") for resource in _read(ResourceList(), archived)}
    assert names == names_in("merged")


def _read[L: ListBaseWithIndex](document: L, uri: str) -> L:
    document.read(uri=uri)
    return document
