"""Alarms about feeds and runs that need attention."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from harvesting.models import Feed, Harvest, Repository
from harvesting.monitoring.alarms import alarms, shown_state
from harvesting.registry.registration import register

pytestmark = pytest.mark.django_db


@pytest.fixture
def feed():
    feed = Feed(base_url="https://a.example.jp/oai")
    register(Repository(name="館", state="live"), [feed])
    return feed


def current_alarms() -> list:
    return alarms(Repository.objects.all(), timezone.now())


def test_a_healthy_feed_raises_no_alarm(feed):
    assert current_alarms() == []


def test_a_run_that_waits_for_a_person_comes_first(feed):
    Feed.objects.update(failures=5)
    Harvest.objects.create(feed=feed, kind="full", state="paused", phase="sweep", code="safety.zero", facts={"live": 9})
    first, second = current_alarms()
    assert first.harvest == Harvest.objects.get().pk
    assert "9" in first.sentence
    assert second.feed == feed


def test_a_run_paused_by_a_person_raises_no_alarm(feed):
    Harvest.objects.create(feed=feed, kind="full", state="paused", code="run.paused")
    assert current_alarms() == []


def test_a_silent_feed_raises_an_alarm(feed):
    Feed.objects.update(created=timezone.now() - timedelta(days=365))
    [alarm] = current_alarms()
    assert alarm.feed == feed


def test_alarms_are_limited_to_the_given_repositories(feed):
    Feed.objects.update(failures=5)
    assert alarms(Repository.objects.none(), timezone.now()) == []


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        ({"phase": "sweep", "code": "safety.zero"}, "waiting for a decision"),
        ({"phase": "sweep", "code": "run.paused"}, "paused"),
        ({"phase": "list", "code": "http.503", "resume_at": timezone.now()}, "paused"),
    ],
)
@translation.override("en")
def test_a_run_that_waits_for_a_person_is_not_called_paused(feed, columns, label):
    assert shown_state(Harvest.objects.create(feed=feed, kind="full", state="paused", **columns)) == label


def test_an_alarm_about_a_decision_is_marked(feed):
    Harvest.objects.create(feed=feed, kind="full", state="paused", phase="sweep", code="safety.zero", facts={"live": 9})
    Feed.objects.update(failures=5)
    assert [alarm.decides for alarm in current_alarms()] == [True, False]
