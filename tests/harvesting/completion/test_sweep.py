"""Deletion by absence: records that a full list does not contain are deleted, but never too many at once."""

from random import Random

import pytest

from harvesting.completion import sweep as sweeping
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Harvest, RecordIssue, SourceRecord
from harvesting.types import Gap, HarvestedRecord, Observation, TransportError
from metadata.issue import Issue
from tests.harvesting.batches import (
    begin_run,
    finish,
    gone,
    harvest_records,
    live,
    live_local_ids,
    make_records,
    new_feed,
    store_records,
)
from tests.harvesting.conftest import sample
from tests.seeds import seeds

pytestmark = pytest.mark.django_db


def outcome(run: Harvest) -> tuple[str, str, int, int]:
    return run.state, run.code, run.swept, run.held


def test_what_a_full_list_leaves_out_is_deleted_at_once_up_to_the_threshold():
    feed = new_feed()
    harvest_records(feed, make_records(100))
    SourceRecord.objects.update(aggregated_at="2026-01-01T00:00:00Z")
    run = harvest_records(feed, make_records(97))
    assert outcome(run) == ("succeeded", "", 3, 0)
    left = SourceRecord.objects.pending()
    assert {(record.deleted, record.deletion) for record in left} == {(True, "absent")}
    assert left.count() == 3 and all(record.payload and record.deleted_at for record in left)


@pytest.mark.parametrize(("total", "kept", "swept"), [(100, 95, 5), (100, 94, 0), (10, 9, 1), (10, 8, 0), (39, 38, 1)])
def test_the_threshold_is_a_twentieth_or_one(total, kept, swept):
    feed = new_feed()
    harvest_records(feed, make_records(total))
    run = harvest_records(feed, make_records(kept))
    assert run.swept == swept
    assert run.held == (0 if swept else total - kept)
    assert len(live_local_ids(feed)) == total - swept


def test_beyond_the_threshold_the_run_waits_with_a_sample_and_deletes_nothing():
    feed = new_feed()
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, make_records(50))
    assert outcome(run) == ("paused", "safety.deletions", 0, 50)
    assert run.resume_at is None
    assert (run.facts["count"], run.facts["live"]) == (50, 100)
    assert len(run.facts["sample"].split(", ")) == 10
    assert len(live_local_ids(feed)) == 100


@pytest.mark.parametrize(("kept", "end"), [(97, ("succeeded", "", 3, 0)), (50, ("paused", "safety.deletions", 0, 50))])
def test_a_run_of_changes_that_had_to_read_everything_counts_as_a_full_one(kept, end):
    """ResourceSync reads everything where the change lists do not reach back far enough."""
    feed = new_feed(protocol="resourcesync", deleted_record="transient")
    harvest_records(feed, make_records(100))
    assert outcome(harvest_records(feed, make_records(2), full=False)) == ("succeeded", "", 0, 0)
    run = harvest_records(feed, make_records(kept), full=False, exhaustive=True)
    assert run.kind == Harvest.Kind.INCREMENTAL
    assert outcome(run) == end


def test_an_empty_list_deletes_nothing_and_waits():
    feed = new_feed()
    harvest_records(feed, make_records(30))
    run = harvest_records(feed, [])
    assert outcome(run) == ("paused", "safety.zero", 0, 0)
    assert len(live_local_ids(feed)) == 30


@pytest.mark.parametrize(
    "last",
    [
        {"exhaustive": False},
        {"observations": (Observation(code="oai.salvaged", incomplete=True),)},
        {"complete_list_size": 100},
    ],
)
def test_a_list_that_may_be_incomplete_deletes_nothing(last):
    feed = new_feed()
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, make_records(97), **last)
    assert outcome(run)[2:] == (0, 0)
    assert len(live_local_ids(feed)) == 100


def test_a_list_with_a_gap_fails_and_names_it():
    feed = new_feed()
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, make_records(97), gaps=(Gap(from_="2026-01-01", until="2026-01-31", code="http.500"),))
    assert (run.state, run.code, run.facts["windows"]) == ("failed", "run.gaps", "2026-01-01–2026-01-31")
    assert len(live_local_ids(feed)) == 100


def test_a_size_that_agrees_counts_deleted_records_too():
    feed = new_feed(deleted_record="transient")
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, [*make_records(96), gone("b98")], complete_list_size=97)
    assert outcome(run) == ("succeeded", "", 3, 0)
    assert (run.deleted, len(live_local_ids(feed))) == (1, 96)


