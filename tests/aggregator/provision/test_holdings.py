"""Holdings in what is redistributed: one item per library, bounded, and stamped exactly when it changes."""

import random
import re

import pytest
from django.test import Client
from django.urls import reverse
from msgspec import structs

from aggregator.catalogue.identity import site
from aggregator.libraries import items
from aggregator.libraries.remerging import mark_for_merging
from aggregator.libraries.to_index import mark_books
from aggregator.models import Library, Manifestation, Provided
from aggregator.provision import permitted_books
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.oai import lists
from aggregator.provision.pending import MERGED
from aggregator.provision.sets import Part
from aggregator.provision.stamping import _digest
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from harvesting.records.suppression import suppress
from metadata.record import BibliographicRecord, Item
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, list_all
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
UNION = "ゆにかねっと"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def copy(name: str, code: str, **fields: object) -> BibliographicRecord:
    """A record of one copy in the library with this code."""
    described = record(name, title="坊っちゃん", isbn=ISBN, base=f"https://{code}.example")
    item = Item(uri=f"https://{code}.example/{name}", library_code=code, holding_agent=f"図書館{code}", **fields)
    return structs.replace(described, items=(item,), see_also=(f"https://{code}.example/{name}",))


def served() -> dict[int, BibliographicRecord]:
    """The merged records as they are redistributed now."""
    known = list(Provided.objects.filter(origin=MERGED, deleted=False).values_list("pk", flat=True))
    return {item: content.record() for item, content in contents(known, all_terms()).items()}


def the_items() -> list[tuple[str, str, tuple[str, ...]]]:
    [merged] = served().values()
    return [(item.library_code, item.call_number, item.see_also) for item in merged.items]


def test_a_merged_record_has_one_item_per_library(shelf: Shelf) -> None:
    for code, name in (("2101", "1"), ("2101", "2"), ("2127", "3")):
        shelf.put(UNION, name, copy(name, code, call_number=name))
    aggregate()
    assert the_items() == [("2101", "1", ("https://2101.example/1",)), ("2127", "3", ("https://2127.example/3",))]


def test_libraries_and_links_move_the_datestamp_of_a_book_and_a_further_copy_does_not(shelf: Shelf) -> None:
    def merged_since(second: int) -> int:
        return len(list_all(Part(origin=MERGED), since=second))

    shelf.put(UNION, "1", copy("1", "2101", call_number="1"))
    aggregate()
    shelf.put(UNION, "2", copy("2", "2101", call_number="2"))
    assert merged_since(aggregate_a_second_later()) == 0
    shelf.put(UNION, "3", copy("3", "2127"))
    assert merged_since(aggregate_a_second_later()) == 1
    shelf.put(UNION, "1", structs.replace(copy("1", "2101", call_number="1"), see_also=("https://2101.example/new",)))
    assert merged_since(aggregate_a_second_later()) == 1
    shelf.put(UNION, "1", copy("1", "2101", call_number="moved"))  # the copy whose words are redistributed
    assert merged_since(aggregate_a_second_later()) == 1


def an_event(shelf: Shelf, rng: random.Random) -> None:
    name, code, chance = str(rng.randrange(12)), rng.choice(["2101", "2102", "2127", ""]), rng.random()
    if chance < 0.6:
        shelf.put(f"provider {int(name) % 3}", name, copy(name, code, call_number=rng.choice("12")))
    elif chance < 0.7:
        shelf.delete(name)
    elif chance < 0.75:
        for source in SourceRecord.objects.filter(identifier=name, suppressed_at=None, deleted=False):
            suppress(source, "a request", "a person")
    elif chance < 0.8:
        Repository.objects.filter(name="provider 1").update(give_on=rng.random() < 0.5)
    else:
        for library in Library.objects.order_by("?")[:1]:
            Library.objects.filter(pk=library.pk).update(name=f"館{rng.random()}", page="https://new.example/")
            mark_books([library.pk])
            mark_for_merging([library.pk])


@seeds(4)
def test_after_any_events_what_is_served_is_what_is_stamped(shelf: Shelf, seed: int) -> None:
    rng = random.Random(seed)
    for _event in range(60):
        an_event(shelf, rng)
        if rng.random() < 0.3:
            aggregate()
            assert_served_is_stamped()
    aggregate()
    assert_served_is_stamped()
    assert served()


def assert_served_is_stamped() -> None:
    live = dict(Provided.objects.filter(deleted=False, stamp__isnull=False).values_list("pk", "digest"))
    given = contents(list(live), all_terms())
    assert {item: _digest(content, site()) for item, content in given.items()} == live


