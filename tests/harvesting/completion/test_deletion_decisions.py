"""Reported deletions that are held back, and what a person decides; restoring and forgetting."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from harvesting.completion import deletion_decisions, retention
from harvesting.dispatcher import waiting_harvests
from harvesting.harvest.run import harvest
from harvesting.harvest.store import undo_partial_page
from harvesting.messages import describe
from harvesting.models import Feed, Harvest, SourceRecord
from harvesting.records import tombstones
from harvesting.runs import lifecycle
from harvesting.runs.lifecycle import may_be_superseded
from harvesting.tasks import run_harvest
from harvesting.types import TransportError
from tests.harvesting.batches import (
    begin_run,
    gone,
    harvest_records,
    live,
    live_local_ids,
    make_records,
    new_feed,
    store_records,
)

pytestmark = pytest.mark.django_db


def withdrawn(numbers: range) -> list:
    return [gone(f"b{number}") for number in numbers]


def reporting(live_records: int, reported: int, **more: object) -> tuple[object, Harvest]:
    """Return a feed with this many live records, and the run in which the provider reports this many deletions."""
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(live_records))
    return feed, harvest_records(feed, withdrawn(range(reported)), full=False, **more)


@pytest.mark.parametrize(
    ("records", "reported", "held"), [(12, 6, 0), (12, 7, 7), (50, 20, 0), (50, 21, 21), (200, 40, 0), (200, 45, 45)]
)
def test_reported_deletions_are_carried_out_up_to_a_fifth_or_twenty_but_not_half_of_a_small_feed(
    records, reported, held
):
    feed, run = reporting(records, reported)
    assert (run.deleted, run.held, run.unchanged) == (reported - held, held, held)
    assert len(live_local_ids(feed)) == records - reported + held
    assert (run.state, run.code) == (("paused", "safety.deletions") if held else ("succeeded", ""))


def test_the_limit_is_that_of_the_run_not_of_a_page():
    feed, run = reporting(100, 60, page=10)
    assert (run.deleted, run.unchanged, run.held, len(live_local_ids(feed))) == (0, 60, 60, 100)
    assert "safety.deleted" not in run.observations


def test_what_a_run_deleted_before_it_exceeded_the_limit_is_restored_and_waits():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    run = begin_run(feed)
    store_records(run, withdrawn(range(15)), resumption_token="t")
    SourceRecord.objects.update(aggregated_at=timezone.now())
    assert len(live_local_ids(feed)) == 85
    store_records(run, [*withdrawn(range(15, 30)), gone("never")])
    back = SourceRecord.objects.pending()
    assert {(record.deleted, record.deletion, record.deleted_at, bool(record.payload)) for record in back} == {
        (False, "", None, True),
        (True, "reported", run_moment("never"), False),
    }
    assert (back.count(), len(live_local_ids(feed)), run.deleted, run.unchanged, run.held) == (16, 100, 1, 30, 30)
    assert deletion_decisions.refuse(run) == 30 and len(live_local_ids(feed)) == 100


def run_moment(local_id: str) -> object:
    """When a record was deleted."""
    return SourceRecord.objects.get(identifier=f"oai:x:{local_id}").deleted_at


def test_deletions_come_back_from_the_parts_of_a_page_that_is_asked_for_again():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    run = begin_run(feed)
    store_records(run, withdrawn(range(15)), more=True)
    store_records(run, withdrawn(range(15, 30)), more=True)
    undo_partial_page(run)
    assert (run.received, run.deleted, run.unchanged) == (0, 0, 0)
    store_records(run, withdrawn(range(30)))
    run.refresh_from_db()
    assert (run.unchanged, run.held, run.state, len(live_local_ids(feed))) == (30, 30, "paused", 100)


def test_deletions_of_records_that_were_never_registered_are_no_danger():
    feed = new_feed(deleted_record="persistent")
    run = harvest_records(feed, [*make_records(5), *withdrawn(range(100, 400))])
    assert (run.state, run.deleted, run.held) == ("succeeded", 300, 0)


def test_a_held_deletion_leaves_the_record_as_it_is():
    feed, _run = reporting(30, 30)
    assert SourceRecord.objects.filter(deleted=False, datestamp__startswith="2026-01-10").count() == 30
    feed.refresh_from_db()
    assert feed.watermark == carry_watermark(feed)


def carry_watermark(feed) -> object:
    """The watermark that the last successful run has to set."""
    done = feed.harvests.filter(state="succeeded").first()
    return min(done.first_response_date, done.started_at)


def test_runs_that_follow_a_waiting_one_do_not_delete_by_small_steps():
    feed, _run = reporting(100, 60)
    again = harvest_records(feed, withdrawn(range(60)), full=False)
    assert (again.deleted, again.held, len(live_local_ids(feed))) == (0, 60, 100)
    assert feed.harvests.get(code="run.superseded").state == "cancelled"


def test_a_run_for_one_record_does_not_renew_the_limit():
    feed, _run = reporting(100, 60)
    Harvest.objects.create(feed=feed, kind="record", state="succeeded")
    again = harvest_records(feed, withdrawn(range(60)), full=False)
    assert (again.deleted, again.held) == (0, 60)


def test_confirmed_deletions_are_carried_out_and_the_run_has_succeeded():
    feed, run = reporting(100, 60)
    assert deletion_decisions.confirm(run, "staff") == 60
    run.refresh_from_db()
    assert (run.state, run.code, run.facts) == ("succeeded", "safety.confirmed", {"user": "staff", "count": 60})
    assert (run.deleted, run.unchanged, run.received) == (60, 0, 60)
    assert len(live_local_ids(feed)) == 40 and not run.held_deletions.exists()


@pytest.fixture
def many(monkeypatch) -> tuple:
    """A run with so many confirmed deletions that they are left to a worker, who takes seven at a time."""
    monkeypatch.setattr(deletion_decisions, "MAX_AT_ONCE", 20)
    monkeypatch.setattr(deletion_decisions, "CHUNK", 7)
    feed, run = reporting(100, 60)
    assert deletion_decisions.confirm(run, "staff") == 0
    return feed, Harvest.objects.get(pk=run.pk)


def test_many_confirmed_deletions_are_left_to_the_queue_and_nothing_is_deleted_yet(many):
    feed, run = many
    assert (run.state, run.code, run.facts) == (
        "queued",
        "safety.confirming",
        {"user": "staff", "count": 60, "done": 0},
    )
    assert len(live_local_ids(feed)) == 100
    assert [waiting.pk for waiting in waiting_harvests()] == [run.pk]


def test_a_worker_that_resumes_the_run_carries_out_the_confirmed_deletions_without_requests(many):
    feed, run = many
    harvest(run)
    assert (run.state, run.code, run.facts) == ("succeeded", "safety.confirmed", {"user": "staff", "count": 60})
    run.refresh_from_db()
    assert (run.deleted, run.unchanged, run.received, len(live_local_ids(feed))) == (60, 0, 60, 40)
    assert "safety.confirming" not in run.observations
    assert not run.held_deletions.exists()


def test_confirmed_deletions_go_on_where_a_worker_stopped(many, monkeypatch):
    feed, run = many
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(tombstones, "mark_deleted", stopping_after(2))
        harvest(run)
    run.refresh_from_db()
    assert (run.state, len(live_local_ids(feed))) == ("interrupted", 100 - 14)
    assert run.observations["safety.confirming"]["facts"]["done"] == 14
    assert harvest(run).facts == {"user": "staff", "count": 60}
    assert len(live_local_ids(feed)) == 40


def test_no_transaction_of_a_confirmation_takes_more_than_a_chunk(many, monkeypatch):
    sizes, bury = [], tombstones.mark_deleted
    monkeypatch.setattr(tombstones, "mark_deleted", lambda *given: sizes.append(bury(*given)) or sizes[-1])
    harvest(many[1])
    assert (max(sizes), sum(sizes)) == (7, 60)


def test_a_confirmed_run_awaits_no_decision_and_is_not_superseded(many):
    feed, run = many
    assert not deletion_decisions.runs_awaiting_decision().exists()
    with pytest.raises(TransportError):
        deletion_decisions.refuse(run)
    assert not may_be_superseded(run)
    assert len(live_local_ids(feed)) == 100


def test_quiet_hours_do_not_keep_confirmed_deletions_waiting(many):
    clock = timezone.localtime()
    hour = timedelta(hours=1)
    Feed.objects.update(quiet_from=(clock - hour).time(), quiet_until=(clock + hour).time())
    assert waiting_harvests()
    assert run_harvest(many[1].pk) == "succeeded"


def test_confirmed_deletions_can_be_paused_and_go_on(many):
    feed, run = many
    assert lifecycle.pause(run)
    assert harvest(run).state == "paused"
    assert lifecycle.resume(run)
    assert harvest(run).state == "succeeded"
    assert len(live_local_ids(feed)) == 40


def stopping_after(times: int):
    bury, left = tombstones.mark_deleted, [times]

    def once_more(*arguments):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return bury(*arguments)

    return once_more


def test_absent_records_whose_deletion_is_confirmed_count_as_swept():
    feed = new_feed()
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, make_records(50))
    deletion_decisions.confirm(run)
    run.refresh_from_db()
    assert (run.swept, run.state, len(live_local_ids(feed))) == (50, "succeeded", 50)
    assert set(SourceRecord.objects.filter(deleted=True).values_list("deletion", flat=True)) == {"absent"}


def test_refused_deletions_keep_the_records_and_the_run_has_succeeded():
    feed, run = reporting(100, 60)
    assert deletion_decisions.refuse(run, "staff") == 60
    run.refresh_from_db()
    assert (run.state, run.code, len(live_local_ids(feed))) == ("succeeded", "safety.refused", 100)
    assert not run.held_deletions.exists()


def test_an_empty_list_can_be_accepted_or_dropped():
    feed = new_feed()
    harvest_records(feed, make_records(30))
    feed.refresh_from_db()
    before = feed.watermark
    deletion_decisions.refuse(harvest_records(feed, []), "staff")
    dropped = feed.harvests.first()
    assert (dropped.state, dropped.code) == ("cancelled", "safety.dropped")
    run = harvest_records(feed, [])
    deletion_decisions.confirm(run, "staff")
    assert run.code == "safety.accepted"
    feed.refresh_from_db()
    assert (run.state, feed.watermark >= before, len(live_local_ids(feed))) == ("succeeded", True, 30)


def test_a_decision_about_a_run_that_does_not_wait_any_more_is_refused():
    feed, run = reporting(100, 60)
    harvest_records(feed, [], full=False)
    for decide in (deletion_decisions.confirm, deletion_decisions.refuse):
        with pytest.raises(TransportError):
            decide(run)
    assert len(live_local_ids(feed)) == 100


def test_a_run_that_a_person_paused_awaits_no_decision():
    run = begin_run(new_feed(), full=True)
    Harvest.objects.filter(pk=run.pk).update(state="paused", code="run.paused")
    assert not deletion_decisions.runs_awaiting_decision().exists()


def test_many_rejections_leave_the_old_versions_and_wait():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, [live(f"b{number}", title="") for number in range(30)], full=False)
    assert (run.state, run.code, run.rejected) == ("paused", "safety.rejected", 30)
    assert len(live_local_ids(feed)) == 100


def test_a_first_run_whose_records_are_all_rejected_fails():
    run = harvest_records(new_feed(), [live(f"b{number}", title="") for number in range(20)])
    assert (run.state, run.code) == ("failed", "safety.all_rejected")


def test_half_a_list_of_a_provider_that_is_not_swept_waits():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    assert harvest_records(feed, make_records(50)).state == "succeeded"
    run = harvest_records(feed, make_records(49))
    assert (run.state, run.code, run.facts["live"], len(live_local_ids(feed))) == ("paused", "safety.drop", 100, 100)


@translation.override("en")
def test_the_message_about_half_a_list_says_whether_accepting_it_deletes_anything():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(100))
    alone = harvest_records(feed, make_records(49))
    assert "Accepting it deletes nothing" in describe(alone.code, alone.facts)
    both = harvest_records(feed, [*make_records(24), *withdrawn(range(50, 75))])
    assert (both.code, both.held) == ("safety.drop", 25)
    assert "reports 25 deletions" in describe(both.code, both.facts)
    assert "Accepting" not in describe(both.code, both.facts)


@translation.override("en")
def test_an_answer_that_deletes_or_keeps_nothing_does_not_count_records():
    for code in ("safety.accepted", "safety.dropped"):
        assert "0" not in describe(code, {"user": "staff", "count": 0})


def test_a_deleted_record_can_be_restored_with_its_bytes():
    feed, _run = reporting(30, 5)
    SourceRecord.objects.update(aggregated_at=timezone.now())
    assert deletion_decisions.restore(SourceRecord.objects.filter(identifier="oai:x:b1")) == 1
    back = SourceRecord.objects.pending().get()
    assert (back.identifier, back.deleted, back.deleted_at, bool(back.payload)) == ("oai:x:b1", False, None, True)
    assert len(live_local_ids(feed)) == 26


def test_after_ninety_days_only_the_row_stays():
    _feed, _run = reporting(30, 5)
    later = timezone.now() + timedelta(days=91)
    assert retention.prune(timezone.now()) == 0
    assert retention.prune(later) == 5
    assert SourceRecord.objects.filter(deleted=True, payload=b"", record=b"").count() == 5
    assert deletion_decisions.restore(SourceRecord.objects.filter(deleted=True)) == 0
    assert retention.prune(later) == 0


def test_a_forgotten_record_that_returns_keeps_its_public_id():
    feed, _run = reporting(30, 5)
    name = SourceRecord.objects.get(identifier="oai:x:b1").public_id
    retention.prune(timezone.now() + timedelta(days=91))
    assert harvest_records(feed, [live("b1")], full=False).updated == 1
    back = SourceRecord.objects.get(identifier="oai:x:b1")
    assert (back.public_id, back.deleted, bool(back.payload)) == (name, False, True)


def test_old_runs_are_deleted_but_not_those_with_which_later_runs_are_compared(monkeypatch):
    monkeypatch.setattr(retention, "RUNS_KEPT", 3)
    feed = new_feed(deleted_record="persistent")
    first = harvest_records(feed, make_records(25))
    harvest_records(feed, [], full=False)
    newest = [harvest_records(feed, [], full=False).pk for _time in range(3)]
    waiting = store_records(begin_run(feed), make_records(1), resumption_token="t")
    assert retention.prune(timezone.now()) == 1
    assert set(feed.harvests.values_list("pk", flat=True)) == {first.pk, *newest, waiting.pk}


def test_an_interrupted_refusal_counts_and_its_remains_are_deleted_later(monkeypatch):
    feed, run = reporting(100, 60)
    with monkeypatch.context() as patched, pytest.raises(AttributeError):
        patched.setattr(deletion_decisions, "HeldDeletion", None)  # the decision is stored; what follows it fails
        deletion_decisions.refuse(run)
    run.refresh_from_db()
    assert (run.state, run.code, len(live_local_ids(feed))) == ("succeeded", "safety.refused", 100)
    assert not deletion_decisions.runs_awaiting_decision().exists()
    again = harvest_records(feed, withdrawn(range(15)), full=False)
    assert (again.deleted, again.held) == (15, 0)
    assert retention.prune(timezone.now()) == 60


def test_a_small_provider_cannot_lose_all_its_records_without_a_decision():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(12))
    run = harvest_records(feed, [gone(f"b{number}") for number in range(12)], full=False)
    assert (run.state, run.code, len(live_local_ids(feed))) == ("paused", "safety.deletions", 12)
