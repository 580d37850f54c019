"""The verdict on providers, from rows: what a run leaves behind, renewed in bulk, and figures day by day."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.completion import deletion_decisions
from harvesting.harvest.run import create_harvest
from harvesting.models import DailyCount, DateWindow, HarvestEvent, HealthStatus, Repository
from harvesting.monitoring import daily_counts, verdicts
from harvesting.runs import lifecycle
from tests.harvesting.batches import begin, carry, live, new_feed, shelf

pytestmark = pytest.mark.django_db


def verdict(feed) -> HealthStatus:
    verdicts.renew_some()
    return HealthStatus.objects.get(repository=feed.repository)


def test_a_provider_is_new_then_well_then_failing():
    feed = new_feed()
    assert verdict(feed).colour == "grey"
    carry(feed, shelf(3))
    found = verdict(feed)
    assert (found.colour, found.last_run.received, found.next_at is not None) == ("green", 3, True)
    for _time in range(3):
        lifecycle.fail(begin(feed), "http.500", {"permanent": 0})
    found = verdict(feed)
    assert (found.colour, found.reasons[0][0]) == ("red", "failing")
    assert found.reasons[0][1] == {"failures": 3, "reason": ["http.500", {"permanent": 0}]}


def test_a_run_that_waits_for_a_person_is_counted():
    feed = new_feed()
    carry(feed, shelf(40))
    run = carry(feed, shelf(10))
    assert deletion_decisions.waits(run)
    found = verdict(feed)
    assert (found.colour, found.decisions) == ("amber", 1)


def test_a_paused_provider_is_grey_whatever_happened():
    feed = new_feed()
    lifecycle.fail(begin(feed), "http.404", {"permanent": 1})
    Repository.objects.update(state="paused")
    found = verdict(feed)
    assert (found.colour, found.next_at) == ("grey", None)


def test_gaps_are_told():
    feed = new_feed()
    run = carry(feed, shelf(1))
    DateWindow.objects.create(feed=feed, harvest=run, state="gap", from_date="2026-01-01", code="http.500")
    assert verdict(feed).reasons == [["gaps", {"gaps": 1}]]


def test_what_has_not_changed_is_not_written_again():
    feed = new_feed()
    carry(feed, shelf(1))
    since = verdict(feed).since
    HealthStatus.objects.update(checked_at=None)
    assert verdict(feed).since == since
    assert verdicts.renew_some() == 0


def test_the_queries_do_not_grow_with_the_providers(django_assert_max_num_queries):
    for _number in range(12):
        carry(new_feed(), [live("b1")])
    with django_assert_max_num_queries(16):
        assert verdicts.renew_some() == 12


def test_the_course_of_a_run_is_kept():
    feed = new_feed()
    run = create_harvest(feed, asked_by="taro")
    lifecycle.pause(run)
    lifecycle.resume(run)
    assert lifecycle.claim(run)
    lifecycle.fail(run, "http.404", {"permanent": 1})
    course = list(HarvestEvent.objects.values_list("state", "code"))
    assert course == [("queued", ""), ("paused", "run.paused"), ("queued", ""), ("running", ""), ("failed", "http.404")]
    assert run.asked_by == "taro"


def test_records_are_counted_after_a_change_and_once():
    feed = new_feed()
    carry(feed, shelf(4))
    assert verdict(feed).uncounted
    assert daily_counts.count_due() == 1
    day = DailyCount.objects.get()
    assert (day.records, day.received, day.created, day.deleted) == (4, 4, 4, 0)
    assert (verdict(feed).records, daily_counts.is_due()) == (4, False)
    carry(feed, shelf(3))
    assert not verdict(feed).uncounted
    DailyCount.objects.update(counted_at=timezone.now() - timedelta(hours=2))
    HealthStatus.objects.update(checked_at=None)
    assert verdict(feed).uncounted
    daily_counts.count_due()
    assert DailyCount.objects.get().deleted == 1


def test_fewer_records_than_four_weeks_ago_are_noticed():
    feed = new_feed()
    carry(feed, shelf(3))
    old = timezone.localdate() - timedelta(days=30)
    DailyCount.objects.create(repository=feed.repository, day=old, records=40, counted_at=timezone.now())
    daily_counts.count(feed.repository_id, timezone.now())
    assert verdict(feed).reasons == [["halved", {"records": 3, "before": 40}]]


def test_figures_of_long_ago_are_forgotten():
    feed = new_feed()
    now = timezone.now()
    for days in (1, 900):
        day = timezone.localdate() - timedelta(days=days)
        DailyCount.objects.create(repository=feed.repository, day=day, counted_at=now)
    assert daily_counts.forget(now) == 1
