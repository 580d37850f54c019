"""The states of a run and every transition between them; each is refused if another worker holds the run. No network
access.

    queued → running → succeeded | failed | cancelled;  running ⇄ paused;  running → interrupted → running

A run that has ended stays ended. A paused run with `resume_at` resumes by itself, without it waits for a person.
"""

import os
import socket
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from core.checkpoints import checkpoint
from harvesting.models import Feed, Harvest, HarvestEvent, HealthStatus
from harvesting.records import seen
from harvesting.runs import coverage, observations
from harvesting.runs.lease import CLOCK_TOLERANCE, LEASE
from harvesting.types import EMPTY_MAPPING, TransportError

State = Harvest.State
MAX_ATTEMPTS = 5  # claims in a row without a stored page or an orderly end, after which the run fails
MOST_FAILURES = 5  # failed runs in a row, after which a feed is suspended
LONGEST_PAUSE = timedelta(hours=24)  # the longest a run waits for Retry-After or for the end of quiet hours
SHORTEST_REST, LONGEST_REST = timedelta(hours=1), timedelta(hours=24)
REGULAR = (Harvest.Kind.FULL, Harvest.Kind.INCREMENTAL)  # only these move the watermark and count as failures

# For every state, the states from which `move` may enter it. A run enters RUNNING only through `claim`.
PREDECESSORS: dict[Harvest.State, tuple[Harvest.State, ...]] = {
    State.QUEUED: (State.PAUSED, State.INTERRUPTED),
    State.PAUSED: (State.RUNNING, State.QUEUED, State.INTERRUPTED, State.PAUSED),
    State.INTERRUPTED: (State.RUNNING,),
    State.SUCCEEDED: (State.RUNNING, State.PAUSED),
    State.FAILED: tuple(Harvest.ACTIVE),
    State.CANCELLED: tuple(Harvest.ACTIVE),
}


def claimable(now: datetime) -> Q:
    """The runs that a worker may claim: they wait, their pause is over, or the lease of their worker has expired."""
    return (
        Q(state__in=[State.QUEUED, State.INTERRUPTED])
        | (Q(state=State.PAUSED) & is_over("resume_at", now, LONGEST_PAUSE))
        | (Q(state=State.RUNNING) & (Q(lease_until=None) | is_over("lease_until", now, LEASE)))
    )


def is_over(column: str, now: datetime, longest: timedelta) -> Q:
    """Whether the moment in a column has come. A moment farther ahead than `longest` counts as over.

    Such a moment was set by a clock that was fast; waiting for it would hold up the run for as long.
    """
    return Q(**{f"{column}__lte": now}) | Q(**{f"{column}__gt": now + longest + CLOCK_TOLERANCE})


def claim(run: Harvest) -> bool:
    """Claim the run for this worker. Return False if another worker has it or it must wait.

    A run that was claimed MAX_ATTEMPTS times without progress fails instead.
    """
    now = timezone.now()
    if run.attempts >= MAX_ATTEMPTS and Harvest.objects.filter(claimable(now), pk=run.pk, fence=run.fence).exists():
        fail(run, "run.attempts", {"attempts": MAX_ATTEMPTS})
        return False
    checkpoint("claim.before")
    fence = run.fence + 1
    with transaction.atomic():
        claimed = Harvest.objects.filter(claimable(now), pk=run.pk, fence=run.fence).update(
            state=State.RUNNING,
            fence=fence,
            attempts=F("attempts") + 1,
            owner=f"{socket.gethostname()[:80]}:{os.getpid()}",
            lease_until=now + LEASE,
            started_at=run.started_at or now,
            progressed_at=now,
            resume_at=None,
            code="",
            facts={},
        )
        if claimed:
            record_event(run, State.RUNNING)
    checkpoint("claim.after")
    if not claimed:
        return False
    run.refresh_from_db(from_queryset=Harvest.objects.select_related("feed__repository"))
    run.seen = None
    return run.fence == fence  # False if this process slept so long that another worker has claimed the run since


