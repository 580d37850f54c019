"""The dispatcher: creates the runs that are due, and puts waiting work into the job queue.

Safe to run any number of times, because the database alone says what is to be done. All work is a row before it
becomes a job, so nothing is lost with the queue; only the functions `enqueue_…` need the queue.
"""

from collections.abc import Iterator

import django_rq
from django.db import transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from core.checkpoints import checkpoint
from core.database.batches import chunks
from core.work import jobs
from harvesting.completion.deletion_decisions import prune
from harvesting.harvest import circuit_breaker
from harvesting.harvest.run import create_harvest
from harvesting.issues.counts import count_missed
from harvesting.joining import application
from harvesting.models import Feed, Harvest
from harvesting.monitoring import daily_counts, events
from harvesting.notifications import composing
from harvesting.registry import uploads
from harvesting.runs.lifecycle import MAX_ATTEMPTS, REGULAR, claimable, fail, supersede
from harvesting.scheduling.schedule import HARVESTED_STATES, is_due, needs_full_run, waits_until
from harvesting.tasks import ask_whether_back, count_records, renew_subscriptions, run_harvest
from harvesting.trials import self_test
from harvesting.types import TransportError


def due_feeds() -> Iterator[Feed]:
    """The feeds of harvested repositories that are due by schedule, or whose uploaded file is new."""
    now = timezone.now()
    automatic = ~Q(schedule=Feed.Schedule.MANUAL) | Q(protocol=Feed.Protocol.FILE)
    candidates = Feed.objects.filter(automatic, repository__state__in=HARVESTED_STATES, repository__approved=True)
    # One index lookup per feed is cheaper than aggregating the many runs of all feeds.
    newest = Harvest.objects.filter(feed=OuterRef("pk"), kind__in=REGULAR).order_by("-pk").values("pk")[:1]
    feeds = list(candidates.select_related("repository").annotate(newest=Subquery(newest)))
    last: dict[int, Harvest] = {}
    for chunk in chunks(feed.newest for feed in feeds if feed.newest):
        last.update((run.feed_id, run) for run in Harvest.objects.filter(pk__in=chunk))
    for feed in feeds:
        if has_new_upload(feed, last.get(feed.pk)) or is_due(feed, last.get(feed.pk), now):
            yield feed


def has_new_upload(feed: Feed, last: Harvest | None) -> bool:
    """Whether the feed's file was uploaded after its last regular run was queued."""
    if feed.protocol != Feed.Protocol.FILE:
        return False
    uploaded = uploads.uploaded_at(feed.base_url)
    return uploaded is not None and (last is None or uploaded > last.queued_at)


def waiting_harvests() -> list[Harvest]:
    """The runs that a worker should claim now: claimable, and not delayed by quiet hours."""
    now = timezone.now()
    waiting = Harvest.objects.filter(claimable(now), attempts__lt=MAX_ATTEMPTS).select_related("feed")
    return [run for run in waiting if not waits_until(run, now)]


def fail_exhausted_runs() -> int:
    """Fail the runs that were claimed too often, because they may crash their workers; return how many."""
    failed = 0
    for run in Harvest.objects.filter(claimable(timezone.now()), attempts__gte=MAX_ATTEMPTS).select_related("feed"):
        try:
            fail(run, "run.attempts", {"attempts": MAX_ATTEMPTS})
            failed += 1
        except TransportError:
            continue  # a worker claimed the run first
    return failed


def queue_due_runs() -> int:
    """Queue a run for every feed that is due; return how many."""
    checkpoint("dispatch.before_schedule")
    created = sum(_queue_run(feed) for feed in due_feeds())
    checkpoint("dispatch.after_schedule")
    return created


def _queue_run(feed: Feed) -> bool:
    """Queue a run unless the feed has an active one that may not be superseded. Return whether a run was queued."""
    active = feed.harvests.active().first()
    if active and not may_be_superseded(active):
        return False
    try:
        with transaction.atomic():
            if active:
                supersede(feed)
            create_harvest(feed, full=uploads.is_upload(feed.base_url) or needs_full_run(feed, timezone.now()))
    except TransportError:
        return False  # another process queued a run, or claimed the active one, first
    return True


def may_be_superseded(run: Harvest) -> bool:
    """Whether a new run may replace the run: it waits for a person, but was not paused by one."""
    return run.state == Harvest.State.PAUSED and run.resume_at is None and run.code != "run.paused"


def enqueue_waiting() -> int:
    """Put the waiting runs into the queue; return how many were not in it yet."""
    checkpoint("dispatch.before_enqueue")
    queue = django_rq.get_queue("default")
    queued = jobs.queued_ids(queue)
    enqueued = 0
    for run in waiting_harvests():
        name = f"harvest-{run.pk}-{run.fence}"
        if not jobs.has_job(name, queued):
            jobs.enqueue(name, run_harvest, run.pk, queue=queue)
            enqueued += 1
    return enqueued


def enqueue_self_tests() -> int:
    """Put the waiting self-tests that are not in the queue into it; return how many."""
    waiting = self_test.waiting()
    queued = jobs.queued_ids(django_rq.get_queue(self_test.QUEUE)) if waiting else []
    missing = [test for test in waiting if not jobs.has_job(f"validation-{test.pk}", queued)]
    for test in missing:
        self_test.enqueue(test)
    return len(missing)


def enqueue_probes() -> int:
    """Enqueue a probe for every suspended feed whose waiting time is over; return how many."""
    queue = django_rq.get_queue("default")
    due = list(circuit_breaker.feeds_to_probe())
    for feed in due:
        jobs.enqueue(f"question-{feed.pk}", ask_whether_back, feed.pk, queue=queue)
    return len(due)


def upkeep() -> int:
    """Occasional maintenance: record silent feeds as events, delete what is past its retention, make up for missed
    issue counts.

    Returns how many rows were affected.
    """
    now = timezone.now()
    events.record_silences(now)
    forgotten = (
        composing.forget(now) + prune(now) + self_test.prune(now) + application.prune(now) + daily_counts.forget(now)
    )
    return forgotten + count_missed()


def enqueue_counts() -> int:
    """Enqueue the counting of changed repositories, a job of its own because it reads all their records.

    Return 1, or 0 if no count is due or the job is already in the queue.
    """
    return jobs.enqueue_once("count-records", count_records) if daily_counts.is_due() else 0


def enqueue_renewals() -> int:
    """Enqueue the renewal of WebSub subscriptions, a job of its own because hubs may be slow.

    Return 1, or 0 if the job is already in the queue.
    """
    return jobs.enqueue_once("renew-subscriptions", renew_subscriptions)
