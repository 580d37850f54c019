"""Several feeds of one repository: sets, formats, and records that leave one of them."""

import pytest

from harvesting.models import Feed, Membership, SourceRecord
from harvesting.records import membership
from harvesting.types import HarvestedRecord
from metadata.formats import CROSSWALKS
from tests.books import record
from tests.harvesting.batches import gone, harvest_records, live, live_local_ids, make_records, new_feed

pytestmark = pytest.mark.django_db


def poor(local_id: str, datestamp: str = "2026-01-10T00:00:00Z") -> HarvestedRecord:
    """A book of `make_records` in oai_dc, the poorer format."""
    payload = CROSSWALKS["oai_dc"].write(record(local_id, title=f"見本の本 {local_id}"))
    return HarvestedRecord(identifier=f"oai:x:{local_id}", datestamp=datestamp, payload=payload)


def two_sets() -> tuple[Feed, Feed]:
    """Two sets of 40 records each; b30 to b39 are in both."""
    first = new_feed(set_spec="one")
    second = new_feed(first.repository, set_spec="two")
    harvest_records(first, make_records(40))
    harvest_records(second, make_records(70)[30:])
    return first, second


def owner(local_id: str) -> str:
    return SourceRecord.objects.get(identifier=f"oai:x:{local_id}").feed.set_spec


def test_a_repository_with_one_feed_writes_no_memberships():
    harvest_records(new_feed(), make_records(10))
    assert not Membership.objects.exists()


def test_when_a_second_feed_appears_the_first_ones_memberships_are_written_down():
    feed = new_feed(set_spec="one")
    first = harvest_records(feed, make_records(10))
    second = new_feed(feed.repository, set_spec="two")
    harvest_records(second, make_records(12)[8:])
    assert Membership.objects.filter(feed=feed, last_harvest=first.pk).count() == 10
    assert Membership.objects.filter(feed=second).count() == 4
    assert (membership.count_listed(feed), len(live_local_ids(feed))) == (10, 12)


def test_a_record_that_leaves_one_set_stays_while_another_lists_it():
    first, _second = two_sets()
    run = harvest_records(first, make_records(39))
    assert (run.state, run.swept, len(live_local_ids(first))) == ("succeeded", 0, 70)
    assert (owner("b39"), owner("b38")) == ("two", "one")
    assert not Membership.objects.filter(feed=first, record__identifier="oai:x:b39").exists()


def test_a_record_that_no_set_lists_any_more_is_deleted():
    first, second = two_sets()
    harvest_records(first, make_records(39))
    run = harvest_records(second, [*make_records(39)[30:], *make_records(70)[40:]])
    assert (run.state, run.swept) == ("succeeded", 1)
    assert "b39" not in live_local_ids(first)
    assert not Membership.objects.filter(record__identifier="oai:x:b39").exists()


def test_only_records_that_no_other_set_lists_count_against_the_threshold():
    first, _second = two_sets()
    run = harvest_records(first, make_records(38)[:20])
    assert (run.state, run.code, run.held, len(live_local_ids(first))) == ("paused", "safety.deletions", 10, 70)


def test_a_deletion_that_one_set_reports_removes_nothing_that_another_lists():
    first, second = two_sets()
    run = harvest_records(first, [gone("b35"), gone("b5")], full=False)
    assert (run.deleted, run.unchanged) == (1, 1)
    assert {"b35", "b5"} & live_local_ids(first) == {"b35"}
    assert owner("b35") == "two"
    assert harvest_records(second, [gone("b35")], full=False).deleted == 1


def test_a_set_of_a_provider_that_keeps_deletions_is_swept_too():
    feed = new_feed(set_spec="one", deleted_record="persistent")
    harvest_records(feed, make_records(40))
    assert harvest_records(feed, make_records(39)).swept == 1


def test_a_poorer_format_does_not_overwrite_a_richer_one():
    rich = new_feed()
    simple = new_feed(rich.repository, metadata_prefix="oai_dc")
    harvest_records(rich, make_records(5))
    run = harvest_records(simple, [poor(f"b{number}", "2026-05-01T00:00:00Z") for number in range(6)])
    assert (run.created, run.unchanged, run.updated) == (1, 5, 0)
    stored = SourceRecord.objects.get(identifier="oai:x:b0")
    assert (stored.metadata_prefix, stored.datestamp) == ("dcndl", "2026-01-10T00:00:00Z")
    assert Membership.objects.filter(feed=simple).count() == 6


def test_a_richer_format_overwrites_a_poorer_one():
    simple = new_feed(metadata_prefix="oai_dc")
    rich = new_feed(simple.repository)
    harvest_records(simple, [poor("b0")])
    assert harvest_records(rich, make_records(1)).updated == 1
    assert SourceRecord.objects.get().metadata_prefix == "dcndl"
    assert harvest_records(simple, [poor("b0")]).unchanged == 1


def test_of_two_equal_formats_the_newer_version_counts():
    first, second = two_sets()
    newer = live("b35", "2026-05-01T00:00:00Z", title="改訂版")
    assert harvest_records(second, [newer], full=False).updated == 1
    assert harvest_records(first, [live("b35")], full=False).updated == 1  # the older version, but its run is later
    assert harvest_records(second, [newer], full=False).updated == 1


def test_the_records_of_a_feed_that_is_gone_belong_to_the_one_that_lists_them():
    old = new_feed()
    harvest_records(old, make_records(30))
    new = new_feed(old.repository, set_spec="all")
    old.harvests.all().delete()
    old.delete()
    run = harvest_records(new, make_records(29))
    assert (run.live_before, run.unchanged, run.swept) == (30, 29, 1)
    assert SourceRecord.objects.filter(feed=new).count() == 30


def test_a_held_deletion_is_not_carried_out_as_absence_instead():
    first = new_feed(deleted_record="transient")
    second = new_feed(first.repository, set_spec="two")
    harvest_records(first, make_records(500))
    harvest_records(second, [live("other")])
    run = harvest_records(first, [*make_records(398), *(gone(f"b{number}") for number in range(398, 500))])
    assert (run.deleted, run.held, run.swept, len(live_local_ids(first))) == (0, 102, 0, 501)


def test_restored_records_are_listed_by_their_feed_again():
    first = new_feed(deleted_record="transient")
    harvest_records(first, make_records(100))
    harvest_records(new_feed(first.repository, set_spec="two"), [live("other")])
    run = harvest_records(first, [*make_records(70), *(gone(f"b{number}") for number in range(70, 100))], page=85)
    assert (run.held, run.swept, membership.count_listed(first), len(live_local_ids(first))) == (30, 0, 100, 101)
    assert membership.count_seen(first, run.pk) == 100


def test_a_damaged_record_of_one_of_several_feeds_deletes_nothing():
    first, _second = two_sets()
    broken = HarvestedRecord(identifier="", payload=b"<broken")
    run = harvest_records(first, [*make_records(30)[:29], *make_records(40)[30:], broken])
    assert (run.state, run.swept, run.observations["safety.nameless"]["facts"]) == (
        "succeeded",
        0,
        {"rejected": 1, "absent": 1},
    )
    assert (
        "b29" in live_local_ids(first)
        and harvest_records(first, [*make_records(30)[:29], *make_records(40)[30:]]).swept == 1
    )
