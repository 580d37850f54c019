"""Batched reads and writes behave the same on every database, whatever the types of the values."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from aggregator.models import Manifestation, MatchAlarm, MatchKey, Provided, ResourceBlock
from core.database.batches import (
    add,
    as_json,
    as_timestamp,
    delete,
    insert,
    note_differences,
    select_in,
    tally,
    update,
    update_in,
    update_one,
    upsert,
)
from harvesting.harvest.run import create_harvest
from harvesting.models import Harvest, Repository, SourceRecord
from harvesting.records.writing import public_id
from tests.harvesting.batches import new_feed

pytestmark = pytest.mark.django_db
NOW = timezone.now()
ALARM = ("kind", "number", "records", "reason", "fullest", "since")


def alarms() -> list[tuple]:
    return list(MatchAlarm.objects.order_by("number").values_list("kind", "number", "records", "reason"))


def test_of_two_rows_with_the_same_key_the_last_one_wins():
    rows = [
        (kind, 7, number, "", b"", as_timestamp(NOW)) for kind, number in ((MatchAlarm.Kind.CROWDED_KEY, 3), (1, 4))
    ]
    upsert(MatchAlarm, ALARM, rows, unique=("kind", "number"), replaced=("records", "reason"))
    assert alarms() == [(1, 7, 4, "")]


@pytest.mark.parametrize("number", [1, 19, 20, 21, 100, 119, 120, 243])
def test_rows_are_stored_in_their_order_whatever_their_number(number):
    rows = [(1, key, key % 7, "", b"", as_timestamp(NOW)) for key in reversed(range(number))]
    insert(MatchAlarm, ALARM, rows)
    assert list(MatchAlarm.objects.order_by("id").values_list("number", "records")) == [row[1:3] for row in rows]


def test_of_many_rows_with_the_same_keys_the_last_ones_win():
    rows = [(1, key % 90, number, "", b"", as_timestamp(NOW)) for number, key in enumerate(range(250))]
    upsert(MatchAlarm, ALARM, rows, unique=("kind", "number"), replaced=("records",))
    assert alarms() == [(1, key, max(range(key, 250, 90)), "") for key in range(90)]


def test_an_existing_row_keeps_the_columns_that_are_not_replaced():
    unique = ("kind", "number")
    upsert(MatchAlarm, ALARM, [(1, 7, 3, "first", b"", as_timestamp(NOW))], unique=unique, replaced=())
    upsert(MatchAlarm, ALARM, [(1, 7, 5, "second", b"", as_timestamp(NOW))], unique=unique, replaced=("records",))
    upsert(MatchAlarm, ALARM, [(1, 7, 9, "third", b"", as_timestamp(NOW))], unique=unique, replaced=())
    assert alarms() == [(1, 7, 5, "first")]


def test_amounts_are_added_to_existing_rows_and_the_highest_value_is_kept():
    columns, unique = ("origin", "block", "live", "stamp"), ("origin", "block")
    tally(ResourceBlock, columns, [(1, 0, 5, 100), (1, 1, 2, 90)], unique, raised=("stamp",))
    tally(ResourceBlock, columns, [(1, 0, -2, 120), (1, 1, 1, 80), (2, 0, 7, 60)], unique, raised=("stamp",))
    tally(ResourceBlock, columns, [], unique)
    assert list(ResourceBlock.objects.order_by("origin", "block").values_list(*columns)) == [
        (1, 0, 3, 120), (1, 1, 3, 90), (2, 0, 7, 60),
    ]  # fmt: skip


def test_a_value_that_is_too_long_is_refused_and_not_cut_off():
    if transaction.get_connection().vendor == "sqlite":
        pytest.skip("SQLite does not enforce lengths")
    row = (1, 7, 1, "a reason of more than twenty letters", b"", as_timestamp(NOW))
    with pytest.raises(DatabaseError), transaction.atomic():
        insert(MatchAlarm, ALARM, [row])


def test_bytes_json_timestamps_and_null_are_read_back_as_written():
    owner = Repository.objects.create(name="館", number="R900000001")
    columns = ("repository_id", "identifier", "public_id", "metadata_prefix", "datestamp", "deleted", "deletion")
    columns += ("set_specs", "payload", "payload_hash", "record", "rejected_payload", "refused", "changed_at")
    columns += ("deleted_at", "last_harvest")
    rows = [
        (
            owner.pk,
            name,
            public_id(owner.number, name),
            "dcndl",
            "",
            is_deleted,
            deletion,
            as_json(["甲"]),
            *payloads,
            as_timestamp(NOW),
        )
        + (as_timestamp(NOW) if is_deleted else None, 0)
        for name, is_deleted, deletion, payloads in (
            ("a", False, "", (b"\0\xff", b"", b"", b"", False)),
            ("b", True, SourceRecord.Deletion.REPORTED, (b"", b"", memoryview(b"x"), b"", False)),
        )
    ]
    upsert(SourceRecord, columns, rows, unique=("repository_id", "identifier"), replaced=())
    stored = SourceRecord.objects.order_by("identifier").values_list("set_specs", "deletion", "deleted_at", "deleted")
    assert list(stored) == [(["甲"], "", None, False), (["甲"], "reported", NOW, True)]
    selected = select_in(SourceRecord, ("identifier", "payload", "record"), "identifier", ["a", "b", "c"])
    assert {name: (bytes(payload), bytes(packed)) for name, payload, packed in selected} == {
        "a": (b"\0\xff", b""),
        "b": (b"", b"x"),
    }
    assert select_in(SourceRecord, ("set_specs",), "identifier", ["a"], repository_id=owner.pk) == [('["甲"]',)]


def test_updates_and_deletions_ignore_rows_that_do_not_exist():
    Manifestation.objects.create(id=5, changed_at=NOW)
    update(Manifestation, ("work", "scores"), [(1, b"1", 5), (None, b"2", 6)])
    update_in(Manifestation, "index_pending", False, [5, 6])
    assert Manifestation.objects.values_list("work", "scores", "index_pending").get() == (1, b"1", False)
    insert(MatchKey, ("key", "core_id"), [(-(2**63), 1), (3, 1), (3, 2)])
    delete(MatchKey, ("key", "core_id"), [(3, 1), (4, 1)])
    assert set(MatchKey.objects.values_list("key", "core")) == {(-(2**63), 1), (3, 2)}


def test_large_and_small_numbers_may_be_in_one_batch():
    columns = ("id", "origin", "public_id", "waiting", "deleted", "types", "digest")
    rows = [(number, 0, "", True, False, "", b"") for number in (1, 2**40, 300, 2**62)]
    upsert(Provided, columns, rows, unique=("id",), replaced=("waiting",))
    assert sorted(Provided.objects.values_list("pk", flat=True)) == [1, 300, 2**40, 2**62]


def test_amounts_are_added_to_the_rows_that_exist():
    insert(MatchAlarm, ALARM, [(1, number, 3, "", b"", as_timestamp(NOW)) for number in (7, 8)])
    first, second = MatchAlarm.objects.order_by("number").values_list("pk", flat=True)
    add(MatchAlarm, "records", [(-2, second), (4, first), (1, second + 1)])
    add(MatchAlarm, "records", [])
    assert list(MatchAlarm.objects.order_by("number").values_list("records", flat=True)) == [7, 1]


def test_a_mark_says_which_rows_differ_from_the_given_values():
    other = NOW - timedelta(microseconds=1)
    for number, moment, mark in ((1, NOW, False), (2, NOW, True), (3, other, False), (4, other, True)):
        Manifestation.objects.create(pk=number, changed_at=moment, index_pending=mark)
    given = [(as_timestamp(NOW), number) for number in (1, 2, 3, 9)]
    note_differences(Manifestation, "index_pending", "changed_at", given)
    marks = dict(Manifestation.objects.values_list("pk", "index_pending"))
    assert marks == {1: False, 2: False, 3: True, 4: True}


def test_one_row_is_set_by_the_names_of_its_fields():
    values = {"stop_request": "pause", "memory": {"etag": "“x”"}, "finished_at": NOW}
    feed = new_feed()
    run = create_harvest(feed)
    assert update_one(Harvest, values, id=run.pk, state=Harvest.State.QUEUED)
    assert not update_one(Harvest, {"memory": {}}, id=run.pk, fence=run.fence + 1)
    run.refresh_from_db()
    assert (run.stop_request, run.memory, run.finished_at) == ("pause", {"etag": "“x”"}, NOW)
