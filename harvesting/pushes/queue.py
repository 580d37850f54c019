"""The queue of what was pushed: for each feed one push after the other becomes a run, in the order of arrival.

Safe to call at any time and from several processes: the database allows one unfinished run for each feed.
"""

from datetime import datetime, timedelta

from django.db import transaction

from core.checkpoints import checkpoint
from harvesting.harvest.run import create_pushed_run
from harvesting.models import Feed, Harvest, Push
from harvesting.models.states import HARVESTED
from harvesting.pushes import reports
from harvesting.registry import uploads
from harvesting.runs.lifecycle import may_be_superseded, supersede
from harvesting.types import TransportError

# Places at which tests kill the process
BEFORE_START, AFTER_START, AFTER_REPORT = "pushes.before_start", "pushes.after_start", "pushes.after_report"
KEPT_FOR = timedelta(days=14)  # a report, and with it the key of its request


def start_waiting() -> int:
    """Queue a run for the first waiting push of every feed that has no unfinished run; return how many."""
    waiting = Push.objects.filter(state=Push.State.WAITING).values("feed")
    feeds = Feed.objects.filter(pk__in=waiting, repository__state__in=HARVESTED, repository__approved=True)
    return sum(start_next(feed) is not None for feed in feeds.select_related("repository"))


def start_next(feed: Feed) -> Harvest | None:
    """Queue a run for the first waiting push of a feed; None if there is none, or the feed has an unfinished run.

    A list of all records replaces a run that waits for a person, because it is judged anew. Changes do not: the
    deletions that such a run holds would be lost.
    """
    push = feed.pushes.filter(state=Push.State.WAITING).order_by("pk").first()
    if push is None:
        return None
    active = feed.harvests.active().first()
    if active and not (push.content == Push.Content.WHOLE and may_be_superseded(active)):
        return None
    try:
        with transaction.atomic():
            if active:
                supersede(feed)
            run = create_pushed_run(feed, full=push.content == Push.Content.WHOLE, identifier=push.identifier)
            begun = Push.objects.filter(pk=push.pk, state=Push.State.WAITING)
            if not begun.update(state=Push.State.STARTED, harvest=run):
                raise TransportError("another process was faster", "run.active", permanent=True)
            checkpoint(BEFORE_START)
    except TransportError:
        return None
    checkpoint(AFTER_START)
    return run


def settle_ended() -> int:
    """Store the reports of the pushes whose runs have ended, and delete their files; return how many."""
    started = Push.objects.filter(state=Push.State.STARTED).exclude(harvest__state__in=Harvest.ACTIVE)
    return sum(map(settle, started.select_related("harvest", "feed__repository")))


def settle(push: Push) -> bool:
    """Store the report of a push whose run has ended, and delete its file. Return False if it has not ended."""
    if push.state != Push.State.STARTED or (push.harvest and push.harvest.state in Harvest.ACTIVE):
        return False
    file, push.report = push.file, reports.result_of_push(push)
    push.state, push.file = Push.State.ENDED, ""
    Push.objects.filter(pk=push.pk).update(state=push.state, report=push.report, file="")
    checkpoint(AFTER_REPORT)
    uploads.discard(file)
    return True


def forget(now: datetime) -> int:
    """Delete the pushes that ended before KEPT_FOR; return how many."""
    return Push.objects.filter(state=Push.State.ENDED, received_at__lt=now - KEPT_FOR).delete()[0]
