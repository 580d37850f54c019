"""Deletions in small steps over several runs: together they need a person's decision, but normal weeding does not."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from harvesting.completion import deletion_decisions, retention
from harvesting.completion.guards import max_lost
from harvesting.messages import describe
from harvesting.models import Feed, Harvest, SourceRecord
from harvesting.monitoring import daily_counts
from harvesting.records import tombstones
from tests.harvesting.batches import gone, harvest_records, live, live_local_ids, make_records, new_feed

pytestmark = pytest.mark.django_db

RECORDS = 200
AT_MOST = 66  # a third of them


def begun(**fields: object) -> Feed:
    feed = new_feed(**fields)
    harvest_records(feed, make_records(RECORDS))
    return feed


def withdraw(feed: Feed, numbers: range) -> Harvest:
    """A run in which the provider reports these records as deleted."""
    return harvest_records(feed, [gone(f"b{number}") for number in numbers], full=False)


def pass_days(days: int) -> None:
    """Move everything that has happened so many days into the past, as far as it is dated."""
    for feed in Feed.objects.all():
        daily_counts.count(feed.repository_id, timezone.now())
        for count in feed.repository.days.order_by("day"):
            count.day -= timedelta(days=days)
            count.save()
    ago = timedelta(days=days)
    for record in SourceRecord.objects.exclude(deleted_at=None):
        SourceRecord.objects.filter(pk=record.pk).update(deleted_at=record.deleted_at - ago)
    for run in Harvest.objects.all():
        ended = run.finished_at - ago if run.finished_at else None
        Harvest.objects.filter(pk=run.pk).update(queued_at=run.queued_at - ago, finished_at=ended)


@pytest.mark.parametrize(
    ("most", "lost"), [(0, 0), (1, 0), (2, 1), (12, 6), (50, 20), (60, 20), (100, 33), (200, 66), (3_000_000, 10**6)]
)
def test_a_third_may_be_lost_in_steps_or_twenty_but_not_half_of_a_small_provider(most, lost):
    assert max_lost(most) == lost


def test_reported_deletions_of_several_runs_that_are_too_many_together_are_held():
    feed = begun(deleted_record="persistent")
    for number in range(3):
        assert withdraw(feed, range(20 * number, 20 * number + 20)).state == "succeeded"
        pass_days(1)
    run = withdraw(feed, range(60, 67))
    assert (run.state, run.code, run.deleted, run.held) == ("paused", "safety.dwindling", 0, 7)
    assert len(live_local_ids(feed)) == 140
    day = timezone.now() - timedelta(days=30)
    facts = {name: run.facts[name] for name in ("count", "lost", "most", "since", "live")}
    assert facts == {"count": 7, "lost": 60, "most": 200, "since": f"{day:%Y-%m-%d}", "live": 140}


def test_absent_records_of_several_runs_that_are_too_many_together_are_held():
    feed, left = begun(), RECORDS
    for _day in range(20):
        run = harvest_records(feed, make_records(left - left // 20))
        if run.state != "succeeded":
            break
        left -= left // 20
        pass_days(1)
    assert (run.code, run.swept, run.held) == ("safety.dwindling", 0, left // 20)
    assert RECORDS - left <= AT_MOST < RECORDS - left + run.held
    assert len(live_local_ids(feed)) == left


def test_what_the_run_itself_deleted_before_that_is_restored_and_waits():
    feed = begun(deleted_record="persistent")
    assert withdraw(feed, range(40)).state == "succeeded"
    pass_days(1)
    run = harvest_records(feed, [gone(f"b{number}") for number in range(40, 70)], page=10, full=False)
    assert (run.code, run.deleted, run.held, len(live_local_ids(feed))) == ("safety.dwindling", 0, 30, 160)


def test_several_runs_of_one_day_count_together():
    feed = begun(deleted_record="persistent")
    for number in range(3):
        assert withdraw(feed, range(20 * number, 20 * number + 20)).state == "succeeded"
    assert withdraw(feed, range(60, 80)).code == "safety.dwindling"


@pytest.mark.parametrize("decide", [deletion_decisions.confirm, deletion_decisions.refuse])
def test_after_a_decision_deletions_are_counted_anew(decide):
    feed = begun(deleted_record="persistent")
    withdraw(feed, range(40))
    pass_days(1)
    held = withdraw(feed, range(40, 70))
    decide(held, "館員")
    pass_days(1)
    left = len(live_local_ids(feed))
    assert withdraw(feed, range(100, 120)).state == "succeeded"
    assert len(live_local_ids(feed)) == left - 20


def test_the_last_decision_is_remembered_however_many_runs_follow():
    feed = begun(deleted_record="persistent")
    withdraw(feed, range(40))
    pass_days(1)
    deletion_decisions.confirm(withdraw(feed, range(40, 70)), "館員")
    for _run in range(retention.RUNS_KEPT + 1):
        withdraw(feed, range(0))
    retention.prune(timezone.now())
    assert withdraw(feed, range(100, 102)).state == "succeeded"


def test_deletions_of_more_than_a_month_ago_do_not_count():
    feed = begun(deleted_record="persistent")
    withdraw(feed, range(40))
    pass_days(31)
    daily_counts.count(feed.repository_id, timezone.now())
    assert withdraw(feed, range(40, 70)).state == "succeeded"


def test_a_provider_that_replaces_its_records_is_not_asked_about():
    feed = begun(deleted_record="persistent")
    for number in range(8):
        new = [live(f"n{number}-{place}", title=f"新着の本{number}-{place}") for place in range(30)]
        old = [gone(f"b{place}" if number < 6 else f"n{number - 6}-{place % 30}") for place in _thirty(number)]
        assert harvest_records(feed, [*new, *old], full=False).state == "succeeded"
        pass_days(1)
    assert len(live_local_ids(feed)) == RECORDS


def _thirty(number: int) -> range:
    return range(30 * number, 30 * number + 30)


def test_weeding_of_two_percent_a_week_is_not_asked_about():
    feed = begun(deleted_record="persistent")
    for week in range(12):
        assert withdraw(feed, range(4 * week, 4 * week + 4)).state == "succeeded"
        pass_days(7)
    assert len(live_local_ids(feed)) == RECORDS - 48


def test_what_staff_deleted_themselves_does_not_count():
    feed = begun(deleted_record="persistent")
    tombstones.mark_deleted(SourceRecord.objects.filter(pk__in=SourceRecord.objects.values("pk")[:100]), "person")
    pass_days(1)
    left = [int(name[1:]) for name in live_local_ids(feed)]
    run = harvest_records(feed, [gone(f"b{number}") for number in left[:10]], full=False)
    assert (run.state, len(live_local_ids(feed))) == ("succeeded", 90)


def test_a_repository_of_several_feeds_is_judged_as_a_whole():
    feed = begun(deleted_record="persistent")
    other = new_feed(feed.repository, deleted_record="persistent", set_spec="other")
    harvest_records(other, [live(f"o{number}", title=f"別の本{number}") for number in range(100)])
    pass_days(1)
    for number in range(4):
        assert withdraw(feed, range(20 * number, 20 * number + 20)).state == "succeeded"
        pass_days(1)
    assert withdraw(feed, range(80, 100)).state == "succeeded"  # 100 of 300
    pass_days(1)
    assert harvest_records(other, [gone("o1")], full=False).code == "safety.dwindling"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_message_names_both_figures_and_what_can_be_done(language):
    facts = {"count": 7, "lost": 60, "most": 200, "since": "2026-11-01", "sample": "oai:x:b1"}
    with translation.override(language):
        text = describe("safety.dwindling", facts)
    assert all(str(value) in text for value in facts.values())
    assert "restore_records" in text
    assert ("more registered records" in text) == (language == "en")