def test_a_size_that_differs_is_reported():
    feed = new_feed()
    harvest_records(feed, make_records(10))
    run = harvest_records(feed, make_records(9), complete_list_size=10)
    assert run.observations["safety.size"]["facts"] == {"announced": 10, "received": 9}


@pytest.mark.parametrize("identifier", ["", "oai:x:b9\0", "oai:x:" + "9" * 3000, "oai:x:b\ud800"])
def test_a_damaged_record_may_be_any_that_is_absent(identifier):
    feed = new_feed()
    harvest_records(feed, make_records(40))
    damaged = HarvestedRecord(identifier=identifier, payload=live("b39").payload)
    run = harvest_records(feed, [*make_records(39), damaged], complete_list_size=40)
    assert outcome(run) == ("succeeded", "", 0, 0)
    assert run.observations["safety.nameless"]["facts"] == {"rejected": 1, "absent": 1}
    assert (len(live_local_ids(feed)), harvest_records(feed, make_records(39)).swept) == (40, 1)


def test_a_record_with_a_damaged_header_may_be_any_that_is_absent():
    feed = new_feed()
    harvest_records(feed, make_records(40))
    damaged = HarvestedRecord(identifier="oai:x:b?", payload=b"<x", issues=(Issue(code="oai.E001"),))
    run = harvest_records(feed, [*make_records(39), damaged])
    assert (run.swept, "safety.nameless" in run.observations) == (0, True)


def test_a_new_record_that_is_rejected_hides_no_absence():
    feed = new_feed()
    harvest_records(feed, make_records(40))
    assert harvest_records(feed, [*make_records(39), live("new", title="")]).swept == 1


def reported(run: Harvest) -> dict[str, dict[str, int]]:
    return {code: entry["facts"] for code, entry in run.observations.items()}


@pytest.mark.parametrize(("kept", "observations"), [(99, {}), (98, {"safety.unlisted": {"stored": 100, "listed": 98}})])
def test_unlisted_records_of_a_provider_that_keeps_deletions_are_reported(kept, observations):
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, make_records(kept), page=30)
    assert (run.state, reported(run), run.memory, len(live_local_ids(feed))) == ("succeeded", observations, {}, 100)


def test_deletions_that_a_provider_keeps_are_not_taken_for_records():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    withdrawn = [gone(f"b{number}") for number in range(90, 100)]
    for _time in range(2):
        assert "safety.unlisted" not in reported(harvest_records(feed, [*make_records(90), *withdrawn]))
    assert reported(harvest_records(feed, [*make_records(80), *withdrawn])) == {
        "safety.unlisted": {"stored": 90, "listed": 80}
    }


def test_new_identifiers_of_a_provider_that_keeps_deletions_are_reported():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(30))
    run = harvest_records(feed, [live(f"new{number}") for number in range(30)])
    assert reported(run) == {"safety.renumbered": {"stored": 60, "listed": 30, "created": 30}}
    assert not run.observations["safety.renumbered"]["incomplete"]


def test_a_provider_that_keeps_its_deletions_is_believed():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    assert outcome(harvest_records(feed, make_records(97))) == ("succeeded", "", 0, 0)
    assert len(live_local_ids(feed)) == 100


def test_a_record_that_appears_again_is_restored_by_the_harvest():
    feed = new_feed()
    harvest_records(feed, make_records(40))
    harvest_records(feed, make_records(39))
    run = harvest_records(feed, make_records(40))
    assert (run.updated, run.unchanged) == (1, 39)
    back = SourceRecord.objects.get(identifier="oai:x:b39")
    assert (back.deleted, back.deletion, back.deleted_at) == (False, "", None)


def test_the_same_harvest_three_times_changes_nothing():
    feed = new_feed()
    harvest_records(feed, make_records(30))
    before = list(SourceRecord.objects.order_by("pk").values_list("pk", "changed_at", "payload_hash"))
    SourceRecord.objects.update(aggregated_at="2026-01-01T00:00:00Z")
    for _time in range(3):
        assert harvest_records(feed, make_records(30)).unchanged == 30
    assert list(SourceRecord.objects.order_by("pk").values_list("pk", "changed_at", "payload_hash")) == before
    assert not SourceRecord.objects.pending().exists()


