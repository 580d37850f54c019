"""The set `copies`: one record per copy of a book, each with a name, a link and a datestamp of its own."""

import pytest
from django.test import Client
from lxml import etree
from msgspec import structs

from aggregator.libraries.editing.merging import merge as merge_libraries
from aggregator.libraries.editing.merging import seen_of
from aggregator.models import Library, ProvidedCopy
from aggregator.provision.oai import lists
from aggregator.provision.sets import COPIES, Part
from aggregator.provision.stamping import stamp_everything
from aggregator.tasks import aggregate
from harvesting.models import Repository
from metadata.policy import DEFAULT
from metadata.reading import read
from metadata.record import BibliographicRecord
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, list_all
from tests.aggregator.provision.test_holdings import UNION, copy
from tests.aggregator.shelves import Shelf

pytestmark = pytest.mark.django_db
OAI = "{http://www.openarchives.org/OAI/2.0/}"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def two_libraries(shelf: Shelf) -> Shelf:
    """A book of which one library has two copies, another one."""
    for code, name in (("2101", "1"), ("2101", "2"), ("2127", "3")):
        shelf.put(UNION, name, copy(name, code, call_number=f"C{name}"))
    aggregate()
    return shelf


def changes(since: int) -> dict[str, str]:
    """Library code and number of the copy -> state, of what changed."""
    codes = dict(Library.objects.values_list("pk", "codes__value"))
    found = list_all(Part(origin=COPIES), since=since)
    return {f"{codes[int(name.split('-')[1][1:])]}-{name.split('-')[2]}": state for name, state in found.items()}


def harvested(client: Client, prefix: str = "dcndl") -> dict[str, BibliographicRecord]:
    """Name -> record of all copies that are not deleted, as a harvester reads it."""
    query = f"metadataPrefix={prefix}&set=copies"
    records: dict[str, BibliographicRecord] = {}
    while query:
        root = etree.fromstring(client.get(f"/oai?verb=ListRecords&{query}").content)
        for node in root.iter(f"{OAI}record"):
            payload = node.find(f"{OAI}metadata")
            if payload is not None:
                name = node.findtext(f"{OAI}header/{OAI}identifier").rpartition(":")[2]
                records[name] = read(etree.tostring(payload[0]), prefix, DEFAULT).record
        token = root.findtext(f".//{OAI}resumptionToken")
        query = f"resumptionToken={token}" if token else ""
    return records


def test_every_copy_is_a_record_with_this_copy_alone(two_libraries: Shelf, client: Client) -> None:
    records = harvested(client)
    held = sorted((one.items[0].library_code, one.items[0].call_number) for one in records.values())
    assert held == [("2101", "C1"), ("2101", "C2"), ("2127", "C3")]
    assert all(len(one.items) == 1 and one.title == "坊っちゃん" for one in records.values())


def test_subjects_are_addresses_of_the_copies_and_copies_of_a_library_have_one_link(
    two_libraries: Shelf, client: Client
) -> None:
    records = harvested(client)
    assert {one.uri.rpartition("/")[2] for one in records.values()} == records.keys()
    assert len({one.items[0].uri for one in records.values()}) == len(records)
    assert {one.items[0].see_also for one in records.values()} == {
        ("https://2101.example/1",),
        ("https://2127.example/3",),
    }
    for name, one in records.items():
        assert client.get(f"/books/{name}").url == f"/books/{name.partition('-')[0]}"
        assert one.uri.endswith(f"/books/{name}")


def test_a_copy_that_comes_changes_or_goes_is_the_only_change(two_libraries: Shelf) -> None:
    two_libraries.put(UNION, "4", copy("4", "2127", call_number="C4"))
    assert changes(aggregate_a_second_later()) == {"2127-2": "live"}
    two_libraries.put(UNION, "4", copy("4", "2127", call_number="moved"))
    assert changes(aggregate_a_second_later()) == {"2127-2": "live"}
    two_libraries.delete("4")
    assert changes(aggregate_a_second_later()) == {"2127-2": "gone"}
    two_libraries.delete("3")
    assert changes(aggregate_a_second_later()) == {"2127-1": "gone"}


def test_a_book_that_ends_takes_its_copies_with_it(two_libraries: Shelf, client: Client) -> None:
    name = min(harvested(client))
    for identifier in "123":
        two_libraries.delete(identifier)
    aggregate()
    assert set(list_all(Part(origin=COPIES)).values()) == {"gone"}
    found = client.get(f"/oai?verb=GetRecord&metadataPrefix=dcndl&identifier=oai:aggregator.localhost:{name}")
    assert b'status="deleted"' in found.content and b"<setSpec>copies</setSpec>" in found.content


def test_copies_of_a_provider_that_forbids_it_are_not_given(shelf: Shelf, client: Client) -> None:
    shelf.put("open", "1", copy("1", "2101"))
    shelf.put("closed", "2", copy("2", "2127"))
    shelf.put("closed", "3", copy("3", "2101", call_number="X"))
    aggregate()
    assert len(harvested(client)) == 3
    Repository.objects.filter(name="closed").update(give_on=False)
    assert changes(aggregate_a_second_later())["2127-1"] == "gone"
    assert [one.items[0].library_code for one in harvested(client).values()] == ["2101"]


def test_copies_follow_a_library_that_is_merged_into_another(two_libraries: Shelf, client: Client) -> None:
    kept, other = (Library.objects.get(codes__value=code) for code in ("2101", "2127"))
    merge_libraries(other.pk, kept.pk, seen_of(other, kept), (), None)
    aggregate()
    assert {name.split("-")[1] for name in harvested(client)} == {f"L{kept.pk}"}
    assert len(harvested(client)) == 3


def test_other_sets_and_the_whole_list_have_no_single_copies(two_libraries: Shelf) -> None:
    assert not [name for name in list_all() if "-L" in name]
    assert not [name for name in list_all(Part(type="Book")) if "-L" in name]


def test_a_long_set_is_read_in_parts(two_libraries: Shelf, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = harvested(client)
    monkeypatch.setitem(lists.PAGE_SIZES, "ListRecords", 1)
    assert harvested(client) == whole


def test_stamping_everything_stamps_the_copies_as_well(two_libraries: Shelf) -> None:
    ProvidedCopy.objects.update(stamp=1)
    stamp_everything()
    assert not ProvidedCopy.objects.filter(stamp=1).exists()


def test_a_page_that_is_full_is_not_serialized_to_its_end(
    shelf: Shelf, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        shelf.put(UNION, str(number), structs.replace(copy(str(number), "2101"), abstracts=("x" * 200,)))
    aggregate()
    monkeypatch.setattr(lists, "MOST_BYTES", 8000)
    written: list[int] = []
    original = lists.records._payload
    monkeypatch.setattr(lists.records, "_payload", lambda *args: written.append(1) or original(*args))
    client.get("/oai?verb=ListRecords&metadataPrefix=dcndl&set=repository")
    assert 0 < len(written) <= 2 * lists.PORTION
