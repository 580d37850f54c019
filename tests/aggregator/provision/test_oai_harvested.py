"""Other people's harvesters, and our own, take what we give and have exactly what the database has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs
from oaipmh_scythe import Scythe
from pytest_django.live_server_helper import LiveServer
from sickle import Sickle

from aggregator.decisions import carry_out
from aggregator.models import MatchDecision, Provided
from aggregator.provision import written
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.listing import find
from aggregator.provision.oai import lists
from aggregator.tasks import aggregate
from harvesting.compression import unpack_record
from harvesting.models import SourceRecord
from metadata.crosswalks import CROSSWALKS
from metadata.reading import read
from metadata.record import MaterialType, encode_record
from metadata.validation.policy import DEFAULT
from tests.aggregator.provision.giving import a_second_later, taken
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
START = "oai:aggregator.localhost:"
MAP = MaterialType(uri="http://ndl.go.jp/ndltype/Map", label="地図")
ISBN = "9784003101018"
# Another instance: harvests, then says what it has.
READ = """
import django, json, sys
django.setup()
from harvesting.compression import unpack_record
from harvesting.models import SourceRecord
from metadata.record import encode_record
rows = SourceRecord.objects.filter(repository__number=sys.argv[1])
for name, deleted, packed in rows.values_list("identifier", "deleted", "record"):
    print(json.dumps([name, deleted, encode_record(unpack_record(bytes(packed))).hex() if packed else ""]))
"""


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Twenty records, two of them of one book, in pages of seven."""
    monkeypatch.setattr(lists, "PAGE_SIZES", {"ListRecords": 7, "ListIdentifiers": 7})
    shelf = Shelf()
    for number in range(18):
        shelf.put(
            "ab"[number % 2], f"n{number}", record(f"n{number}", title=f"{number}冊目の本", creator=f"著者{number}")
        )
    shelf.put("a", "one", record("1", isbn=ISBN))
    shelf.put("b", "two", record("2", isbn=ISBN))
    shelf.put("b", "gone", record("3", title="消える本", creator="消える人"))
    aggregate()
    shelf.delete("gone")
    a_second_later()
    return shelf


def here() -> dict[str, str]:
    """What there is, by identifier."""
    return {f"{START}{name}": state for name, state in taken(limit=100).items()}


@pytest.mark.parametrize("prefix", ["oai_dc", "dcndl"])
def test_sickle_gets_what_there_is(live_server: LiveServer, shelf: Shelf, prefix: str) -> None:
    client = Sickle(f"{live_server.url}/oai")
    found = {each.header.identifier: each for each in client.ListRecords(metadataPrefix=prefix)}
    assert {name: "gone" if each.deleted else "live" for name, each in found.items()} == here()
    assert {each.identifier for each in client.ListIdentifiers(metadataPrefix=prefix)} == here().keys()
    assert "merged" in [each.setSpec for each in client.ListSets()]
    assert client.Identify().deletedRecord == "persistent"
    titles = [each.metadata["title"] for each in found.values() if not each.deleted and prefix == "oai_dc"]
    assert prefix != "oai_dc" or ["見本の本"] in titles


def test_scythe_gets_what_there_is(live_server: LiveServer, shelf: Shelf) -> None:
    with Scythe(f"{live_server.url}/oai") as client:
        found = {each.header.identifier: each for each in client.list_records(metadata_prefix="oai_dc")}
        assert {name: "gone" if each.deleted else "live" for name, each in found.items()} == here()
        merged = {each.identifier for each in client.list_identifiers(metadata_prefix="oai_dc", set_="merged")}
    assert merged == {name for name in here() if name.startswith(f"{START}M")}


class Downstream:
    """An empty instance of this program that harvests ours, as a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self._environment = kept | {
            "AGGREGATOR_DATA": str(folder),
            "DJANGO_SETTINGS_MODULE": "aggregator.settings",
            "HARVEST_ALLOWED_NETWORKS": "127.0.0.0/8",
            "HARVEST_MIN_PAUSE": "0",
        }
        self._run("manage.py", "migrate", "--verbosity", "0")

    def register(self, base_url: str, *more: str) -> str:
        said = self._run("manage.py", "register", "--name", "上流", "--base-url", base_url, "--json", *more)
        number: str = json.loads(said)["number"]
        return number

    def harvest(self, number: str, *more: str) -> dict[str, tuple[bool, str]]:
        """Identifier -> whether it is deleted, and what the record says."""
        run = json.loads(self._run("manage.py", "harvest", number, "--json", *more))
        assert run["state"] == "succeeded" and run["rejected"] == 0, run
        lines = [json.loads(line) for line in self._run("-c", READ, number).splitlines()]
        return {name: (deleted, said) for name, deleted, said in lines}

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def upstream(name: str) -> str:
    """What another instance reads of a record of ours: through the format and back."""
    entry = find(name)
    assert entry is not None
    given = contents([entry.item], all_terms())[entry.item]
    again = read(CROSSWALKS["dcndl"].write(unpack_record(given.packed)), "dcndl", DEFAULT).record
    assert again is not None
    return encode_record(again).hex()


def test_our_own_harvester_has_the_same_records(live_server: LiveServer, shelf: Shelf, tmp_path: Path) -> None:
    """First all; then what changed: a record that went, a group taken apart, a record that left the set of books."""
    other = Downstream(tmp_path)
    everything = other.register(f"{live_server.url}/oai", "--prefix", "dcndl")
    books = other.register(f"{live_server.url}/oai?", "--prefix", "dcndl", "--set", "type:Book")
    agree(other.harvest(everything))
    moved = SourceRecord.objects.get(identifier="n1").public_id
    assert not other.harvest(books)[f"{START}{moved}"][0]
    shelf.delete("n0")
    first, second = sorted(
        SourceRecord.objects.filter(identifier__in=("one", "two")).values_list("public_id", flat=True)
    )
    carry_out(MatchDecision(verdict="not_same", first=first, second=second), None)
    shelf.put("b", "n1", structs.replace(record("n1", title="変わった本"), material_types=(MAP,)))
    a_second_later()
    agree(other.harvest(everything))
    assert other.harvest(books)[f"{START}{moved}"][0]


def agree(found: dict[str, tuple[bool, str]]) -> None:
    """The other instance has what lives here, each record as it is here."""
    live = {name for name, state in here().items() if state == "live"}
    said = {name: said for name, (deleted, said) in found.items() if not deleted}
    assert said == {name: upstream(name.removeprefix(START)) for name in live}


def test_what_is_kept_written_is_what_would_be_written(live_server: LiveServer, shelf: Shelf) -> None:
    client = Sickle(f"{live_server.url}/oai")
    first = [each.raw for each in client.ListRecords(metadataPrefix="jpcoar", set="merged")]
    items = list(Provided.objects.filter(origin=0, deleted=False).values_list("pk", flat=True))
    found = contents(items, all_terms())
    assert written.recall("jpcoar", {item: written.digest(each.packed) for item, each in found.items()}).keys() == set(
        items
    )
    assert [each.raw for each in client.ListRecords(metadataPrefix="jpcoar", set="merged")] == first