def test_a_sweep_that_was_killed_goes_on_where_it_was(monkeypatch):
    feed = new_feed()
    harvest_records(feed, make_records(100))
    monkeypatch.setattr(sweeping, "CHUNK", 2)
    run = begin_run(feed, full=True)
    store_records(run, make_records(95), exhaustive=True)
    passed = []

    def dies(name: str) -> None:
        passed.append(name)
        if passed.count("sweep.after_commit") == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(sweeping, "checkpoint", dies)
        sweeping.sweep(run)
    again = Harvest.objects.select_related("feed__repository").get(pk=run.pk)
    assert (again.phase, again.swept, len(live_local_ids(feed))) == ("sweep", 4, 96)
    assert outcome(finish(again)) == ("succeeded", "", 5, 0)


def test_held_deletions_are_held_once_however_often_the_run_is_taken_up():
    feed = new_feed()
    harvest_records(feed, make_records(50))
    run = harvest_records(feed, make_records(20))
    Harvest.objects.filter(pk=run.pk).update(state="running")
    assert outcome(finish(Harvest.objects.select_related("feed__repository").get(pk=run.pk)))[1:] == (
        "safety.deletions",
        0,
        30,
    )
    assert run.held_deletions.count() == 30


def test_a_worker_that_lost_its_run_deletes_nothing():
    feed = new_feed()
    harvest_records(feed, make_records(100))
    run = begin_run(feed, full=True)
    store_records(run, make_records(97), exhaustive=True)
    Harvest.objects.filter(pk=run.pk).update(fence=99)
    with pytest.raises(TransportError) as caught:
        sweeping.sweep(run)
    assert caught.value.code == "run.lease_lost"
    assert len(live_local_ids(feed)) == 100


def test_the_number_of_queries_of_a_sweep_does_not_grow_with_the_records(django_assert_max_num_queries):
    feed = new_feed()
    harvest_records(feed, make_records(400))
    run = begin_run(feed, full=True)
    store_records(run, make_records(380), exhaustive=True)
    with django_assert_max_num_queries(60):
        finish(run)
    assert run.swept == 20


def test_the_error_report_of_a_record_that_is_not_sent_any_more_goes():
    feed = new_feed()
    harvest_records(feed, [*make_records(3), live("bad", title="")])
    assert RecordIssue.objects.filter(severity="record_error").exists()
    assert harvest_records(feed, make_records(3)).swept == 0
    assert not RecordIssue.objects.filter(severity="record_error").exists()
    assert SourceRecord.objects.count() == 3


@seeds(5, always=2)
def test_whatever_a_provider_leaves_out_no_run_removes_more_than_a_twentieth(seed):
    chance, feed = Random(seed), new_feed(deleted_record=["no", "transient"][seed % 2])
    everything = make_records(60)
    harvest_records(feed, everything)
    for _run in range(6):
        before = len(live_local_ids(feed))
        sent = chance.sample(everything, chance.choice([0, 1, 30, 55, 58, 59, 60]))
        run = harvest_records(feed, sent, page=chance.choice([7, 60]), exhaustive=chance.random() < 0.8)
        removed = before + run.created + run.updated - len(live_local_ids(feed))
        assert removed == run.swept <= max(1, before // 20)
        assert run.received == run.created + run.updated + run.unchanged + run.deleted + run.rejected


def test_an_rss_feed_without_its_full_feed_is_no_full_list():
    feed = new_feed(protocol="rss", base_url="https://a.example.jp/rss")
    harvest_records(feed, make_records(30))
    run = harvest_records(feed, [live("b3", title="改版")], exhaustive=False)
    assert outcome(run) == ("succeeded", "", 0, 0)


def test_a_whole_harvest_over_the_wire_deletes_what_its_provider_dropped(source, feed_of):
    source.deleted_record = "no"
    feed = feed_of(source)
    assert harvest(create_harvest(feed)).created == 5
    source.replace([sample(f"b{number}", title=f"見本の本{number}") for number in range(1, 5)])
    run = harvest(create_harvest(feed, full=True))
    assert (run.state, run.unchanged, run.swept) == ("succeeded", 4, 1)
    assert SourceRecord.objects.get(deleted=True).identifier == "oai:sample:b5"
    source.replace([])
    run = harvest(create_harvest(feed, full=True))
    assert (run.state, run.code, run.resume_at) == ("paused", "safety.zero", None)