def move(
    run: Harvest, state: Harvest.State, code: str = "", facts: Mapping[str, str | int] = EMPTY_MAPPING, **columns: Any
) -> None:
    """Move the run to another state; every transition except `claim` goes through here.

    columns: further columns to set. Raises TransportError "run.lease_lost" if another worker holds the run or the
    transition is not allowed.
    """
    checkpoint("move.before")
    values: dict[str, Any] = {
        "state": state,
        "code": code,
        "facts": dict(facts),
        "resume_at": None,
        "lease_until": None,
        "owner": "",
        "finished_at": None if state in Harvest.ACTIVE else timezone.now(),
        **columns,
    }
    movable = Harvest.objects.filter(pk=run.pk, fence=run.fence, state__in=PREDECESSORS[state])
    with transaction.atomic():
        if movable.update(**values) != 1:
            raise lease_lost()
        record_event(run, state, code, facts)
    for name, value in values.items():
        setattr(run, name, value)
    checkpoint("move.after")


def record_event(
    run: Harvest, state: Harvest.State, code: str = "", facts: Mapping[str, str | int] = EMPTY_MAPPING
) -> None:
    """Record a change of state in the run's history, inside the transaction that makes it.

    Also marks the health of the provider as out of date.
    """
    HarvestEvent.objects.create(harvest_id=run.pk, at=timezone.now(), state=state, code=code, facts=dict(facts))
    HealthStatus.objects.filter(repository__feeds=run.feed_id).update(checked_at=None)


def record_queued(runs: Sequence[Harvest]) -> None:
    """Record for these new runs what `record_event` does for one. The number of statements does not grow with them.

    The rows of providers are locked in the order of their ids, so that two dispatchers cannot deadlock.
    """
    now = timezone.now()
    HarvestEvent.objects.bulk_create(HarvestEvent(harvest=run, at=now, state=State.QUEUED) for run in runs)
    feeds = Feed.objects.filter(pk__in=[run.feed_id for run in runs])
    judged = HealthStatus.objects.filter(repository__in=feeds.values("repository")).order_by("pk")
    pks = list(judged.select_for_update(of=("self",)).values_list("pk", flat=True))
    HealthStatus.objects.filter(pk__in=pks).update(checked_at=None)


def lease_lost() -> TransportError:
    """The error for a worker that does not hold the run any more and must not write anything."""
    return TransportError("another worker holds this run", "run.lease_lost", permanent=True)


def succeed(run: Harvest) -> None:
    """End a run as succeeded, inside the transaction of its last page.

    A regular run passes its memory on to the feed, and moves the watermark if its list leaves no gap after the old one.
    """
    with transaction.atomic():
        move(run, State.SUCCEEDED, observations=observations.reported(run.observations))
        coverage.record_success(run)
        checkpoint("succeed.before_watermark")
        feed = Feed.objects.select_for_update(of=("self",)).get(pk=run.feed_id)
        columns: dict[str, Any] = {"failures": 0, "rest_until": None}
        if run.kind in REGULAR:
            seen.forget(run)
            columns["memory"] = {**feed.memory, **run.memory}
            if connects_to_watermark(run.from_date, feed.watermark):
                columns["watermark"] = watermark(run)
        Feed.objects.filter(pk=feed.pk).update(**columns)
        checkpoint("succeed.after_watermark")
    for name, value in columns.items():
        setattr(run.feed, name, value)


def watermark(run: Harvest) -> datetime:
    """Up to when a finished run has received all changes: the provider's clock in its first response, or our clock at
    the start of the run, whichever is earlier.

    The end of the run, or the latest datestamp of its records, would be too late: changes made during the run would be
    missed.
    """
    started = run.started_at or timezone.now()
    return min(run.first_response_date or started, started)


def connects_to_watermark(from_date: str, feed_watermark: datetime | None) -> bool:
    """Whether a list from this datestamp on leaves no gap after the feed's watermark."""
    if not from_date:
        return True
    return feed_watermark is not None and parse_datestamp(from_date) <= feed_watermark


def parse_datestamp(datestamp: str) -> datetime:
    """The instant of a datestamp that this program has written; for a day, its first second."""
    pattern = "%Y-%m-%d" if len(datestamp) == 10 else "%Y-%m-%dT%H:%M:%SZ"
    return datetime.strptime(datestamp, pattern).replace(tzinfo=UTC)


