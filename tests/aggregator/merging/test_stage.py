"""Marked books are merged once, no mark is lost, and only what the merging changes is indexed and stamped again."""

import re
from collections.abc import Callable
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.utils import timezone

from aggregator.grouping.aggregate import aggregate_batch, aggregate_pending
from aggregator.grouping.rulings.rows import mark_for_aggregation
from aggregator.merging import stage
from aggregator.merging.stage import merge_pending
from aggregator.models import Holding, Manifestation, Member, Provided
from aggregator.provision.stamping import stamp_pending
from aggregator.search.base import IndexUnavailable
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record
from harvesting.records.suppression import suppress
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record
from tests.connections import another_connection

ISBN = "9784003101018"

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def put(shelf: Shelf, name: str, **fields: str) -> SourceRecord:
    return shelf.put(f"library {name}", name, record(name, **{"isbn": ISBN, "title": "坊っちゃん"} | fields))


def book() -> Manifestation:
    return Manifestation.objects.distinct().get(members__isnull=False)


def test_a_book_that_several_batches_touch_is_merged_once(shelf: Shelf) -> None:
    for name in range(10):
        put(shelf, f"{name}")
        aggregate_batch(1)
    assert list(merge_pending()) == [1]
    assert list(merge_pending()) == []
    assert Holding.objects.distinct().get(manifestation__members__isnull=False).copies == 1  # all in the same words


def test_a_book_that_is_not_merged_yet_has_a_page(client, shelf: Shelf) -> None:
    one, two = put(shelf, "1"), put(shelf, "2", creator="夏目漱石")
    sum(aggregate_pending())
    for source in (one, two):
        page = client.get(f"/books/{source.public_id}")
        assert (page.status_code, "夏目漱石" in page.text) == (200, True)


def test_until_it_is_merged_again_a_book_shows_the_former_record(client, shelf: Shelf) -> None:
    one = put(shelf, "1")
    match_and_merge()
    put(shelf, "1", title="吾輩は猫である")
    sum(aggregate_pending())
    assert "坊っちゃん" in client.get(f"/books/{one.public_id}").text
    sum(merge_pending())
    assert "坊っちゃん" not in client.get(f"/books/{one.public_id}").text


def test_a_book_waits_for_the_index_only_once_it_is_merged(shelf: Shelf) -> None:
    put(shelf, "1")
    sum(aggregate_pending())
    assert not Manifestation.objects.to_index().exists()
    sum(merge_pending())
    assert Manifestation.objects.to_index().count() == 1


def test_an_unchanged_record_is_neither_indexed_nor_stamped_again(shelf: Shelf) -> None:
    put(shelf, "1")
    aggregate()
    before = book()
    mark_for_aggregation([before.members.get().pk])
    match_and_merge()
    assert (book().changed_at, book().index_pending) == (before.changed_at, False)
    assert not Provided.objects.filter(origin=0, waiting=True).exists()


def test_other_members_are_indexed_and_stamped_even_if_the_record_is_the_same(shelf: Shelf) -> None:
    put(shelf, "1")
    aggregate()
    before = bytes(book().record)
    shelf.put("library 2", "1", unpack_record(before))
    match_and_merge()
    assert (Member.objects.count(), bytes(Manifestation.objects.to_index().get().record)) == (2, before)
    assert Provided.objects.filter(origin=0, waiting=True).count() == 1


def test_a_book_with_a_closed_provider_is_stamped_again_even_if_the_record_is_the_same(shelf: Shelf) -> None:
    put(shelf, "1")
    aggregate()
    Repository.objects.update(give_on=False)
    list(stamp_pending())
    mark_for_aggregation([book().members.get().pk])
    match_and_merge()
    assert Provided.objects.filter(origin=0, waiting=True).count() == 1


def test_without_the_search_engine_pages_and_oai_are_current(client, shelf: Shelf, monkeypatch) -> None:
    def away() -> None:
        raise IndexUnavailable("locked")

    put(shelf, "1")
    aggregate()
    monkeypatch.setattr("aggregator.indexing.build.sync_with_live_index", away)
    put(shelf, "1", title="吾輩は猫である")
    with pytest.raises(IndexUnavailable):
        aggregate()
    number = f"M{book().pk}"
    assert "吾輩は猫である" in client.get(f"/books/{number}").text
    (given,) = re.findall(
        "<record>.*?</record>", client.get("/oai?verb=ListRecords&metadataPrefix=oai_dc&set=merged").text, re.DOTALL
    )
    assert number in given and "吾輩は猫である" in given
    assert Manifestation.objects.to_index().count() == 1


def test_a_record_withheld_before_matching_is_not_merged(shelf: Shelf) -> None:
    put(shelf, "1")
    secret = put(shelf, "2")
    sum(aggregate_pending())
    suppress(secret, "a request", "a person")
    sum(merge_pending())
    assert Holding.objects.values_list("manifestation", "copies").get() == (book().pk, 1)


def after_reading(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Call `act` once, when a batch of books has been merged but not yet written."""
    merge, acts = stage._merge, [act]

    def merge_and_act(numbers):
        results = merge(numbers)
        while acts:
            acts.pop()()
        return results

    monkeypatch.setattr(stage, "_merge", merge_and_act)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere the rows are locked")
def test_a_book_marked_again_while_it_is_merged_stays_marked(shelf: Shelf, monkeypatch) -> None:
    put(shelf, "1")
    sum(aggregate_pending())

    def change() -> None:
        put(shelf, "1", title="草枕")
        sum(aggregate_pending())

    after_reading(monkeypatch, change)
    assert list(merge_pending()) == [1, 1]
    assert unpack_record(bytes(book().record)).title == "草枕"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere the rows are locked")
def test_a_book_that_loses_its_members_while_it_is_merged_stays_empty(shelf: Shelf, monkeypatch) -> None:
    put(shelf, "1")
    sum(aggregate_pending())

    def delete() -> None:
        shelf.delete("1")
        sum(aggregate_pending())

    after_reading(monkeypatch, delete)
    sum(merge_pending())
    assert Manifestation.objects.values_list("record", "merge_since").get() == (b"", None)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no locks of rows")
@pytest.mark.django_db(transaction=True)
def test_a_book_that_another_process_merges_is_left_to_it(shelf: Shelf) -> None:
    put(shelf, "1")
    sum(aggregate_pending())

    @contextmanager
    def merging():
        with transaction.atomic():
            list(Manifestation.objects.to_merge().select_for_update(no_key=True))
            yield

    with another_connection(merging):
        assert list(merge_pending()) == []
    assert list(merge_pending()) == [1]


def test_the_longest_marked_books_are_merged_first(shelf: Shelf, monkeypatch) -> None:
    monkeypatch.setattr(stage, "BATCH", 1)
    first, second = (put(shelf, name, isbn="", title=name) for name in ("one", "two"))
    sum(aggregate_pending())
    Manifestation.objects.filter(members=first.pk).update(merge_since=timezone.now())
    next(merge_pending())
    assert list(Member.objects.filter(manifestation__merge_since=None).values_list("pk", flat=True)) == [second.pk]
