"""Stamping: harvesters get every change and nothing else, including items that leave a set or a group."""

import threading
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from msgspec import structs

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.merging.stage import merge_pending
from aggregator.models import MatchRuling, Provided
from aggregator.provision import listing, stamping
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.sets import Part
from aggregator.provision.stamps import barrier
from aggregator.provision.stamps.barrier import StampingTimeout
from aggregator.review.rulings import carry_out
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from harvesting.records.suppression import release, suppress
from metadata.record import MaterialType
from tests.aggregator.provision.list_helpers import aggregate_a_second_later, list_all
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db
MAP = MaterialType(uri="http://ndl.go.jp/ndltype/Map", label="地図")
BOOKS, MAPS = Part(type="Book"), Part(type="Map")
ISBN = "9784003101018"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def name_of(identifier: str) -> str:
    return SourceRecord.objects.get(identifier=identifier).public_id


def merged_name(identifier: str) -> str:
    return f"M{SourceRecord.objects.get(identifier=identifier).member.manifestation_id}"


def test_a_merged_record_is_found_by_its_name_alone(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    name = merged_name("one")
    found = listing.find(name)
    assert found is not None and found.name == name
    number = name[1:]
    others = (number, f"m{number}", f"M0{number}", f"M{number}x", "M", "M0", "M１", "M" + "9" * 18, "M" + "9" * 5000)
    assert [other for other in others if listing.find(other)] == []


def test_the_records_of_books_are_looked_up_once(shelf: Shelf) -> None:
    """For the books and for their single copies."""
    shelf.put("a", "one", record("1"))
    for stage in (aggregate_pending, merge_pending):
        sum(stage())
    with CaptureQueriesContext(connection) as queries:
        assert next(stamping.stamp_pending()) == 2
    assert len([query for query in queries if "FROM aggregator_member JOIN" in query["sql"]]) == 1


def test_records_and_merged_records_are_listed(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", title="山の本"))
    shelf.put("b", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    names = {name_of("one"), name_of("two"), merged_name("one"), merged_name("two")}
    assert list_all() == dict.fromkeys(names, "live")
    assert list_all(Part(origin=0)).keys() == {merged_name("one"), merged_name("two")}
    assert list_all(Part(origin=shelf.repository("a").pk)).keys() == {name_of("one")}
    assert list_all(Part(origin=-1)).keys() == {name_of("one"), name_of("two")}
    assert list_all(BOOKS) == list_all()


def test_an_unchanged_record_keeps_its_stamp(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    before = list(Provided.objects.order_by("pk").values_list("pk", "stamp"))
    shelf.put("a", "one", record("1"))
    aggregate_a_second_later()
    assert list(Provided.objects.order_by("pk").values_list("pk", "stamp")) == before
    assert not stamping.has_pending()


def test_the_next_list_contains_only_what_changed(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", title="山の本"))
    shelf.put("b", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    shelf.put("a", "one", record("1", title="山の本 改訂"))
    assert list_all(since=aggregate_a_second_later()) == {name_of("one"): "live", merged_name("one"): "live"}


def test_a_deletion_remains_listed_and_a_return_is_a_change(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    merged = merged_name("one")
    shelf.delete("one")
    second = aggregate_a_second_later()
    assert list_all(since=second) == {name_of("one"): "gone", merged: "gone"}
    shelf.put("a", "one", record("1"))
    assert list_all(since=aggregate_a_second_later()) == {name_of("one"): "live", merged: "live"}


def test_a_withheld_record_is_listed_as_deleted_until_it_is_released(shelf: Shelf) -> None:
    row = shelf.put("a", "one", record("1"))
    aggregate()
    merged = merged_name("one")
    suppress(row, "x", "hanako")
    second = aggregate_a_second_later()
    assert list_all(since=second) == {row.public_id: "gone", merged: "gone"}
    release(row)
    assert list_all(since=aggregate_a_second_later()) == {row.public_id: "live", merged: "live"}


def test_a_record_that_changes_its_type_is_deleted_from_one_set_and_new_in_the_other(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    shelf.put("a", "one", structs.replace(record("1"), material_types=(MAP,)))
    second = aggregate_a_second_later()
    names = {name_of("one"), merged_name("one")}
    assert list_all(BOOKS, since=second) == dict.fromkeys(names, "gone")
    assert list_all(MAPS, since=second) == dict.fromkeys(names, "live")
    shelf.put("a", "one", record("1"))
    second = aggregate_a_second_later()
    assert list_all(BOOKS, since=second) == dict.fromkeys(names, "live")
    assert list_all(MAPS, since=second) == dict.fromkeys(names, "gone")


def test_stamp_everything_lists_all_items_again_deleted_ones_as_deleted(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", title="山の本"))
    shelf.put("b", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    shelf.delete("two")
    aggregate()
    everything, maps = list_all(), list_all(MAPS)
    second = aggregate_a_second_later()
    assert list_all(since=second) == {}
    assert stamping.stamp_everything() == len(everything) == 4
    assert list_all(since=second) == list_all(BOOKS, since=second) == everything
    assert list_all(MAPS, since=second) == maps
    assert not stamping.has_pending()


def test_a_split_group_changes_and_its_other_part_is_new(shelf: Shelf) -> None:
    first = shelf.put("a", "one", record("1", isbn=ISBN))
    other = shelf.put("b", "two", structs.replace(record("2", isbn=ISBN), notes=("寄贈",)))
    aggregate()
    merged = merged_name("one")
    assert merged_name("two") == merged
    pair = sorted([first.public_id, other.public_id])
    carry_out(MatchRuling(verdict="not_same", first=pair[0], second=pair[1]), None)
    changed = list_all(Part(origin=0), since=aggregate_a_second_later())
    assert changed == {merged: "live", merged_name("two"): "live"} and len(changed) == 2
    fresh = merged_name("two")
    shelf.delete("two")
    assert list_all(Part(origin=0), since=aggregate_a_second_later()) == {fresh: "gone"}


def test_forbidding_redistribution_removes_all_data_of_the_provider(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", isbn=ISBN))
    shelf.put("b", "two", structs.replace(record("2", isbn=ISBN), abstracts=("ここだけの要約",)))
    shelf.put("b", "three", record("3", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    merged, alone_merged = merged_name("one"), merged_name("three")
    Repository.objects.filter(name="b").update(give_on=False)
    assert stamping.has_pending()
    second = aggregate_a_second_later()
    gone = dict.fromkeys([name_of("two"), name_of("three"), alone_merged], "gone")
    assert list_all(since=second) == {merged: "live", **gone}
    item = int(merged[1:]) * 2 + 1
    content = contents([item], all_terms())[item].record()
    assert content.abstracts == () and content.title == "見本の本"
    Repository.objects.filter(name="b").update(give_on=True)
    assert list_all(since=aggregate_a_second_later()) == dict.fromkeys([merged, *gone], "live")


def test_a_new_licence_is_a_change_of_every_record(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    Repository.objects.update(licence="https://creativecommons.org/licenses/by/4.0/")
    assert list_all(since=aggregate_a_second_later()) == {name_of("one"): "live", merged_name("one"): "live"}


def test_stamps_never_go_back_with_the_clock(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    stamp = Provided.objects.first().stamp
    monkeypatch.setattr(stamping, "current_second", lambda: stamp - 600)
    shelf.put("a", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    assert set(Provided.objects.values_list("stamp", flat=True)) == {stamp}


def test_stamps_of_a_wrong_clock_are_replaced(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamping, "current_second", lambda: barrier.current_second() + 10 * 365 * 86400)
    shelf.put("a", "one", record("1"))
    aggregate()
    monkeypatch.undo()
    assert list_all() == {}
    aggregate()
    assert set(list_all().values()) == {"live"}


def test_listing_waits_for_stamping_in_progress(transactional_db: None) -> None:
    """A list must not begin in a second with stamps that are not committed yet."""
    started: list[float] = []

    def read() -> None:
        listing.begin_list()
        started.append(time.monotonic())
        connection.close()

    with stamping.stamping() as lock:
        lock()
        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(0.2)
        assert not started
    reader.join()
    assert started


def test_listing_gives_up_if_stamping_takes_too_long(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregator.provision.stamps.barrier.MAX_WAIT", 0.1)
    errors: list[Exception] = []

    def read() -> None:
        try:
            listing.begin_list()
        except StampingTimeout as error:
            errors.append(error)
        connection.close()

    with stamping.stamping() as lock:
        lock()
        reader = threading.Thread(target=read)
        reader.start()
        reader.join()
    assert len(errors) == 1
