"""The dispatcher: which feeds are due, which runs wait, which are given up; with Redis, that a worker runs them."""

import io
import os
from contextlib import nullcontext
from datetime import timedelta
from types import SimpleNamespace

import django_rq
import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker

from aggregator.jobs import AggregatorJob
from aggregator.management.commands import dispatch
from aggregator.models import Manifestation, Provided
from harvesting import dispatcher
from harvesting.dispatcher import due_feeds, fail_exhausted_runs, queue_due_runs, waiting_harvests
from harvesting.harvest import circuit_breaker
from harvesting.harvest.run import create_harvest
from harvesting.jobs import HARVESTS
from harvesting.models import Feed, Harvest, HarvestEvent, HealthStatus, Repository, SourceRecord
from harvesting.monitoring.verdicts import renew
from harvesting.registry import uploads
from harvesting.registry.registration import register
from harvesting.runs.lifecycle import MAX_ATTEMPTS

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def feed() -> Feed:
    new_feed = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl", schedule="daily")
    register(Repository(name="館", state="live"), [new_feed])
    return new_feed


def set_queued_ago(run: Harvest, ago: timedelta, **columns: object) -> None:
    Harvest.objects.filter(pk=run.pk).update(**{"queued_at": timezone.now() - ago, "state": "succeeded", **columns})


def test_a_new_feed_is_due_at_once(feed):
    assert list(due_feeds()) == [feed]
    assert queue_due_runs() == 1
    assert queue_due_runs() == 0


def test_a_feed_is_due_again_when_its_time_has_come(feed):
    set_queued_ago(create_harvest(feed), timedelta(0))
    assert not list(due_feeds())
    Harvest.objects.update(queued_at=timezone.now() - 25 * HOUR)
    assert list(due_feeds()) == [feed]


def test_a_harvest_of_one_record_does_not_delay_the_next_harvest(feed):
    set_queued_ago(create_harvest(feed), 25 * HOUR)
    set_queued_ago(create_harvest(feed, identifier="oai:a:1"), timedelta(0))
    assert list(due_feeds()) == [feed]


def test_a_run_that_waits_for_a_decision_is_superseded_by_the_next(feed):
    waiting = create_harvest(feed)
    set_queued_ago(waiting, 25 * HOUR, state="paused", code="safety.deletions")
    assert queue_due_runs() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.code) == ("cancelled", "run.superseded")


@pytest.mark.parametrize("columns", [{"code": "run.paused"}, {"code": "http.503", "resume_at": timezone.now() + HOUR}])
def test_a_paused_run_that_a_person_or_a_timer_resumes_is_not_superseded(feed, columns):
    set_queued_ago(create_harvest(feed), 25 * HOUR, state="paused", **columns)
    assert queue_due_runs() == 0


def test_a_full_harvest_is_due_weekly_where_deletions_are_not_reported(feed):
    Feed.objects.update(deleted_record="no", watermark=timezone.now())
    set_queued_ago(create_harvest(feed, full=True), 169 * HOUR, pages=3)
    queue_due_runs()
    assert feed.harvests.first().kind == "full"


def test_no_run_starts_in_quiet_hours(feed):
    clock = timezone.localtime()
    create_harvest(feed)
    Feed.objects.update(quiet_from=(clock - HOUR).time(), quiet_until=(clock + HOUR).time())
    assert not waiting_harvests()


def upload_file(feed: Feed) -> Feed:
    """Turn the feed into one with a file uploaded just now and no schedule."""
    feed.protocol, feed.schedule = "file", "manual"
    feed.base_url = uploads.store(SimpleUploadedFile("a.csv", "書名\nこころ".encode()))
    feed.save()
    return feed


@pytest.fixture
def upload(feed, settings, tmp_path) -> Feed:
    settings.DATA_DIR = tmp_path
    return upload_file(feed)


def test_an_uploaded_file_is_harvested_at_once_and_only_once(upload):
    assert queue_due_runs() == 1
    set_queued_ago(upload.harvests.get(), timedelta(0), state="failed")
    assert queue_due_runs() == 0
    assert upload.harvests.get().kind == "full"


def test_a_replaced_file_is_harvested_at_once_despite_a_manual_schedule(upload):
    set_queued_ago(create_harvest(upload), HOUR)
    upload_file(upload)
    assert queue_due_runs() == 1
    assert upload.harvests.count() == 2


