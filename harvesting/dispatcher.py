"""Creates the runs that are due, and says which of them wait for a worker.

Safe to run any number of times, because the database alone says what is to be done. All work is a row before it
becomes a job (see `harvesting.jobs`), so nothing is lost with the queue.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from core import temporary_files
from core.checkpoints import checkpoint
from core.database.batches import chunks
from harvesting.bulk import running
from harvesting.completion.retention import discard_unnamed_uploads, prune
from harvesting.harvest.run import create_harvest, create_regular_runs
from harvesting.issues.counts import count_missed
from harvesting.joining import application
from harvesting.models import Feed, Harvest
from harvesting.models.states import HARVESTED
from harvesting.monitoring import daily_counts, events, site_days
from harvesting.notifications import composing
from harvesting.pushes import folders
from harvesting.pushes import queue as pushes
from harvesting.records import versions
from harvesting.registry import uploads
from harvesting.runs.lifecycle import MAX_ATTEMPTS, REGULAR, claimable, fail, may_be_superseded, supersede
from harvesting.scheduling.schedule import is_due, need_full_runs
from harvesting.scheduling.slots import waiting_runs, with_slots
from harvesting.transports.registry import TRANSPORTS, for_pushes, live_protocols
from harvesting.trials import self_test
from harvesting.types import TransportError


def due_feeds() -> Iterator[Feed]:
    """The feeds of harvested repositories that are due by schedule, or whose uploaded file is new."""
    now = timezone.now()
    of_files = [kind.name for kind in TRANSPORTS.values() if kind.reads_files]
    automatic = ~Q(schedule=Feed.Schedule.MANUAL) | Q(protocol__in=of_files)
    candidates = Feed.objects.filter(automatic, repository__state__in=HARVESTED, repository__approved=True)
    candidates = candidates.exclude(protocol__in=[for_pushes().name, *live_protocols()])
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
    if not feed.transport_kind.reads_files:
        return False
    uploaded = uploads.uploaded_at(feed.base_url)
    return uploaded is not None and (last is None or uploaded > last.queued_at)


def waiting_harvests() -> list[Harvest]:
    """The runs that a worker should claim now: the oldest first, and at a host no more than it has slots."""
    now = timezone.now()
    return list(with_slots(waiting_runs(now), now))


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
    in_order = sorted(due_feeds(), key=attrgetter("pk"))  # so that two dispatchers insert in one order: no deadlock
    created = sum(map(_queue_runs, chunks(in_order)))
    checkpoint("dispatch.after_schedule")
    return created


def _queue_runs(feeds: Sequence[Feed]) -> int:
    """Queue a run for each of these feeds that has none, or one that may be superseded. Return how many."""
    active = {run.feed_id: run for run in Harvest.objects.active().filter(feed__in=feeds)}
    idle = [feed for feed in feeds if feed.pk not in active]
    superseded = [feed for feed in feeds if feed.pk in active and may_be_superseded(active[feed.pk])]
    return _queue_idle(idle) + sum(map(_queue_run, superseded))


def _queue_idle(feeds: Sequence[Feed]) -> int:
    """Queue a run for each of these feeds, which had no active one a moment ago. Return how many."""
    if not feeds:
        return 0
    try:
        create_regular_runs(feeds, _with_full_runs(feeds))
    except IntegrityError:  # another process queued a run for one of them, or deleted it, in the meantime
        return sum(map(_queue_run, feeds))
    return len(feeds)


def _with_full_runs(feeds: Sequence[Feed]) -> set[int]:
    """Ids of those of the feeds whose next run reads the complete list."""
    return {feed.pk for feed in feeds if uploads.is_upload(feed.base_url)} | need_full_runs(feeds, timezone.now())


def _queue_run(feed: Feed) -> bool:
    """Queue a run unless the feed has an active one that may not be superseded. Return whether a run was queued."""
    active = feed.harvests.active().first()
    if active and not may_be_superseded(active):
        return False
    try:
        with transaction.atomic():
            if active:
                supersede(feed)
            create_harvest(feed, full=bool(_with_full_runs([feed])))
    except TransportError:
        return False  # another process queued a run, or claimed the active one, first
    return True


def take_pushes() -> int:
    """Take files from the folders of providers, and queue runs for what was pushed; return how many runs."""
    folders.collect()
    pushes.settle_ended()
    return pushes.start_waiting()


def upkeep() -> int:
    """Occasional maintenance: record silent feeds as events, delete what is past its retention and files that
    killed processes left, make up for missed issue counts.

    Returns how many rows were affected.
    """
    now = timezone.now()
    events.record_silences(now)
    site_days.store(timezone.localdate(now))
    temporary_files.sweep()
    forgotten = (
        composing.forget(now) + prune(now) + self_test.prune(now) + application.prune(now) + daily_counts.forget(now)
    )
    forgotten += running.forget(now) + versions.forget_old(now) + pushes.forget(now)
    forgotten += discard_unnamed_uploads(now)
    return forgotten + count_missed()
