"""How asking a library has gone: notes answers and failures, and pauses a library that keeps failing.

The notes are for staff and for the pause. If they cannot be stored, questions are answered all the same.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import DatabaseError
from django.db.models import F, Q
from django.utils import timezone

from aggregator.models import AvailabilityAdapter

logger = logging.getLogger(__name__)

MOST_FAILURES = 3  # failures in a row after which the library is paused
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(minutes=30)
NOTED_EVERY = timedelta(minutes=5)  # so that a busy library does not cause a write for every question
LONGEST_FACT = 300

type Facts = Mapping[str, str | int]


class AdapterHealth(StrEnum):
    """How asking a library goes."""

    OFF = "off"
    UNTRIED = "untried"
    ANSWERS = "answers"
    FAILS = "fails"
    PAUSED = "paused"


def adapter_health(row: AvailabilityAdapter, now: datetime) -> AdapterHealth:
    """Return how asking a library goes."""
    if not row.kind:
        return AdapterHealth.OFF
    if row.paused_until is not None and row.paused_until > now:
        return AdapterHealth.PAUSED
    if row.failures:
        return AdapterHealth.FAILS
    return AdapterHealth.ANSWERS if row.answered_at else AdapterHealth.UNTRIED


def paused(now: datetime) -> int:
    """Return how many libraries are paused because they keep failing."""
    return AvailabilityAdapter.objects.in_use().filter(paused_until__gt=now).count()


def is_paused(library: int) -> bool:
    """Whether the library is not to be asked now. One small query."""
    try:
        return AvailabilityAdapter.objects.filter(library=library, paused_until__gt=timezone.now()).exists()
    except DatabaseError as error:
        logger.warning("pause of library %s not read: %s", library, error)
        return False


def note_success(library: int) -> None:
    """Note an answer. It ends a series of failures."""
    now = timezone.now()
    rows = AvailabilityAdapter.objects.filter(library=library)
    due = Q(answered_at=None) | Q(answered_at__lt=now - NOTED_EVERY) | Q(failures__gt=0)
    try:
        if rows.filter(due).exists():
            rows.update(answered_at=now, failures=0, paused_until=None)
    except DatabaseError as error:
        logger.warning("answer of library %s not noted: %s", library, error)


def note_failure(library: int, code: str, facts: Facts) -> None:
    """Note a failure. From the third in a row on, the library is paused, each time for twice as long."""
    now = timezone.now()
    rows = AvailabilityAdapter.objects.filter(library=library)
    short = {name: value[:LONGEST_FACT] if isinstance(value, str) else value for name, value in facts.items()}
    try:
        rows.update(failures=F("failures") + 1, failed_at=now, failure=code[:60], facts=short)
        failures = rows.values_list("failures", flat=True).first() or 0
        if until := pause(failures, now):
            rows.update(paused_until=until)
    except DatabaseError as error:
        logger.warning("failure of library %s not noted: %s", library, error)


def pause(failures: int, now: datetime) -> datetime | None:
    """Return until when a library is not asked after so many failures in a row; None = it is asked."""
    if failures < MOST_FAILURES:
        return None
    doublings = min(failures - MOST_FAILURES, 10)
    return now + min(FIRST_PAUSE * (1 << doublings), LONGEST_PAUSE)
