"""The states of a run: every transition, each refused when another worker holds the run. Asks no provider.

    queued → running → succeeded | failed | cancelled;  running ⇄ paused;  running → interrupted → running

What ends stays ended. `paused` with a moment goes on by itself, without one it waits for a person.
"""

import os
import socket
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from core.checkpoints import checkpoint
from harvesting.models import Feed, Harvest, HarvestEvent, HealthStatus
from harvesting.runs import coverage
from harvesting.runs.lease import LEASE
from harvesting.types import NOTHING, TransportError

State = Harvest.State
MAX_ATTEMPTS = 5  # claims in a row that neither stored a page nor ended in order: the run kills its workers
MOST_FAILURES = 5  # runs of a feed in a row; then it rests
SHORTEST_REST, LONGEST_REST = timedelta(hours=1), timedelta(hours=24)
REGULAR = (Harvest.Kind.FULL, Harvest.Kind.INCREMENTAL)  # only these move the watermark and count for the rest

# The states that each state may follow. Running follows only by a claim.
BEFORE: dict[Harvest.State, tuple[Harvest.State, ...]] = {
    State.QUEUED: (State.PAUSED, State.INTERRUPTED),
    State.PAUSED: (State.RUNNING, State.QUEUED, State.INTERRUPTED, State.PAUSED),
    State.INTERRUPTED: (State.RUNNING,),
    State.SUCCEEDED: (State.RUNNING, State.PAUSED),
    State.FAILED: tuple(Harvest.ACTIVE),
    State.CANCELLED: tuple(Harvest.ACTIVE),
}


def free(now: datetime) -> Q:
    """The runs that a worker may take: they wait, their pause is over, or their worker's lease ran out."""
    return (
        Q(state__in=[State.QUEUED, State.INTERRUPTED])
        | Q(state=State.PAUSED, resume_at__lte=now)
        | (Q(state=State.RUNNING) & (Q(lease_until=None) | Q(lease_until__lt=now)))
    )


