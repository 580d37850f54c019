"""Notes of every request to a catalogue: its state, its figures by day, and the pause of one that keeps failing.

The notes are for staff and for the pause. If they cannot be stored, readers are answered all the same.
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

BOUNDS = (100, 250, 500, 1000, 2000, 3000)  # milliseconds: the upper ends of the classes of latency
KEPT = timedelta(days=400)
LONGEST_FACT = 300
MOST_CODES = 30  # different errors of one day; further ones are counted as "other"
OTHER = "other"

type Facts = Mapping[str, str | int]
NO_FACTS: Facts = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one request went. code: "" for an answer, else that of the failure. seconds: from the request to its end."""

    seconds: float
    code: str = ""
    facts: Facts = NO_FACTS


def note(repository: int, outcome: Outcome) -> None:
    """Note the outcome of a request to a catalogue. repository: its primary key."""
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
    """Return the numbers by class of latency with one more."""
    counts = [*latency, *[0] * (len(BOUNDS) + 1)][: len(BOUNDS) + 1]
    counts[bisect_left(BOUNDS, seconds * 1000)] += 1
    return counts


def quantile(latency: Sequence[int], share: float) -> int:
    """Return the upper end in milliseconds of the class in which this share of the requests has ended; 0 = none.

    Of those that took longer than all classes, twice the last bound.
    """
    wanted, reached = share * sum(latency), 0
    for count, bound in zip(latency, (*BOUNDS, 2 * BOUNDS[-1]), strict=False):
        reached += count
        if reached and reached >= wanted:
            return bound
    return 0


def note_check(repository: int, code: str, today: date) -> int:
    """Note the outcome of a known-item search. Return how many have failed in a row, on different days."""
    with transaction.atomic():
        state, _new = LiveState.objects.select_for_update().get_or_create(repository_id=repository)
        state.checks_failed = state.checks_failed + 1 if code else 0
        state.checked_on, state.check_failure = today, code[:60]
        state.save(update_fields=["checks_failed", "checked_on", "check_failure"])
    return state.checks_failed


def forget(now: datetime) -> int:
    """Delete the figures of days that are past their retention. Return how many."""
    return LiveDay.objects.filter(day__lt=timezone.localdate(now - KEPT)).delete()[0]
