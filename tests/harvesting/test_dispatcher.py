"""What is due, what waits, what is given up; and, where a queue is named, that a worker carries it out."""

import io
import os
from datetime import timedelta

import django_rq
import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.utils import timezone
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker

from harvesting.dispatcher import due_feeds, enqueue_waiting, give_up, schedule, waiting_harvests
from harvesting.harvest import circuit_breaker
from harvesting.harvest.run import create_harvest
from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.registry import uploads
from harvesting.registry.registration import register
from harvesting.runs.lifecycle import MAX_ATTEMPTS

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def feed() -> Feed:
    made = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl", schedule="daily")
    register(Repository(name="館", state="live"), [made])
    return made


def began(run: Harvest, ago: timedelta, **columns: object) -> None:
    Harvest.objects.filter(pk=run.pk).update(**{"queued_at": timezone.now() - ago, "state": "succeeded", **columns})


def test_a_new_feed_is_due_at_once(feed):
    assert list(due_feeds()) == [feed]
    assert schedule() == 1
    assert schedule() == 0


def test_a_feed_is_due_again_when_its_time_has_come(feed):
    began(create_harvest(feed), timedelta(0))
    assert not list(due_feeds())
    Harvest.objects.update(queued_at=timezone.now() - 25 * HOUR)
    assert list(due_feeds()) == [feed]


def test_a_harvest_of_one_record_puts_nothing_off(feed):
    began(create_harvest(feed), 25 * HOUR)
    began(create_harvest(feed, identifier="oai:a:1"), timedelta(0))
    assert list(due_feeds()) == [feed]


def test_a_run_that_waits_for_a_decision_gives_way_to_the_next(feed):
    waiting = create_harvest(feed)
    began(waiting, 25 * HOUR, state="paused", code="safety.deletions")
    assert schedule() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.code) == ("cancelled", "run.superseded")


@pytest.mark.parametrize("columns", [{"code": "run.paused"}, {"code": "http.503", "resume_at": timezone.now() + HOUR}])
def test_a_run_that_a_person_paused_or_that_goes_on_by_itself_stays(feed, columns):
    began(create_harvest(feed), 25 * HOUR, state="paused", **columns)
    assert schedule() == 0


def test_everything_is_asked_for_again_after_a_week_where_deletions_are_not_kept(feed):
    Feed.objects.update(deleted_record="no", watermark=timezone.now())
    began(create_harvest(feed, full=True), 169 * HOUR, pages=3)
    schedule()
    assert feed.harvests.first().kind == "full"


def test_no_run_is_taken_up_in_quiet_hours(feed):
    clock = timezone.localtime()
    create_harvest(feed)
    Feed.objects.update(quiet_from=(clock - HOUR).time(), quiet_until=(clock + HOUR).time())
    assert not waiting_harvests()


def uploaded(feed: Feed) -> Feed:
    """The feed with a file that came just now, and no schedule."""
    feed.protocol, feed.schedule = "file", "manual"
    feed.base_url = str(uploads.store(SimpleUploadedFile("a.csv", "書名\nこころ".encode())))
    feed.save()
    return feed


@pytest.fixture
def upload(feed, settings, tmp_path) -> Feed:
    settings.DATA_DIR = tmp_path
    return uploaded(feed)


def test_an_uploaded_file_is_harvested_at_once_and_once(upload):
    assert schedule() == 1
    began(upload.harvests.get(), timedelta(0), state="failed")
    assert schedule() == 0
    assert upload.harvests.get().kind == "full"


def test_a_replaced_file_is_harvested_at_once_although_the_schedule_is_by_hand(upload):
    began(create_harvest(upload), HOUR)
    uploaded(upload)
    assert schedule() == 1
    assert upload.harvests.count() == 2


def test_a_file_replaced_during_a_harvest_is_harvested_behind_it(upload):
    run = create_harvest(upload)
    uploaded(upload)
    assert schedule() == 0
    Harvest.objects.filter(pk=run.pk).update(state="succeeded")
    assert schedule() == 1


def test_a_replaced_file_takes_the_place_of_a_question_about_the_earlier_one(upload):
    began(create_harvest(upload), HOUR, state="paused", phase="sweep", code="safety.deletions")
    uploaded(upload)
    assert schedule() == 1
    assert {run.state for run in upload.harvests.all()} == {"cancelled", "queued"}


def test_an_uploaded_file_of_a_stopped_repository_is_left_alone(upload):
    Repository.objects.update(state="stopped")
    assert schedule() == 0


@pytest.mark.parametrize("change", [{"schedule": "manual"}, {"repository__state": "stopped"}])
def test_a_feed_that_rests_is_never_due(feed, change):
    if "schedule" in change:
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


def test_a_resting_feed_is_asked_one_question_when_its_rest_is_over(feed):
    Feed.objects.update(failures=5, rest_until=timezone.now() - HOUR)
    assert list(circuit_breaker.to_be_asked()) == [feed]
    assert not list(circuit_breaker.to_be_asked())  # the question is under way
    assert not list(due_feeds())


def test_what_is_due_is_noted_although_the_queue_is_away(feed, monkeypatch):
    monkeypatch.setattr("django_rq.get_connection", away)
    with pytest.raises(CommandError, match=r"dispatch --work"):
        call_command("dispatch", once=True)
    assert feed.harvests.get().state == "queued"


def away(name: str) -> None:
    raise RedisError("nobody there")


def test_without_a_queue_the_dispatcher_harvests_itself(source, feed_of):
    feed_of(source)
    call_command("dispatch", once=True, work=True, json=True, stdout=io.StringIO())
    assert Harvest.objects.get().state == "succeeded"
    assert not SourceRecord.objects.pending().exists()


def test_a_run_that_was_taken_up_too_often_is_given_up_with_a_reason(feed):
    run = create_harvest(feed)
    Harvest.objects.update(attempts=MAX_ATTEMPTS, state="running", lease_until=timezone.now() - HOUR)
    assert give_up() == 1
    run.refresh_from_db()
    assert (run.state, run.code) == ("failed", "run.attempts")


def test_the_dispatcher_clears_sessions_that_are_over(feed):
    session = SessionStore()
    session.set_expiry(-HOUR)
    session.save()
    call_command("dispatch", once=True, work=True, json=True, stdout=io.StringIO())
    assert not Session.objects.exists()


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