def claim(run: Harvest) -> bool:
    """Take the run. False if another has it, if it waits, or if it was taken up too often: then it has failed."""
    now = timezone.now()
    if run.attempts >= MAX_ATTEMPTS and Harvest.objects.filter(free(now), pk=run.pk, fence=run.fence).exists():
        fail(run, "run.attempts", {"attempts": MAX_ATTEMPTS})
        return False
    checkpoint("claim.before")
    fence = run.fence + 1
    with transaction.atomic():
        claimed = Harvest.objects.filter(free(now), pk=run.pk, fence=run.fence).update(
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
            tell(run, State.RUNNING)
    checkpoint("claim.after")
    if not claimed:
        return False
    run.refresh_from_db(from_queryset=Harvest.objects.select_related("feed__repository"))
    return run.fence == fence  # else we slept so long that another has claimed it: that fence is not ours


def move(
    run: Harvest, state: Harvest.State, code: str = "", facts: Mapping[str, str | int] = NOTHING, **columns: Any
) -> None:
    """The only way from one state to another but a claim. TransportError "run.lease_lost" if it may not be."""
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
    held = Harvest.objects.filter(pk=run.pk, fence=run.fence, state__in=BEFORE[state])
    with transaction.atomic():
        if held.update(**values) != 1:
            raise lost()
        tell(run, state, code, facts)
    for name, value in values.items():
        setattr(run, name, value)
    checkpoint("move.after")


def tell(run: Harvest, state: Harvest.State, code: str = "", facts: Mapping[str, str | int] = NOTHING) -> None:
    """Write a change of state into the course of the run, inside its transaction.

    The standing of its provider is looked at again soon.
    """
    HarvestEvent.objects.create(harvest_id=run.pk, at=timezone.now(), state=state, code=code, facts=dict(facts))
    HealthStatus.objects.filter(repository__feeds=run.feed_id).update(checked_at=None)


def lost() -> TransportError:
    """The run is not ours any more: nothing of ours may be written."""
    return TransportError("another worker holds this run", "run.lease_lost", permanent=True)


def succeed(run: Harvest) -> None:
    """End a finished run, inside the transaction of its last page. Moves the watermark of a regular one."""
    with transaction.atomic():
        move(run, State.SUCCEEDED)
        coverage.cover(run)
        checkpoint("succeed.before_watermark")
        feed = Feed.objects.select_for_update(of=("self",)).get(pk=run.feed_id)
        columns: dict[str, Any] = {"failures": 0, "rest_until": None}
        if run.kind in REGULAR:
            columns["memory"] = {**feed.memory, **run.memory}
            if reaches(run.from_date, feed.watermark):
                columns["watermark"] = watermark(run)
        Feed.objects.filter(pk=feed.pk).update(**columns)
        checkpoint("succeed.after_watermark")
    for name, value in columns.items():
        setattr(run.feed, name, value)


def watermark(run: Harvest) -> datetime:
    """Up to when a finished run has everything: the provider's clock at the first answer, or ours before it asked.

    Never a moment of the end, and never a date stamp of a record: what changed meanwhile would be missed.
    """
    started = run.started_at or timezone.now()
    return min(run.first_response_date or started, started)


def reaches(from_date: str, mark: datetime | None) -> bool:
    """Whether a list from this date stamp on leaves nothing out behind the watermark."""
    if not from_date:
        return True
    return mark is not None and moment(from_date) <= mark


def moment(datestamp: str) -> datetime:
    """A date stamp of ours as a moment; a day is its first second."""
    form = "%Y-%m-%d" if len(datestamp) == 10 else "%Y-%m-%dT%H:%M:%SZ"
    return datetime.strptime(datestamp, form).replace(tzinfo=UTC)


def fail(run: Harvest, code: str, facts: Mapping[str, str | int] = NOTHING) -> None:
    """End a run that cannot go on. After MOST_FAILURES in a row its feed rests, longer each time."""
    with transaction.atomic():
        move(run, State.FAILED, code, facts)
        checkpoint("fail.before_count")
        if run.kind in REGULAR:
            count_failure(run.feed)


def count_failure(feed: Feed) -> None:
    """One more failure of a feed in a row, by a run or by the question whether it is back."""
    Feed.objects.filter(pk=feed.pk).update(failures=F("failures") + 1)
    feed.refresh_from_db(fields=["failures"])
    over = feed.failures - MOST_FAILURES
    if over >= 0:
        feed.rest_until = timezone.now() + min(SHORTEST_REST * 2 ** min(over, 10), LONGEST_REST)
        Feed.objects.filter(pk=feed.pk).update(rest_until=feed.rest_until)


def wait(run: Harvest, code: str, facts: Mapping[str, str | int], resume_at: datetime, **columns: Any) -> None:
    """Pause a run until a moment. No worker is held meanwhile."""
    move(run, State.PAUSED, code, facts, resume_at=resume_at, attempts=0, **columns)


def wait_for_person(run: Harvest, code: str, facts: Mapping[str, str | int] = NOTHING) -> None:
    """Pause a run until a person decides."""
    move(run, State.PAUSED, code, facts, attempts=0)


def interrupt(run: Harvest, code: str, facts: Mapping[str, str | int] = NOTHING, **columns: Any) -> None:
    """Give a run back, to be taken up by the next worker."""
    move(run, State.INTERRUPTED, code, facts, **columns)


def pause(run: Harvest) -> bool:
    """A person's wish: at once where nobody works, else behind the page under way. False if the run has ended."""
    return _ask(run, State.PAUSED, Harvest.StopRequest.PAUSE, "run.paused")


def cancel(run: Harvest) -> bool:
    """A person's wish, for good. What is stored stays. False if the run has ended."""
    return _ask(run, State.CANCELLED, Harvest.StopRequest.CANCEL, "run.cancelled")


def resume(run: Harvest) -> bool:
    """A person takes back a pause. False if the run does not pause."""
    Harvest.objects.filter(pk=run.pk, stop_request=Harvest.StopRequest.PAUSE).update(
        stop_request=Harvest.StopRequest.NONE
    )
    run.refresh_from_db()
    if run.state != State.PAUSED:
        return False
    move(run, State.QUEUED, stop_request=Harvest.StopRequest.NONE, retries=0)
    return True


def heed(run: Harvest) -> None:
    """Carry out a wish that came while the run was being put aside."""
    run.refresh_from_db()
    if run.stop_request == Harvest.StopRequest.CANCEL:
        cancel(run)
    elif run.stop_request == Harvest.StopRequest.PAUSE:
        pause(run)


def supersede(feed: Feed) -> None:
    """Cancel the feed's run that nobody works at, because another takes its place. What it stored stays."""
    aside = free(timezone.now()) | Q(state=State.PAUSED)
    for run in feed.harvests.filter(aside):
        move(run, State.CANCELLED, "run.superseded", stop_request=Harvest.StopRequest.NONE)


def _ask(run: Harvest, state: Harvest.State, stop_request: Harvest.StopRequest, code: str) -> bool:
    aside = free(timezone.now()) | Q(state=State.PAUSED)
    waiting = Harvest.objects.filter(aside, pk=run.pk).first()
    if waiting:
        move(waiting, state, code, stop_request=Harvest.StopRequest.NONE)
    else:
        asked = Harvest.objects.filter(pk=run.pk, state=State.RUNNING).update(stop_request=stop_request)
        if not asked:
            run.refresh_from_db()
            return False
    run.refresh_from_db()
    return True
