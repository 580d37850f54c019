"""OAI-PMH with independent harvesters and our own: they get exactly the records of the database."""

from pathlib import Path

import pytest
from msgspec import structs
from oaipmh_scythe import Scythe
from pytest_django.live_server_helper import LiveServer
from sickle import Sickle

from aggregator.catalogue.identity import site
from aggregator.models import MatchRuling, Provided
from aggregator.provision import written_records
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.oai import lists
from aggregator.review.rulings import carry_out
from aggregator.tasks import aggregate
from harvesting.models import SourceRecord
from metadata.record import MaterialType
from tests.aggregator.provision.downstream import Downstream, upstream
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, list_all
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db(transaction=True)
START = "oai:aggregator.localhost:"
MAP = MaterialType(uri="http://ndl.go.jp/ndltype/Map", label="地図")
ISBN = "9784003101018"


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Twenty records, of which two describe the same book, and a deleted one; listed in pages of seven."""
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
    aggregate_a_second_later()
    return shelf


def states_here() -> dict[str, str]:
    """Return identifier -> "live" or "gone" of everything that this site lists."""
    return {f"{START}{name}": state for name, state in list_all(limit=100).items()}


@pytest.mark.parametrize("prefix", ["oai_dc", "dcndl"])
def test_sickle_gets_all_records(live_server: LiveServer, shelf: Shelf, prefix: str) -> None:
    client = Sickle(f"{live_server.url}/oai")
    records = {record.header.identifier: record for record in client.ListRecords(metadataPrefix=prefix)}
    assert {name: "gone" if record.deleted else "live" for name, record in records.items()} == states_here()
    assert {record.identifier for record in client.ListIdentifiers(metadataPrefix=prefix)} == states_here().keys()
    assert "merged" in [record.setSpec for record in client.ListSets()]
    assert client.Identify().deletedRecord == "persistent"
    titles = [record.metadata["title"] for record in records.values() if not record.deleted and prefix == "oai_dc"]
    assert prefix != "oai_dc" or ["見本の本"] in titles


def test_scythe_gets_all_records(live_server: LiveServer, shelf: Shelf) -> None:
    with Scythe(f"{live_server.url}/oai") as client:
        records = {record.header.identifier: record for record in client.list_records(metadata_prefix="oai_dc")}
        assert {name: "gone" if record.deleted else "live" for name, record in records.items()} == states_here()
        merged = {record.identifier for record in client.list_identifiers(metadata_prefix="oai_dc", set_="merged")}
    assert merged == {name for name in states_here() if name.startswith(f"{START}M")}


@pytest.mark.slow
@pytest.mark.sample
def test_our_own_harvester_has_the_same_records(live_server: LiveServer, shelf: Shelf, tmp_path: Path) -> None:
    """A full harvest, then an incremental one: a deleted record, a split group, a record that left the set of books."""
    other = Downstream(tmp_path)
    everything = other.register(f"{live_server.url}/oai", "--prefix", "dcndl")
    books = other.register(f"{live_server.url}/oai?", "--prefix", "dcndl", "--set", "type:Book")
    check_same(other.harvest(everything))
    moved = SourceRecord.objects.get(identifier="n1").public_id
    assert not other.harvest(books)[f"{START}{moved}"][0]
    shelf.delete("n0")
    first, second = sorted(
        SourceRecord.objects.filter(identifier__in=("one", "two")).values_list("public_id", flat=True)
    )
    carry_out(MatchRuling(verdict="not_same", first=first, second=second), None)
    shelf.put("b", "n1", structs.replace(record("n1", title="変わった本"), material_types=(MAP,)))
    aggregate_a_second_later()
    check_same(other.harvest(everything))
    assert other.harvest(books)[f"{START}{moved}"][0]


def check_same(records: dict[str, tuple[bool, str]]) -> None:
    """Check that the other instance has exactly the live records of this one, with the same content."""
    live = {name for name, state in states_here().items() if state == "live"}
    content = {name: content for name, (deleted, content) in records.items() if not deleted}
    assert content == {name: upstream(name.removeprefix(START)) for name in live}


def test_a_second_harvest_comes_from_the_cache_and_is_the_same(live_server: LiveServer, shelf: Shelf) -> None:
    client = Sickle(f"{live_server.url}/oai")
    first = [record.raw for record in client.ListRecords(metadataPrefix="jpcoar", set="merged")]
    items = list(Provided.objects.filter(origin=0, deleted=False).values_list("pk", flat=True))
    records = contents(items, all_terms())
    digests = {item: content.digest(site()) for item, content in records.items()}
    assert written_records.load("jpcoar", digests).keys() == set(items)
    assert [record.raw for record in client.ListRecords(metadataPrefix="jpcoar", set="merged")] == first