def test_a_file_replaced_during_a_harvest_is_harvested_afterwards(upload):
    run = create_harvest(upload)
    upload_file(upload)
    assert queue_due_runs() == 0
    Harvest.objects.filter(pk=run.pk).update(state="succeeded")
    assert queue_due_runs() == 1


def test_a_replaced_file_supersedes_a_run_that_waits_for_a_decision(upload):
    set_queued_ago(create_harvest(upload), HOUR, state="paused", phase="sweep", code="safety.deletions")
    upload_file(upload)
    assert queue_due_runs() == 1
    assert {run.state for run in upload.harvests.all()} == {"cancelled", "queued"}


def test_an_uploaded_file_of_a_stopped_repository_is_not_harvested(upload):
    Repository.objects.update(state="stopped")
    assert queue_due_runs() == 0


@pytest.mark.parametrize("change", [{"schedule": "manual"}, {"repository__state": "stopped"}])
def test_a_manual_feed_or_one_of_a_stopped_repository_is_never_due(feed, change):
    if "schedule" in change:
        Feed.objects.update(**change)
    else:
        Repository.objects.update(state="stopped")
    assert not list(due_feeds())


@pytest.mark.parametrize(
    ("state", "fields", "expected"),
    [
        ("queued", {}, True),
        ("interrupted", {}, True),
        ("succeeded", {}, False),
        ("paused", {"resume_at": -HOUR}, True),
        ("paused", {"resume_at": HOUR}, False),
        ("running", {"lease_until": HOUR / 10}, False),
        ("running", {"lease_until": HOUR}, True),  # no worker sets such a lease, unless its clock is ahead
        ("running", {"lease_until": -HOUR}, True),
    ],
)
def test_which_runs_wait_for_a_worker(feed, state, fields, expected):
    run = create_harvest(feed)
    moments = {name: timezone.now() + offset for name, offset in fields.items()}
    Harvest.objects.filter(pk=run.pk).update(state=state, **moments)
    assert bool(waiting_harvests()) is expected


def test_a_feed_suspended_by_a_clock_that_was_ahead_is_probed(feed):
    Feed.objects.update(failures=5, rest_until=timezone.now() + 72 * HOUR)
    assert list(circuit_breaker.feeds_to_probe()) == [feed]


def test_a_suspended_feed_is_probed_once_when_its_waiting_time_is_over(feed):
    Feed.objects.update(failures=5, rest_until=timezone.now() - HOUR)
    assert list(circuit_breaker.feeds_to_probe()) == [feed]
    assert not list(circuit_breaker.feeds_to_probe())  # the probe is under way
    assert not list(due_feeds())


def test_due_harvests_are_recorded_even_if_the_queue_is_unreachable(feed, monkeypatch):
    monkeypatch.setattr("django_rq.get_connection", connect_fails)
    with pytest.raises(CommandError, match=r"dispatch --work"):
        call_command("dispatch", once=True)
    assert feed.harvests.get().state == "queued"


def connect_fails(name: str) -> None:
    raise RedisError("unreachable")


def test_without_a_queue_the_dispatcher_harvests_by_itself(source, feed_of):
    feed_of(source)
    call_command("dispatch", once=True, work=True, json=True, stdout=io.StringIO())
    assert Harvest.objects.get().state == "succeeded"
    assert not SourceRecord.objects.pending().exists()


def test_a_run_that_was_started_too_often_fails_with_a_reason(feed):
    run = create_harvest(feed)
    Harvest.objects.update(attempts=MAX_ATTEMPTS, state="running", lease_until=timezone.now() - HOUR)
    assert fail_exhausted_runs() == 1
    run.refresh_from_db()
    assert (run.state, run.code) == ("failed", "run.attempts")


def test_the_dispatcher_deletes_expired_sessions(feed):
    session = SessionStore()
    session.set_expiry(-HOUR)
    session.save()
    call_command("dispatch", once=True, work=True, json=True, stdout=io.StringIO())
    assert not Session.objects.exists()


