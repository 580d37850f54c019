"""Other people's harvesters, and our own, take what we give and have exactly what the database has."""

from pathlib import Path

import pytest
from msgspec import structs
from oaipmh_scythe import Scythe
from pytest_django.live_server_helper import LiveServer
from sickle import Sickle

from aggregator.models import MatchRuling, Provided
from aggregator.provision import written_records
from aggregator.provision.contents import Content, all_terms, contents
from aggregator.provision.oai import lists
from aggregator.review.decisions import carry_out
from aggregator.tasks import aggregate
from harvesting.models import SourceRecord
from metadata.record import MaterialType
from tests.aggregator.provision.downstream import Downstream, upstream
from tests.aggregator.provision.giving import a_second_later, taken
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db(transaction=True)
START = "oai:aggregator.localhost:"
MAP = MaterialType(uri="http://ndl.go.jp/ndltype/Map", label="地図")
ISBN = "9784003101018"


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
    carry_out(MatchRuling(verdict="not_same", first=first, second=second), None)
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
    assert written_records.recall("jpcoar", {item: digest(item, each) for item, each in found.items()}).keys() == set(
        items
    )
    assert [each.raw for each in client.ListRecords(metadataPrefix="jpcoar", set="merged")] == first


def digest(item: int, content: Content) -> bytes:
    return written_records.digest(content.packed + f"{START}M{item // 2}".encode())
