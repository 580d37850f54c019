"""Decides what becomes of a run that cannot continue: it waits, ends or fails, with the code of its error."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from harvesting.models import Harvest
from harvesting.runs import lifecycle
from harvesting.transports.retries import Spent, may_wait, wait_was_requested
from harvesting.types import TransportError

WAITED = "run.waited"  # the observation that counts the pauses which the provider did not request


def put_aside(run: Harvest, error: TransportError) -> None:
    """Pause, cancel or fail a run that cannot continue, then apply a stop request that came in the meantime."""
    try:
        _change_state(run, error)
        if run.state in Harvest.ACTIVE:
            lifecycle.apply_stop_request(run)
    except TransportError:  # another worker has taken the run
        run.refresh_from_db()


def _change_state(run: Harvest, error: TransportError) -> None:
    """Move the run to the state that follows from the error; a temporary error only pauses it, within a budget."""
    facts = {**error.facts, "base_url": run.feed.base_url, "prefix": run.feed.metadata_prefix}
    match error.code:
        case "run.lease_lost":
            raise error
        case "run.cancelled":
            lifecycle.move(run, Harvest.State.CANCELLED, error.code, stop_request=Harvest.StopRequest.NONE)
        case "run.paused":
            lifecycle.move(run, Harvest.State.PAUSED, error.code, attempts=0, stop_request=Harvest.StopRequest.NONE)
        case "run.gave_way":
            lifecycle.interrupt(run, error.code, attempts=0)
        case "run.quiet":
            lifecycle.wait(run, error.code, {}, later(error.retry_after))
        case _ if may_wait(error, _spent(run)):
            _wait(run, error, facts)
        case _:
            lifecycle.fail(run, error.code, {**facts, "permanent": int(error.permanent)})


def _spent(run: Harvest) -> Spent:
    """The part of the retry budget that the run has used.

    Read from the database, because this object may hold values that were rolled back with the page that failed. The
    fence is not read again, so that a worker that has lost the run still notices.
    """
    run.refresh_from_db(fields=["pages", "retries", "observations"])
    return Spent(pages=run.pages, in_a_row=run.retries, altogether=run.observations.get(WAITED, {}).get("count", 0))


def _wait(run: Harvest, error: TransportError, facts: dict[str, str | int]) -> None:
    """Pause the run for the time that the provider named, or the default. The pause counts in the budget of the run."""
    columns: dict[str, Any] = {"retries": run.retries + 1}
    if not wait_was_requested(error):
        count = run.observations.get(WAITED, {}).get("count", 0) + 1
        columns["observations"] = {**run.observations, WAITED: {"count": count, "facts": {}, "incomplete": False}}
    if error.code in run.feed.transport_kind.expired_codes:  # start the list from the beginning
        columns["resumption_token"] = ""
    lifecycle.wait(run, error.code, facts, later(error.retry_after or settings.HARVEST_RETRY_WAIT), **columns)


def later(seconds: float) -> datetime:
    """The time when a run that waits so many seconds may continue."""
    return timezone.now() + timedelta(seconds=seconds)