def test_after_a_round_that_queued_something_the_dispatcher_soon_looks_again(monkeypatch):
    pauses: list[float] = []
    queued = iter([{"harvests": 1}, {"harvests": 0}])
    stopping = SimpleNamespace(is_set=lambda: len(pauses) == 2, wait=pauses.append)
    monkeypatch.setattr(dispatch, "stop_on_sigterm", lambda: nullcontext(stopping))
    monkeypatch.setattr(dispatch, "calling_subscribers", lambda _stopping: nullcontext())
    monkeypatch.setattr(dispatch, "close_old_connections", lambda: None)
    monkeypatch.setattr(dispatch, "enqueue_due_work", lambda _with_upkeep: next(queued))
    monkeypatch.setattr(dispatch.Command, "check_services", lambda *_arguments: None)
    call_command("dispatch")
    assert pauses == [dispatch.SHORT_PAUSE, dispatch.PAUSE]


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not os.environ.get("REDIS_URL"), reason="REDIS_URL names no queue")
def test_a_due_feed_is_harvested_and_aggregated_by_a_worker(source, feed_of):
    queues = [django_rq.get_queue(name) for name in ("default", "aggregation")]
    for queue in queues:
        queue.empty()
    feed_of(source)
    Repository.objects.update(state="live")
    call_command("dispatch", once=True, json=True)
    assert HARVESTS.enqueue_waiting() == 0  # the run is already in the queue
    run_worker(*queues)
    run = Harvest.objects.get()
    assert (run.state, run.received) == ("succeeded", 5)
    call_command("dispatch", once=True, json=True)
    run_worker(*queues)
    assert run.feed.repository.records.filter(aggregated_at=None).count() == 0
    call_command("dispatch", once=True, json=True)
    run_worker(*queues)
    assert not Manifestation.objects.filter(Q(merge_since__isnull=False) | Q(index_pending=True)).exists()
    assert not Provided.objects.filter(waiting=True).exists()


def run_worker(*queues: Queue) -> None:
    """Run a worker in this process until the queues are empty."""
    connection, serializer = queues[0].connection, queues[0].serializer
    SimpleWorker(queues, connection=connection, serializer=serializer, job_class=AggregatorJob).work(burst=True)


def more_feeds(count: int, **columns: object) -> list[Feed]:
    """Feeds of one more provider, none of which has been harvested."""
    names = (f"set{Feed.objects.count() + number}" for number in range(count))
    feeds = [Feed(base_url="https://b.example.jp/oai", metadata_prefix="dcndl", set_spec=name) for name in names]
    for feed in feeds:
        feed.schedule = "daily"
        for name, value in columns.items():
            setattr(feed, name, value)
    register(Repository(name="館", state="live"), feeds)
    return feeds


def test_the_statements_do_not_grow_with_the_feeds_that_are_due(feed):
    assert queue_due_runs() == 1
    more_feeds(2)
    with CaptureQueriesContext(connection) as few:
        assert queue_due_runs() == 2
    more_feeds(20)
    with CaptureQueriesContext(connection) as many:
        assert queue_due_runs() == 20
    assert len(many) == len(few)
    assert set(HarvestEvent.objects.values_list("harvest", "state")) == {
        (run.pk, "queued") for run in Harvest.objects.all()
    }


def test_runs_queued_together_are_full_where_one_is_due_and_their_providers_are_judged_anew():
    now = timezone.now()
    new, weekly, recent, reports = more_feeds(4, watermark=now, deleted_record="no")
    Feed.objects.filter(pk=reports.pk).update(deleted_record="persistent")
    Feed.objects.filter(pk=new.pk).update(watermark=None)
    for feed, hours in ((weekly, 169), (recent, 100), (reports, 169)):
        set_queued_ago(create_harvest(feed, full=True), hours * HOUR, pages=3)
    renew([new.repository_id])
    assert queue_due_runs() == 4
    kinds = dict(Harvest.objects.active().values_list("feed", "kind"))
    assert kinds == {new.pk: "full", weekly.pk: "full", recent.pk: "incremental", reports.pk: "incremental"}
    assert HealthStatus.objects.get().checked_at is None


def test_a_run_that_another_process_queues_meanwhile_hinders_no_other(monkeypatch):
    feeds = more_feeds(3)
    together = dispatcher.create_regular_runs

    def overtaken(*arguments: object) -> None:
        create_harvest(feeds[1])
        together(*arguments)

    monkeypatch.setattr(dispatcher, "create_regular_runs", overtaken)
    assert queue_due_runs() == 2
    assert set(Harvest.objects.active().values_list("feed", flat=True)) == {feed.pk for feed in feeds}
