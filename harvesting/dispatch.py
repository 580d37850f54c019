"""What is due goes to the queue. Safe to run any number of times: the database decides, the queue only carries."""

from collections.abc import Iterable
from datetime import timedelta

import django_rq
from django.db.models import Q
from django.utils import timezone

from harvesting.harvest import MAX_ATTEMPTS, create_harvest
from harvesting.models import Feed, Harvest, Repository
from harvesting.tasks import run_harvest
from harvesting.transports.base import TransportError

JOB_TIMEOUT = 24 * 60 * 60  # seconds; a run ends by its own rules long before


def due_feeds() -> Iterable[Feed]:
    """Feeds of live repositories whose last run began longer ago than their interval."""
    now = timezone.now()
    feeds = Feed.objects.filter(
        every_hours__gt=0, repository__state__in=[Repository.State.LIVE, Repository.State.TRIAL]
    )
    for feed in feeds.select_related("repository"):
        last = feed.harvests.exclude(kind=Harvest.Kind.RECORD).first()
        if last is None or last.queued_at + timedelta(hours=feed.every_hours) <= now:
            yield feed


def waiting_harvests() -> Iterable[Harvest]:
    """Runs that some worker should take up now."""
    now = timezone.now()
    states = Harvest.State
    waiting = Q(state__in=[states.QUEUED, states.INTERRUPTED])
    waiting |= Q(state=states.PAUSED, resume_at__lte=now) | Q(state=states.RUNNING, lease_until__lt=now)
    return Harvest.objects.filter(waiting, attempts__lt=MAX_ATTEMPTS)


def give_up() -> int:
    """Fail the runs that were taken up too often (a run that kills its worker must not kill the next)."""
    stuck = (
        Harvest.objects.active()
        .filter(attempts__gte=MAX_ATTEMPTS)
        .filter(Q(lease_until=None) | Q(lease_until__lt=timezone.now()))
        .exclude(state=Harvest.State.PAUSED)
    )
    return stuck.update(
        state=Harvest.State.FAILED,
        code="run.attempts",
        facts={"attempts": MAX_ATTEMPTS},
        finished_at=timezone.now(),
        lease_until=None,
    )


def schedule() -> int:
    """Queue a run for each feed that is due; returns how many."""
    created = 0
    for feed in due_feeds():
        try:
            create_harvest(feed)
            created += 1
        except TransportError:
            continue  # it has an active run: that one is enough
    return created


def enqueue_waiting() -> int:
    """Put every waiting run into the queue once; returns how many were new there."""
    queue = django_rq.get_queue("default")
    queued = set(queue.job_ids)
    sent = 0
    for run in waiting_harvests():
        job_id = f"harvest-{run.pk}-{run.fence}"
        if job_id not in queued:
            queue.enqueue(run_harvest, run.pk, job_id=job_id, job_timeout=JOB_TIMEOUT, result_ttl=0)
            sent += 1
    return sent
