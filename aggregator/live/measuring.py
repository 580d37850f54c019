"""Records the outcome of every request to a live source: its state, daily figures, and the pause of a failing one.

If an outcome cannot be stored, the reader still gets the answer.
"""

import logging
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import MappingProxyType

from django.db import DatabaseError, transaction
from django.utils import timezone

from aggregator.availability.health import pause
from aggregator.models import LiveDay, LiveState

logger = logging.getLogger(__name__)

BOUNDS = (100, 250, 500, 1000, 2000, 3000)  # milliseconds: the upper bounds of the latency classes
KEPT = timedelta(days=400)
LONGEST_FACT = 300
MOST_CODES = 30  # different errors of one day; further ones are counted as "other"
OTHER = "other"

type Facts = Mapping[str, str | int]
NO_FACTS: Facts = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one request ended. seconds: how long it took. code: the error code, "" if the source answered."""

    seconds: float
    code: str = ""
    facts: Facts = NO_FACTS


def note(repository: int, outcome: Outcome) -> None:
    """Store the outcome of a request to a live source. repository: the primary key of its provider."""
    now = timezone.now()
    try:
        with transaction.atomic():
            _note_state(repository, outcome, now)
            _note_day(repository, outcome, timezone.localdate(now))
    except DatabaseError as error:
        logger.warning("request to the catalogue %s not noted: %s", repository, error)


def _note_state(repository: int, outcome: Outcome, now: datetime) -> None:
    state, _new = LiveState.objects.select_for_update().get_or_create(repository_id=repository)
    if not outcome.code:
        state.answered_at, state.failures, state.paused_until = now, 0, None
    else:
        state.failures += 1
        state.failed_at, state.failure = now, outcome.code[:60]
        state.facts = {name: _short(value) for name, value in outcome.facts.items()}
        state.paused_until = pause(state.failures, now)
    state.save()


def _short(value: str | int) -> str | int:
    return value[:LONGEST_FACT] if isinstance(value, str) else value


def _note_day(repository: int, outcome: Outcome, today: date) -> None:
    row, _new = LiveDay.objects.select_for_update().get_or_create(repository_id=repository, day=today)
    row.calls += 1
    row.latency = counted(row.latency, outcome.seconds)
    if outcome.code:
        code = outcome.code[:60] if outcome.code in row.errors or len(row.errors) < MOST_CODES else OTHER
        row.errors = {**row.errors, code: row.errors.get(code, 0) + 1}
    else:
        row.answered += 1
    row.save()


def counted(latency: Sequence[int], seconds: float) -> list[int]:
    """Return the numbers of requests by latency class, with one more request that took so many seconds."""
    counts = [*latency, *[0] * (len(BOUNDS) + 1)][: len(BOUNDS) + 1]
    counts[bisect_left(BOUNDS, seconds * 1000)] += 1
    return counts


def quantile(latency: Sequence[int], share: float) -> int:
    """Return the latency in milliseconds within which this share of the requests ended; 0 if there were no requests.

    It is the upper bound of a latency class; for the last class, which has none, twice the largest bound.
    """
    wanted, reached = share * sum(latency), 0
    for count, bound in zip(latency, (*BOUNDS, 2 * BOUNDS[-1]), strict=False):
        reached += count
        if reached and reached >= wanted:
            return bound
    return 0


def note_check(repository: int, code: str, today: date) -> int:
    """Store the outcome of a daily known-item search. Return on how many days in a row it failed. code: "" = found."""
    with transaction.atomic():
        state, _new = LiveState.objects.select_for_update().get_or_create(repository_id=repository)
        state.checks_failed = state.checks_failed + 1 if code else 0
        state.checked_on, state.check_failure = today, code[:60]
        state.save(update_fields=["checks_failed", "checked_on", "check_failure"])
    return state.checks_failed


def forget(now: datetime) -> int:
    """Delete the daily figures that are older than KEPT. Return how many were deleted."""
    return LiveDay.objects.filter(day__lt=timezone.localdate(now - KEPT)).delete()[0]
