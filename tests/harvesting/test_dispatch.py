"""What is due, what waits, what is given up; and, where a queue is named, that a worker carries it out."""

import os
from datetime import timedelta

import django_rq
import pytest
from django.core.management import call_command
from django.utils import timezone
from rq import Queue, SimpleWorker

from harvesting.dispatch import due_feeds, enqueue_waiting, give_up, schedule, waiting_harvests
from harvesting.harvest import MAX_ATTEMPTS, create_harvest
from harvesting.models import Feed, Harvest, Repository
from harvesting.registration import register

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def feed() -> Feed:
    made = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl", every_hours=24)
    register(Repository(name="館", state="live"), [made])
    return made


def began(run: Harvest, ago: timedelta) -> None:
    Harvest.objects.filter(pk=run.pk).update(queued_at=timezone.now() - ago, state="succeeded")


def test_a_new_feed_is_due_at_once(feed):
    assert list(due_feeds()) == [feed]
    assert schedule() == 1
    assert schedule() == 0


def test_a_feed_is_due_again_after_its_interval(feed):
    began(create_harvest(feed), 23 * HOUR)
    assert not list(due_feeds())
    Harvest.objects.update(queued_at=timezone.now() - 25 * HOUR)
    assert list(due_feeds()) == [feed]


@pytest.mark.parametrize("change", [{"every_hours": 0}, {"repository__state": "stopped"}])
def test_a_feed_that_rests_is_never_due(feed, change):
    if "every_hours" in change:
        Feed.objects.update(**change)
    else:
        Repository.objects.update(state="stopped")
    assert not list(due_feeds())


@pytest.mark.parametrize(
    ("state", "fields", "waits"),
    [
        ("queued", {}, True),
        ("interrupted", {}, True),
        ("succeeded", {}, False),
        ("paused", {"resume_at": -HOUR}, True),
        ("paused", {"resume_at": HOUR}, False),
        ("running", {"lease_until": HOUR}, False),
        ("running", {"lease_until": -HOUR}, True),
    ],
)
def test_a_run_waits_for_a_worker_unless_one_has_it(feed, state, fields, waits):
    run = create_harvest(feed)
    moments = {name: timezone.now() + offset for name, offset in fields.items()}
    Harvest.objects.filter(pk=run.pk).update(state=state, **moments)
    assert bool(waiting_harvests()) is waits


def test_a_run_that_was_taken_up_too_often_is_given_up_with_a_reason(feed):
    run = create_harvest(feed)
    Harvest.objects.update(attempts=MAX_ATTEMPTS, state="running", lease_until=timezone.now() - HOUR)
    assert give_up() == 1
    run.refresh_from_db()
    assert (run.state, run.code) == ("failed", "run.attempts")


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not os.environ.get("REDIS_URL"), reason="REDIS_URL names no queue")
def test_a_due_feed_is_harvested_and_aggregated_by_a_worker(source, feed_of):
    queue = django_rq.get_queue("default")
    queue.empty()
    feed_of(source)
    Repository.objects.update(state="live")
    call_command("dispatch", once=True, json=True)
    assert enqueue_waiting() == 0  # once is enough
    work(queue)
    run = Harvest.objects.get()
    assert (run.state, run.received) == ("succeeded", 5)
    call_command("dispatch", once=True, json=True)
    work(queue)
    assert run.feed.repository.records.filter(aggregated_at=None).count() == 0


def work(queue: Queue) -> None:
    """A worker in this process that empties the queue and ends."""
    SimpleWorker([queue], connection=queue.connection, serializer=queue.serializer).work(burst=True)
