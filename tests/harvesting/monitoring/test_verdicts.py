"""The stored verdicts on providers: computed from rows in bulk; and the daily counts they rely on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.completion import deletion_decisions
from harvesting.harvest.run import create_harvest
from harvesting.models import DailyCount, DateWindow, HarvestEvent, HealthStatus, Repository
from harvesting.monitoring import daily_counts, verdicts
from harvesting.runs import lifecycle
from tests.harvesting.batches import begin_run, harvest_records, live, make_records, new_feed
from tests.plans import plan_of

pytestmark = pytest.mark.django_db


def verdict(feed) -> HealthStatus:
    verdicts.renew_some()
    return HealthStatus.objects.get(repository=feed.repository)


def test_a_provider_is_first_new_then_healthy_then_failing():
    feed = new_feed()
    assert verdict(feed).colour == "grey"
    harvest_records(feed, make_records(3))
    status = verdict(feed)
    assert (status.colour, status.last_run.received, status.next_at is not None) == ("green", 3, True)
    for _run in range(3):
        lifecycle.fail(begin_run(feed), "http.500", {"permanent": 0})
    status = verdict(feed)
    assert (status.colour, status.reasons[0][0]) == ("red", "failing")
    assert status.reasons[0][1] == {"failures": 3, "reason": ["http.500", {"permanent": 0}]}


def test_a_provider_that_awaits_approval_is_not_called_paused():
    feed = new_feed()
    Repository.objects.update(state="asked", approved=False, published=False)
    assert verdict(feed).reasons[0][0] == "unapproved"
    Repository.objects.update(state="paused", approved=True)
    HealthStatus.objects.update(checked_at=None)
    assert verdict(feed).reasons[0][0] == "off"


def test_a_run_that_waits_for_a_decision_is_counted():
    feed = new_feed()
    harvest_records(feed, make_records(40))
    run = harvest_records(feed, make_records(10))
    assert deletion_decisions.awaits_decision(run)
    status = verdict(feed)
    assert (status.colour, status.decisions) == ("amber", 1)


def test_a_paused_provider_is_grey_even_after_failures():
    feed = new_feed()
    lifecycle.fail(begin_run(feed), "http.404", {"permanent": 1})
    Repository.objects.update(state="paused")
    status = verdict(feed)
    assert (status.colour, status.next_at) == ("grey", None)


def test_gaps_are_a_reason():
    feed = new_feed()
    run = harvest_records(feed, make_records(1))
    DateWindow.objects.create(feed=feed, harvest=run, state="gap", from_date="2026-01-01", code="http.500")
    assert verdict(feed).reasons == [["gaps", {"gaps": 1}]]


def test_an_unchanged_verdict_keeps_its_beginning():
    feed = new_feed()
    harvest_records(feed, make_records(1))
    since = verdict(feed).since
    HealthStatus.objects.update(checked_at=None)
    assert verdict(feed).since == since
    assert verdicts.renew_some() == 0


def test_the_queries_do_not_grow_with_the_providers(django_assert_max_num_queries):
    for _number in range(12):
        harvest_records(new_feed(), [live("b1")])
    with django_assert_max_num_queries(16):
        assert verdicts.renew_some() == 12


def test_the_changes_of_state_of_a_run_are_stored():
    feed = new_feed()
    run = create_harvest(feed, asked_by="taro")
    lifecycle.pause(run)
    lifecycle.resume(run)
    assert lifecycle.claim(run)
    lifecycle.fail(run, "http.404", {"permanent": 1})
    events = list(HarvestEvent.objects.values_list("state", "code"))
    assert events == [("queued", ""), ("paused", "run.paused"), ("queued", ""), ("running", ""), ("failed", "http.404")]
    assert run.asked_by == "taro"


def test_records_are_counted_after_a_change_but_not_more_than_hourly():
    feed = new_feed()
    harvest_records(feed, make_records(4))
    assert verdict(feed).uncounted
    assert daily_counts.count_due() == 1
    day = DailyCount.objects.get()
    assert (day.records, day.received, day.created, day.deleted) == (4, 4, 4, 0)
    assert (verdict(feed).records, daily_counts.is_due()) == (4, False)
    harvest_records(feed, make_records(3))
    assert not verdict(feed).uncounted
    DailyCount.objects.update(counted_at=timezone.now() - timedelta(hours=2))
    HealthStatus.objects.update(checked_at=None)
    assert verdict(feed).uncounted
    daily_counts.count_due()
    assert DailyCount.objects.get().deleted == 1


def test_a_share_of_records_with_issues_is_a_share_of_all_that_were_received():
    feed = new_feed()
    harvest_records(feed, [live(f"bad{number}", title="") for number in range(15)] + make_records(10))
    day = daily_counts.count(feed.repository_id, timezone.now())
    assert (day.records, day.unregistered) == (10, 15)
    assert day.with_issues >= 15
    row = verdict(feed)
    assert row.share == day.share == day.with_issues / 25


def test_fewer_records_than_four_weeks_ago_are_noticed():
    feed = new_feed()
    harvest_records(feed, make_records(3))
    old = timezone.localdate() - timedelta(days=30)
    DailyCount.objects.create(repository=feed.repository, day=old, records=40, counted_at=timezone.now())
    daily_counts.count(feed.repository_id, timezone.now())
    assert verdict(feed).reasons == [["halved", {"records": 3, "before": 40}]]


def test_only_the_issues_of_the_day_are_read_to_count_them():
    feed = new_feed()
    harvest_records(feed, [live("bad", title="")])
    day = timezone.localdate()
    plan = plan_of(lambda: daily_counts._issue_changes(feed.repository_id, day), "harvesting_recordissue")
    assert "issue_found" in plan


def test_old_daily_counts_are_deleted():
    feed = new_feed()
    now = timezone.now()
    for days in (1, 900):
        day = timezone.localdate() - timedelta(days=days)
        DailyCount.objects.create(repository=feed.repository, day=day, counted_at=now)
    assert daily_counts.forget(now) == 1
