"""Deleted records: what is dropped of them after their time, found without looking at the records that live."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from harvesting.models import Feed, Repository, SourceRecord
from harvesting.records import tombstones
from harvesting.records.tombstones import KEPT_FOR, forget
from harvesting.registry.registration import register
from tests.plans import plan_of


@pytest.fixture
def feed(db):
    repository = register(Repository(name="見本図書館"), [Feed(base_url="https://a.example.jp/oai")])
    return repository.feeds.get()


def stored(feed, identifier, **values):
    public_id = f"{feed.repository.number}-I{identifier}"
    return SourceRecord.objects.create(
        repository=feed.repository, feed=feed, identifier=identifier, public_id=public_id, metadata_prefix="dcndl",
        changed_at=timezone.now(), payload=b"x", record=b"y", **values,
    )  # fmt: skip


def test_the_contents_of_records_are_dropped_when_they_have_been_deleted_long_enough(feed):
    now = timezone.now()
    old = stored(feed, "1", deleted=True, deleted_at=now - KEPT_FOR - timedelta(hours=1))
    young = stored(feed, "2", deleted=True, deleted_at=now - KEPT_FOR + timedelta(hours=1))
    live = stored(feed, "3")
    assert forget(now) == 1
    assert forget(now) == 0
    contents = {row.pk: bytes(row.payload) for row in SourceRecord.objects.all()}
    assert contents == {old.pk: b"", young.pk: b"x", live.pk: b"x"}


def test_only_deleted_records_are_looked_through(feed):
    stored(feed, "1", deleted=True, deleted_at=timezone.now() - 2 * KEPT_FOR)
    for number in range(300):
        stored(feed, f"live {number}")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE harvesting_sourcerecord")  # few of the records are deleted
    assert "record_deleted" in plan_of(lambda: forget(timezone.now()), "harvesting_sourcerecord")


@pytest.fixture
def six(monkeypatch):
    monkeypatch.setattr(tombstones, "CHUNK", 2)
    monkeypatch.setattr(tombstones, "LOOKED_AT", 6)


@pytest.mark.usefixtures("six")
def test_one_call_looks_at_a_limited_number_and_the_next_goes_on(feed):
    now = timezone.now()
    rows = [stored(feed, f"{number}", deleted=True, deleted_at=now) for number in range(15)]
    due = [rows[number] for number in (0, 3, 5, 6, 14)]
    SourceRecord.objects.filter(pk__in=[row.pk for row in due]).update(deleted_at=now - 2 * KEPT_FOR)
    assert [forget(now) for _call in range(3)] == [3, 1, 1]
    SourceRecord.objects.filter(pk=rows[1].pk).update(deleted_at=now - 2 * KEPT_FOR)
    assert forget(now) == 1  # begins again


@pytest.mark.usefixtures("six")
def test_nothing_is_left_out_where_the_deleted_records_are_just_as_many(feed):
    now = timezone.now()
    for number in range(6):
        stored(feed, f"{number}", deleted=True, deleted_at=now - 2 * KEPT_FOR)
    assert [forget(now) for _call in range(3)] == [6, 0, 0]


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize("number", [12, 60])
def test_each_statement_reads_a_limited_part_of_the_deleted_records(feed, number):
    rows = [stored(feed, f"{identifier}", deleted=True, deleted_at=timezone.now()) for identifier in range(number)]
    with CaptureQueriesContext(connection) as queries:
        forget(timezone.now())
    bound, contents = [query["sql"] for query in queries if "harvesting_sourcerecord" in query["sql"]]
    assert "LIMIT 1 OFFSET 5" in bound
    assert f"<= {rows[5].pk}" in contents
