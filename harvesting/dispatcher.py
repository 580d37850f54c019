"""What is due goes to the queue. Safe to run any number of times: the database decides, the queue only carries.

Everything but `enqueue_…` needs no queue: what is due is a row before it is a job, and stays one without it.
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
from harvesting.issues.counts import catch_up
from harvesting.joining import application
from harvesting.models import Feed, Harvest
from harvesting.monitoring import daily_counts, events
from harvesting.notifications import composing
from harvesting.registry import uploads
from harvesting.runs.lifecycle import MAX_ATTEMPTS, REGULAR, fail, free, supersede
from harvesting.scheduling.schedule import ASKED, is_due, must_rest, wants_everything
from harvesting.tasks import ask_whether_back, count_records, renew_subscriptions, run_harvest
from harvesting.trials import self_test
from harvesting.types import TransportError


def due_feeds() -> Iterator[Feed]:
    """Feeds of live repositories whose time has come, or whose file has been replaced, whatever their schedule."""
    now = timezone.now()
    by_itself = ~Q(schedule=Feed.Schedule.MANUAL) | Q(protocol=Feed.Protocol.FILE)
    asked = Feed.objects.filter(by_itself, repository__state__in=ASKED, repository__approved=True)
    # One look into the index for each feed; all runs of all feeds are many more.
    newest = Harvest.objects.filter(feed=OuterRef("pk"), kind__in=REGULAR).order_by("-pk").values("pk")[:1]
    feeds = list(asked.select_related("repository").annotate(newest=Subquery(newest)))
    last: dict[int, Harvest] = {}
    for chunk in chunks(feed.newest for feed in feeds if feed.newest):
        last.update((run.feed_id, run) for run in Harvest.objects.filter(pk__in=chunk))
    for feed in feeds:
        if has_new_upload(feed, last.get(feed.pk)) or is_due(feed, last.get(feed.pk), now):
            yield feed


def has_new_upload(feed: Feed, last: Harvest | None) -> bool:
    """Whether a file was uploaded since the last regular run was queued; the file itself tells when."""
    if feed.protocol != Feed.Protocol.FILE:
        return False
    stored = uploads.stored_at(feed.base_url)
    return stored is not None and (last is None or stored > last.queued_at)


def waiting_harvests() -> list[Harvest]:
    """Runs that some worker should take up now."""
    now = timezone.now()
    waiting = Harvest.objects.filter(free(now), attempts__lt=MAX_ATTEMPTS).select_related("feed")
    return [run for run in waiting if not must_rest(run, now)]


def give_up() -> int:
    """Fail the runs that were taken up too often (a run that kills its worker must not kill the next)."""
    given_up = 0
    for run in Harvest.objects.filter(free(timezone.now()), attempts__gte=MAX_ATTEMPTS).select_related("feed"):
        try:
            fail(run, "run.attempts", {"attempts": MAX_ATTEMPTS})
            given_up += 1
        except TransportError:
            continue  # a worker was quicker
    return given_up


def schedule() -> int:
    """Queue a run for each feed that is due; returns how many."""
    checkpoint("dispatch.before_schedule")
    created = sum(_queue(feed) for feed in due_feeds())
    checkpoint("dispatch.after_schedule")
    return created


def _queue(feed: Feed) -> bool:
    """A new run, unless one is under way. One that waits for a decision about deletions gives way to it."""
    active = feed.harvests.active().first()
    if active and not gives_way(active):
        return False
    try:
        with transaction.atomic():
            if active:
                supersede(feed)
            create_harvest(feed, full=uploads.is_upload(feed.base_url) or wants_everything(feed, timezone.now()))
    except TransportError:
        return False  # somebody else was quicker
    return True


def gives_way(run: Harvest) -> bool:
    """Whether a run waits for a person, and not because a person said so."""
    return run.state == Harvest.State.PAUSED and run.resume_at is None and run.code != "run.paused"


def enqueue_waiting() -> int:
    """Put every waiting run into the queue once; returns how many were new there."""
    checkpoint("dispatch.before_enqueue")
    queue = django_rq.get_queue("default")
    queued = jobs.waiting(queue)
    sent = 0
    for run in waiting_harvests():
        name = f"harvest-{run.pk}-{run.fence}"
        if not jobs.is_known(name, queued):
            jobs.put(name, run_harvest, run.pk, queue=queue)
            sent += 1
    return sent


def enqueue_validations() -> int:
    """Self-tests that no queue knows (any more) are queued again; returns how many."""
    waiting = self_test.waiting()
    queued = jobs.waiting(django_rq.get_queue(self_test.QUEUE)) if waiting else []
    lost = [each for each in waiting if not jobs.is_known(f"validation-{each.pk}", queued)]
    for each in lost:
        self_test.enqueue(each)
    return len(lost)


def enqueue_questions() -> int:
    """One small question to each resting provider whose rest is over; returns how many."""
    queue = django_rq.get_queue("default")
    due = list(circuit_breaker.to_be_asked())
    for feed in due:
        jobs.put(f"question-{feed.pk}", ask_whether_back, feed.pk, queue=queue)
    return len(due)


def upkeep() -> int:
    """What is done now and then: forget what is older than it is kept, count what was missed.

    Returns how many rows were touched.
    """
    now = timezone.now()
    events.silences(now)
    forgotten = (
        composing.forget(now) + prune(now) + self_test.prune(now) + application.prune(now) + daily_counts.forget(now)
    )
    return forgotten + catch_up()


def enqueue_counts() -> int:
    """Repositories that have changed are counted in a job, because it reads all their records; 1, or 0 if none is."""
    return jobs.put_once("count-records", count_records) if daily_counts.is_due() else 0


def enqueue_renewals() -> int:
    """The hubs are asked for what runs out, in a job, because a hub may be slow; 1, or 0 if the job waits already."""
    return jobs.put_once("renew-subscriptions", renew_subscriptions)