def fail(run: Harvest, code: str, facts: Mapping[str, str | int] = EMPTY_MAPPING) -> None:
    """End a run as failed. After MOST_FAILURES failed regular runs in a row the feed is suspended, for longer after
    each further failure.
    """
    with transaction.atomic():
        move(run, State.FAILED, code, facts)
        checkpoint("fail.before_count")
        if run.kind in REGULAR:
            count_failure(run.feed)


def count_failure(feed: Feed) -> None:
    """Count one more failure in a row, of a run or of a probe, and suspend the feed if there were too many.

    Where the provider sends its records itself, there is no server to spare.
    """
    Feed.objects.filter(pk=feed.pk).update(failures=F("failures") + 1)
    feed.refresh_from_db(fields=["failures"])
    over = feed.failures - MOST_FAILURES
    if over >= 0 and not feed.transport_kind.is_pushed:
        feed.rest_until = timezone.now() + min(SHORTEST_REST * 2 ** min(over, 10), LONGEST_REST)
        Feed.objects.filter(pk=feed.pk).update(rest_until=feed.rest_until)


def wait(run: Harvest, code: str, facts: Mapping[str, str | int], resume_at: datetime, **columns: Any) -> None:
    """Pause a run until `resume_at`. The pause occupies no worker."""
    move(run, State.PAUSED, code, facts, resume_at=resume_at, attempts=0, **columns)


def wait_for_person(run: Harvest, code: str, facts: Mapping[str, str | int] = EMPTY_MAPPING) -> None:
    """Pause a run until a person decides."""
    move(run, State.PAUSED, code, facts, attempts=0)


def interrupt(run: Harvest, code: str, facts: Mapping[str, str | int] = EMPTY_MAPPING, **columns: Any) -> None:
    """Release a run so that the next worker can claim it."""
    move(run, State.INTERRUPTED, code, facts, **columns)


def pause(run: Harvest) -> bool:
    """Pause the run for a person: at once if no worker holds it, else after the page in progress.

    Return False if the run has ended.
    """
    return _request_stop(run, State.PAUSED, Harvest.StopRequest.PAUSE, "run.paused")


def cancel(run: Harvest) -> bool:
    """Cancel the run for a person, like `pause` but permanently. What is stored stays. Return False if it has ended."""
    return _request_stop(run, State.CANCELLED, Harvest.StopRequest.CANCEL, "run.cancelled")


def resume(run: Harvest) -> bool:
    """End a person's pause, or withdraw a request to pause. Return False if the run is not paused."""
    Harvest.objects.filter(pk=run.pk, stop_request=Harvest.StopRequest.PAUSE).update(
        stop_request=Harvest.StopRequest.NONE
    )
    run.refresh_from_db()
    if run.state != State.PAUSED:
        return False
    move(run, State.QUEUED, stop_request=Harvest.StopRequest.NONE, retries=0)
    return True


def apply_stop_request(run: Harvest) -> None:
    """Carry out a stop request that came after the worker last checked for one."""
    run.refresh_from_db()
    if run.stop_request == Harvest.StopRequest.CANCEL:
        cancel(run)
    elif run.stop_request == Harvest.StopRequest.PAUSE:
        pause(run)


def may_be_superseded(run: Harvest) -> bool:
    """Whether a new run may replace the run: it waits for a person, but was not paused by one."""
    return run.state == State.PAUSED and run.resume_at is None and run.code != "run.paused"


def supersede(feed: Feed) -> None:
    """Cancel the feed's run that no worker holds, because a new run takes its place. What it stored stays."""
    not_running = claimable(timezone.now()) | Q(state=State.PAUSED)
    for run in feed.harvests.filter(not_running):
        move(run, State.CANCELLED, "run.superseded", stop_request=Harvest.StopRequest.NONE)


def _request_stop(run: Harvest, state: Harvest.State, stop_request: Harvest.StopRequest, code: str) -> bool:
    not_running = claimable(timezone.now()) | Q(state=State.PAUSED)
    waiting = Harvest.objects.filter(not_running, pk=run.pk).first()
    if waiting:
        move(waiting, state, code, stop_request=Harvest.StopRequest.NONE)
    else:
        requested = Harvest.objects.filter(pk=run.pk, state=State.RUNNING).update(stop_request=stop_request)
        if not requested:
            run.refresh_from_db()
            return False
    run.refresh_from_db()
    return True
