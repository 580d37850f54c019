"""Records that staff withhold stay withheld, whatever their providers do."""

import pytest

from harvesting.models import Repository, SourceRecord, Suppression
from harvesting.records.suppression import release, suppress
from tests.harvesting.batches import gone, harvest_records, live, make_records, new_feed

pytestmark = pytest.mark.django_db


def stored(local_id: str) -> SourceRecord:
    return SourceRecord.objects.get(identifier=f"oai:x:{local_id}")


def test_a_withheld_record_stays_so_over_harvests_and_keeps_what_came():
    feed = new_feed()
    harvest_records(feed, [live("a"), live("b")])
    assert suppress(stored("a"), "個人情報", "hanako")
    SourceRecord.objects.update(aggregated_at="2026-01-01T00:00:00Z")
    harvest_records(feed, [live("a", "2026-02-01T00:00:00Z", title="新しい題"), live("b")])
    record = stored("a")
    assert record.suppressed_at and record.payload and record.aggregated_at is None
    assert record.suppression.reason == "個人情報"


def test_suppressing_twice_and_releasing_twice_does_nothing_more():
    harvest_records(new_feed(), [live("a")])
    assert [suppress(stored("a"), "x", "hanako"), suppress(stored("a"), "y", "taro")] == [True, False]
    assert Suppression.objects.get().reason == "x"
    assert [release(stored("a")), release(stored("a"))] == [True, False]
    assert not Suppression.objects.exists()


def test_a_record_that_its_provider_deletes_meanwhile_stays_deleted():
    feed = new_feed()
    harvest_records(feed, [live("a"), live("b")])
    suppress(stored("a"), "x", "hanako")
    harvest_records(feed, [gone("a")], full=False)
    release(stored("a"))
    assert stored("a").deleted


def test_a_new_identifier_does_not_bring_it_back():
    feed = new_feed(Repository.objects.create(number="R100000001", name="館"))
    harvest_records(feed, make_records(4))
    suppress(stored("b1"), "x", "hanako")
    records = [live(f"new{number}", title=f"見本の本 b{number}") for number in range(4)]
    harvest_records(feed, records)
    assert stored("b1").successor == stored("new1")
    assert stored("new1").suppressed_at and not stored("new2").suppressed_at