def test_holdings_and_links_of_a_closed_provider_are_not_given_on(shelf: Shelf) -> None:
    shelf.put("open", "1", copy("1", "2101"))
    shelf.put("closed", "2", copy("2", "2127"))
    shelf.put("closed", "3", copy("3", "2101"))
    aggregate()
    Repository.objects.filter(name="closed").update(give_on=False, home_page="https://closed.example/")
    aggregate()
    assert the_items() == [("2101", "", ("https://2101.example/1",))]
    [book] = permitted_books.books([SourceRecord.objects.get(identifier="1").member.manifestation_id]).values()
    assert [shelf.library.name for shelf in book.shelves] == ["図書館2101"]


def test_what_only_one_of_two_providers_gives_on_keeps_the_words_that_both_use(shelf: Shelf) -> None:
    shelf.put("closed", "1", copy("1", "2101", call_number="913"))
    shelf.put("open", "2", copy("2", "2101", call_number="913"))
    aggregate()
    Repository.objects.filter(name="closed").update(give_on=False)
    aggregate()
    assert the_items() == [("2101", "913", ("https://2101.example/2",))]


def test_a_record_lists_so_many_libraries_and_says_how_many_there_are(
    shelf: Shelf, client, settings, monkeypatch
) -> None:
    monkeypatch.setattr(items, "MOST_LIBRARIES", 3)
    sources = [shelf.put(UNION, str(code), copy(str(code), str(code))) for code in range(2101, 2106)]
    aggregate()
    [(item, merged)] = served().items()
    page = f"{settings.PUBLIC_URL}/books/M{item // 2}"
    assert [one.library_code for one in merged.items] == ["2101", "2102", "2103"]
    assert merged.notes == (f"所蔵館5館のうち3館を記載 / 3 of the 5 libraries that hold this: {page}",)
    for path in (f"/books/{sources[0].public_id}.rdf", "/sru?query=坊っちゃん"):
        text = client.get(path).text
        assert ("所蔵館5館のうち3館を記載" in text, "2103" in text, "2104" in text) == (True, True, False), path


def test_the_items_of_a_record_are_bounded_in_bytes(shelf: Shelf, monkeypatch) -> None:
    monkeypatch.setattr(items, "MOST_BYTES", 1000)
    for code in range(2101, 2104):
        shelf.put(UNION, str(code), copy(str(code), str(code), notes=("注" * 200,)))
    aggregate()
    assert len(the_items()) == 1


def test_a_page_of_oai_is_bounded_in_bytes_and_the_list_stays_complete(shelf: Shelf, client, monkeypatch) -> None:
    monkeypatch.setattr(lists, "MOST_BYTES", 5000)
    for name in "123456":
        shelf.put(UNION, name, record(name, title=f"本{name}"))
    aggregate()
    arguments = {"verb": "ListRecords", "metadataPrefix": "dcndl", "set": "merged"}
    found: list[str] = []
    pages = 0
    while arguments:
        text = client.get(reverse("oai"), arguments).text
        pages += 1
        found += re.findall(r"<identifier>oai:[^<]*(M[0-9]+)</identifier>", text)
        token = re.search(r'<resumptionToken completeListSize="6" cursor="[0-9]+">([^<]+)<', text)
        arguments = {"verb": "ListRecords", "resumptionToken": token[1]} if token else {}
    assert pages > 1 and len(found) == len(set(found)) == 6


def test_copies_that_may_not_be_redistributed_are_in_no_answer(shelf: Shelf, client: Client) -> None:
    """A record that names no copies counts as one of its provider, so the stored holdings are never added to it."""
    shelf.put(UNION, "1", copy("1", "2101", call_number="secret"))
    shelf.put("a library", "2", structs.replace(record("2", title="坊っちゃん", isbn=ISBN), items=()))
    Repository.objects.filter(name=UNION).update(give_on=False)
    aggregate()
    [book] = permitted_books.books(list(Manifestation.objects.values_list("pk", flat=True))).values()
    [complete] = permitted_books.with_holdings({book.number: book}).values()
    assert [item.holding_agent for item in complete.record.items] == ["a library"]
    for path in ("/opensearch?q=坊っちゃん", "/sru?query=坊っちゃん", "/api/search?q=坊っちゃん"):
        text = client.get(path).text
        assert ("坊っちゃん" in text, "secret" in text) == (True, False), path
