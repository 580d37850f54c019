"""What watches and schedules harvests leaves live sources alone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.bulk.base import Portion
from harvesting.bulk.providers import _schedule
from harvesting.completion.guards import silent_feeds
from harvesting.dispatcher import due_feeds
from harvesting.models import Feed, Repository
from harvesting.monitoring import verdicts
from harvesting.monitoring.alarms import alarms
from harvesting.views.harvests.start_form import StartForm

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository():
    """A provider that was registered long ago; even a schedule that somebody has set in the database does nothing."""
    made = Repository.objects.create(number="R900000001", name="見本大学")
    Feed.objects.create(
        repository=made, protocol="live-sru", base_url="https://sru.example.jp/", schedule=Feed.Schedule.HOURLY
    )
    Feed.objects.update(created=timezone.now() - timedelta(days=400))
    return made


def harvested_feed(repository):
    return Feed.objects.create(repository=repository, base_url="https://oai.example.jp/", schedule=Feed.Schedule.HOURLY)


def test_it_is_never_due_nor_silent(repository):
    now = timezone.now()
    assert (list(due_feeds()), list(silent_feeds(now)), alarms(Repository.objects.all(), now)) == ([], [], [])
    other = harvested_feed(repository)
    assert list(due_feeds()) == [other]


def test_its_health_says_that_nothing_is_harvested(repository):
    (status,) = verdicts.judge_now([repository.pk], timezone.now())
    assert (status.colour, status.reasons, status.next_at) == ("grey", [["live", {}]], None)
    harvested_feed(repository)
    (status,) = verdicts.judge_now([repository.pk], timezone.now())
    assert status.reasons == [["new", {}]]


def test_no_harvest_of_it_can_be_started_by_hand(repository):
    assert StartForm(repository).feeds == []
    other = harvested_feed(repository)
    assert StartForm(repository).feeds == [other]


def test_a_schedule_for_many_providers_leaves_it_alone(repository):
    Feed.objects.update(schedule=Feed.Schedule.MANUAL)
    other = harvested_feed(repository)
    _schedule(Portion(bulk=None, person=None, numbers=[repository.pk], parameters={"schedule": "daily"}))
    assert dict(Feed.objects.values_list("pk", "schedule")) == {other.pk: "daily", other.pk - 1: "manual"}
