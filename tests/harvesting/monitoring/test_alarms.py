"""What somebody should look at."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from harvesting.models import Feed, Harvest, Repository
from harvesting.monitoring.alarms import alarms, shown_state
from harvesting.registry.registration import register

pytestmark = pytest.mark.django_db


@pytest.fixture
def feed():
    made = Feed(base_url="https://a.example.jp/oai")
    register(Repository(name="館", state="live"), [made])
    return made


def told() -> list:
    return alarms(Repository.objects.all(), timezone.now())


def test_a_feed_in_order_raises_no_alarm(feed):
    assert told() == []


def test_a_run_that_waits_for_a_person_comes_first(feed):
    Feed.objects.update(failures=5)
    Harvest.objects.create(feed=feed, kind="full", state="paused", phase="sweep", code="safety.zero", facts={"live": 9})
    first, second = told()
    assert first.harvest == Harvest.objects.get().pk
    assert "9" in first.sentence
    assert second.feed == feed


def test_a_pause_by_a_person_is_no_alarm(feed):
    Harvest.objects.create(feed=feed, kind="full", state="paused", code="run.paused")
    assert told() == []


def test_a_feed_that_fell_silent_is_named(feed):
    Feed.objects.update(created=timezone.now() - timedelta(days=365))
    [alarm] = told()
    assert alarm.feed == feed


def test_other_peoples_alarms_are_not_told(feed):
    Feed.objects.update(failures=5)
    assert alarms(Repository.objects.none(), timezone.now()) == []


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"phase": "sweep", "code": "safety.zero"}, "waiting for a decision"),
        ({"phase": "sweep", "code": "run.paused"}, "paused"),
        ({"phase": "list", "code": "http.503", "resume_at": timezone.now()}, "paused"),
    ],
)
@translation.override("en")
def test_a_run_that_waits_for_a_person_is_not_called_paused(feed, columns, said):
    assert shown_state(Harvest.objects.create(feed=feed, kind="full", state="paused", **columns)) == said


def test_an_alarm_about_a_decision_says_so(feed):
    Harvest.objects.create(feed=feed, kind="full", state="paused", phase="sweep", code="safety.zero", facts={"live": 9})
    Feed.objects.update(failures=5)
    assert [each.decides for each in told()] == [True, False]
