"""Who takes what we give learns every change, and nothing else: also of what leaves a set, a group, or us."""

import threading
import time

import pytest
from django.db import connection
from msgspec import structs

from aggregator.models import MatchRuling, Provided
from aggregator.provision import listing, stamping
from aggregator.provision import stamp_barrier as barrier
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.sets import Part
from aggregator.provision.stamp_barrier import StampingHangs
from aggregator.review.decisions import carry_out
from aggregator.tasks import aggregate
from harvesting.models import Repository, SourceRecord
from harvesting.records.compression import unpack_record
from harvesting.records.suppression import release, suppress
from metadata.record import MaterialType
from tests.aggregator.provision.giving import a_second_later, taken
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


def test_records_and_merged_ones_are_given_on(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", title="山の本"))
    shelf.put("b", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    names = {name_of("one"), name_of("two"), merged_name("one"), merged_name("two")}
    assert taken() == dict.fromkeys(names, "live")
    assert taken(Part(origin=0)).keys() == {merged_name("one"), merged_name("two")}
    assert taken(Part(origin=shelf.repository("a").pk)).keys() == {name_of("one")}
    assert taken(Part(origin=-1)).keys() == {name_of("one"), name_of("two")}
    assert taken(BOOKS) == taken()


def test_what_did_not_change_keeps_its_stamp(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    before = list(Provided.objects.order_by("pk").values_list("pk", "stamp"))
    shelf.put("a", "one", record("1"))
    a_second_later()
    assert list(Provided.objects.order_by("pk").values_list("pk", "stamp")) == before
    assert not stamping.something_waits()


def test_a_change_is_all_that_the_next_list_brings(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", title="山の本"))
    shelf.put("b", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    shelf.put("a", "one", record("1", title="山の本 改訂"))
    assert taken(since=a_second_later()) == {name_of("one"): "live", merged_name("one"): "live"}


def test_a_deletion_stays_for_ever_and_a_return_is_a_change(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    merged = merged_name("one")
    shelf.delete("one")
    second = a_second_later()
    assert taken(since=second) == {name_of("one"): "gone", merged: "gone"}
    shelf.put("a", "one", record("1"))
    assert taken(since=a_second_later()) == {name_of("one"): "live", merged: "live"}


def test_what_staff_withhold_is_gone_until_they_take_it_back(shelf: Shelf) -> None:
    row = shelf.put("a", "one", record("1"))
    aggregate()
    merged = merged_name("one")
    suppress(row, "x", "hanako")
    second = a_second_later()
    assert taken(since=second) == {row.public_id: "gone", merged: "gone"}
    release(row)
    assert taken(since=a_second_later()) == {row.public_id: "live", merged: "live"}


def test_what_leaves_a_set_is_gone_there_and_new_in_the_other(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    shelf.put("a", "one", structs.replace(record("1"), material_types=(MAP,)))
    second = a_second_later()
    names = {name_of("one"), merged_name("one")}
    assert taken(BOOKS, since=second) == dict.fromkeys(names, "gone")
    assert taken(MAPS, since=second) == dict.fromkeys(names, "live")
    shelf.put("a", "one", record("1"))
    second = a_second_later()
    assert taken(BOOKS, since=second) == dict.fromkeys(names, "live")
    assert taken(MAPS, since=second) == dict.fromkeys(names, "gone")


def test_all_is_told_once_more_what_is_gone_as_deleted(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", title="山の本"))
    shelf.put("b", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    shelf.delete("two")
    aggregate()
    everything, maps = taken(), taken(MAPS)
    second = a_second_later()
    assert taken(since=second) == {}
    assert stamping.tell_everything() == len(everything) == 4
    assert taken(since=second) == taken(BOOKS, since=second) == everything
    assert taken(MAPS, since=second) == maps
    assert not stamping.something_waits()


def test_a_group_that_ends_is_gone_and_its_parts_are_new(shelf: Shelf) -> None:
    first = shelf.put("a", "one", record("1", isbn=ISBN))
    other = shelf.put("b", "two", record("2", isbn=ISBN))
    aggregate()
    merged = merged_name("one")
    assert merged_name("two") == merged
    pair = sorted([first.public_id, other.public_id])
    carry_out(MatchRuling(verdict="not_same", first=pair[0], second=pair[1]), None)
    assert taken(Part(origin=0), since=a_second_later()) == {merged: "live", f"M{other.pk}": "live"}
    shelf.delete("two")
    assert taken(Part(origin=0), since=a_second_later()) == {f"M{other.pk}": "gone"}


def test_a_provider_that_is_not_given_on_leaves_nothing_behind(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1", isbn=ISBN))
    shelf.put("b", "two", structs.replace(record("2", isbn=ISBN), abstracts=("ここだけの要約",)))
    shelf.put("b", "three", record("3", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    merged, alone = merged_name("one"), merged_name("three")
    Repository.objects.filter(name="b").update(give_on=False)
    assert stamping.something_waits()
    second = a_second_later()
    gone = dict.fromkeys([name_of("two"), name_of("three"), alone], "gone")
    assert taken(since=second) == {merged: "live", **gone}
    item = int(merged[1:]) * 2 + 1
    given = unpack_record(contents([item], all_terms())[item].packed)
    assert given.abstracts == () and given.title == "見本の本"
    Repository.objects.filter(name="b").update(give_on=True)
    assert taken(since=a_second_later()) == dict.fromkeys([merged, *gone], "live")


def test_a_new_licence_is_a_change_of_every_record(shelf: Shelf) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    Repository.objects.update(licence="https://creativecommons.org/licenses/by/4.0/")
    assert taken(since=a_second_later()) == {name_of("one"): "live", merged_name("one"): "live"}


def test_stamps_never_go_back_with_the_clock(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.put("a", "one", record("1"))
    aggregate()
    stamp = Provided.objects.first().stamp
    monkeypatch.setattr(stamping, "second", lambda: stamp - 600)
    shelf.put("a", "two", record("2", title="海と空の写真集", creator="海野, 花子"))
    aggregate()
    assert set(Provided.objects.values_list("stamp", flat=True)) == {stamp}


def test_stamps_of_a_clock_that_was_wrong_are_given_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamping, "second", lambda: barrier.second() + 10 * 365 * 86400)
    shelf.put("a", "one", record("1"))
    aggregate()
    monkeypatch.undo()
    assert taken() == {}
    aggregate()
    assert set(taken().values()) == {"live"}


def test_a_list_waits_while_stamps_are_given(transactional_db: None) -> None:
    """It cannot begin in a second that bears stamps which nobody can see yet."""
    began: list[float] = []

    def read() -> None:
        listing.began()
        began.append(time.monotonic())
        connection.close()

    with stamping.stamping() as begin:
        begin()
        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(0.2)
        assert not began
    reader.join()
    assert began


def test_a_stamping_that_hangs_is_told(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregator.provision.stamp_barrier.PATIENCE", 0.1)
    errors: list[Exception] = []

    def read() -> None:
        try:
            listing.began()
        except StampingHangs as error:
            errors.append(error)
        connection.close()

    with stamping.stamping() as begin:
        begin()
        reader = threading.Thread(target=read)
        reader.start()
        reader.join()
    assert len(errors) == 1
