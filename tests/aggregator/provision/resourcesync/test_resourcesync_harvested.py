"""The usual ResourceSync client, and our own harvester, take what we give and have exactly what the database has."""

import time
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer
from resync.client import Client

from aggregator.provision.resourcesync import changes, documents, listing, naming, packages
from aggregator.provision.resourcesync.listing import parts
from aggregator.tasks import aggregate
from tests.aggregator.provision.downstream import Downstream, upstream
from tests.aggregator.provision.giving import a_second_later, taken
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shelf(live_server: LiveServer, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Twelve records, two of them of one book, in lists of a few; a client keeps its state in the folder."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.PUBLIC_URL = live_server.url
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("aggregator.provision.resourcesync.listing.PART", 8)
    monkeypatch.setattr(changes, "MOST", 5)
    shelf = Shelf()
    for number in range(10):
        shelf.put("ab"[number % 2], f"n{number}", record(f"n{number}", title=f"{number}冊目の本"))
    shelf.put("a", "one", record("1", isbn="9784003101018"))
    shelf.put("b", "two", record("2", isbn="9784003101018"))
    aggregate()
    return shelf


def client(set_name: str, folder: Path, *hashes: str) -> Client:
    """With hashes it can read no list of changes."""
    made = Client(hashes=list(hashes))
    made.set_mappings([naming.base(set_name), str(folder)])
    made.sitemap_name = f"{naming.base(set_name)}resourcelist.xml"
    made.change_list_name = "changelist.xml"
    return made


def here(set_name: str) -> set[str]:
    """The names of what lives in a set."""
    living = {name for name, state in taken(limit=100).items() if state == "live"}
    return {name for name in living if (name[0] == "M") == (set_name == "merged") and set_name in (name[:10], "merged")}


@pytest.mark.parametrize("set_name", ["merged", pytest.param("R000000001", marks=pytest.mark.slow)])
def test_resync_has_the_same_bytes(live_server: LiveServer, shelf: Shelf, tmp_path: Path, set_name: str) -> None:
    """The client leaves out what came and went since the last second it knows: one record is newer than the rest."""
    shelf.put("a", "late", record("late", title="後から来た本"))
    a_second_later()
    folder = tmp_path / set_name
    client(set_name, folder, "sha-256").baseline_or_audit()
    assert {each.stem for each in folder.iterdir()} == here(set_name)
    shelf.put("a", "n0", record("n0", title="改訂された本"))
    shelf.delete("n2")
    shelf.put("a", "new", record("new", title="新しい本"))
    a_second_later()
    client(set_name, folder).incremental(allow_deletion=True)
    assert {each.stem for each in folder.iterdir()} == here(set_name)
    audit = client(set_name, folder, "sha-256")
    told: list[dict[str, object]] = []
    audit.log_status = lambda **said: told.append(said)  # type: ignore[method-assign]
    audit.baseline_or_audit(audit_only=True)
    assert told[-1]["in_sync"], told


def test_our_own_harvester_has_the_same_records(live_server: LiveServer, shelf: Shelf, tmp_path: Path) -> None:
    """First by the lists, then what changed, then all of it from dumps."""
    (tmp_path / "other").mkdir()
    other = Downstream(tmp_path / "other")
    start = f"{live_server.url}/.well-known/resourcesync"
    for set_name in ("merged", "R000000001"):
        number = other.register(start, "--protocol", "resourcesync", "--prefix", "dcndl", "--set", capability(set_name))
        agree(other.harvest(number), set_name)
        shelf.put("a", "n0", record("n0", title=f"改訂された本 {set_name}"))
        shelf.delete({"merged": "two", "R000000001": "n4"}[set_name])
        a_second_later()
        told = "".join(documents.latest_changes(set_name, listing.origin_of(set_name) or 0))
        agree(other.harvest(number), set_name, told)
    changes.close_lists(int(time.time()), everything=True)
    time.sleep(1.1)
    assert len(list(packages.pack())) > len(parts(0))
    number = other.register(start, "--protocol", "resourcesync", "--prefix", "dcndl", "--set", capability("merged"))
    agree(other.harvest(number), "merged")


def capability(set_name: str) -> str:
    return naming.capability_list_url(set_name)


def agree(found: dict[str, tuple[bool, str]], set_name: str, told: str = "") -> None:
    """The other instance has what lives here, each record as it is here. told: the changes, where they are in doubt."""
    said = {name: said for name, (deleted, said) in found.items() if not deleted}
    assert said == {naming.resource_url(set_name, name): upstream(name) for name in here(set_name)}, told
