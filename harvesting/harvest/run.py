"""One run from claim to outcome. The Harvest row is the truth; whoever runs it only holds a lease."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from core.checkpoints import checkpoint
from core.log_context import about
from harvesting.completion import deletion_decisions
from harvesting.completion.sweep import sweep
from harvesting.harvest import record_list
from harvesting.harvest.store import store_batch, take_back_partial
from harvesting.harvest.watchdog import Quiet, Watchdog, never_quiet
from harvesting.issues.counts import take_stock_behind
from harvesting.models import Feed, Harvest
from harvesting.registry.transport import AT_ONCE, BRIEF, PATIENT, transport_for
from harvesting.runs import lifecycle
from harvesting.runs.budgets import BUSY, Spent, asked_for, may_wait
from harvesting.runs.fencing import write_held
from harvesting.transports.patience import Patience
from harvesting.types import Batch, HarvestRequest, Observation, Tally, TransportError

logger = logging.getLogger(__name__)

DAY = "YYYY-MM-DD"
LONGEST_SKEW = timedelta(minutes=10)
# Identify may be broken where the list is not; these say that the list cannot be had either, or should not now.
NO_LIST_EITHER = BUSY | {"net.connect", "net.dns", "net.tls", "net.refused_address", "net.bad_url", "net.host_busy"}
WAITED = "run.waited"  # the notice that counts the pauses which nobody asked for
Progress = Callable[[Harvest, Counter[str]], None]


def no_progress(harvest: Harvest, outcomes: Counter[str]) -> None:
    """For runs that nobody watches."""


def create_harvest(
    feed: Feed,
    *,
    full: bool = False,
    from_date: str = "",
    until_date: str = "",
    identifier: str = "",
    asked_by: str = "",
) -> Harvest:
    """Queue a run. asked_by: a person's name, "" = the schedule.

    Raises TransportError "run.active" when the feed has a run that is not finished, "run.unapproved" where staff have
    not agreed to the repository yet.
    """
    if not feed.repository.approved:
        raise TransportError("not approved", "run.unapproved", permanent=True)
    kind = Harvest.Kind.INCREMENTAL if feed.watermark else Harvest.Kind.FULL
    if full:
        kind = Harvest.Kind.FULL
    elif identifier:
        kind = Harvest.Kind.RECORD
    elif from_date or until_date:
        kind = Harvest.Kind.WINDOW
    try:
        with transaction.atomic():
            run = Harvest.objects.create(
                feed=feed,
                kind=kind,
                from_date=from_date,
                until_date=until_date,
                identifier=identifier,
                asked_by=asked_by[:150],
            )
            lifecycle.tell(run, Harvest.State.QUEUED)
            return run
    except IntegrityError as error:
        active = feed.harvests.active().first()
        raise TransportError(
            "a run is active", "run.active", permanent=True, harvest=active.pk if active else 0
        ) from error


def take_up(feed: Feed) -> Harvest | None:
    """The feed's unfinished run that may go on now, if there is one."""
    return feed.harvests.filter(lifecycle.free(timezone.now())).first()


def harvest(run: Harvest, progress: Progress = no_progress, quiet: Quiet = never_quiet) -> Harvest:
    """Run a harvest to its end, its pause or its failure. Returns the row as stored.

    quiet: tells until when the feed must not be asked. Whatever the provider does ends in a state with a code;
    only a fault of our own is raised, after being recorded.
    """
    if not lifecycle.claim(run):
        run.refresh_from_db()
        return run
    with about(harvest=run.pk, repository=run.feed.repository.number):
        return _carry_out(run, progress, quiet)


def _carry_out(run: Harvest, progress: Progress, quiet: Quiet) -> Harvest:
    try:
        with Watchdog(run, quiet) as watchdog:
            _run(run, watchdog, progress)
    except TransportError as error:
        _put_aside(run, error)
    except (KeyboardInterrupt, SystemExit):
        with suppress(TransportError):  # another worker has it
            lifecycle.interrupt(run, "run.stopped", attempts=0)
        raise
    except OperationalError as error:  # the disk is full, the database is away: nothing is wrong with the run
        connection.close_if_unusable_or_obsolete()  # one that was ended; what was open in it is rolled back
        with suppress(TransportError):
            lifecycle.wait(run, "run.database", {"reason": str(error)[:200]}, _later(settings.HARVEST_RETRY_WAIT))
        raise
    except Exception as error:
        logger.exception("harvest %s broke", run.pk)
        with suppress(TransportError):
            lifecycle.interrupt(run, "run.internal", {"reason": type(error).__name__})
        raise
    take_stock_behind(run)
    checkpoint("harvest.end")
    return run


def _run(run: Harvest, watchdog: Watchdog, progress: Progress) -> None:
    watchdog.check()
    take_back_partial(run)
    if run.phase == Harvest.Phase.LIST:
        _read_list(run, watchdog, progress)
    if run.phase == Harvest.Phase.SWEEP and run.state == Harvest.State.RUNNING:
        if deletion_decisions.is_confirmed(run):
            _delete_confirmed(run, watchdog, progress)
        else:
            sweep(run)


def _delete_confirmed(run: Harvest, watchdog: Watchdog, progress: Progress) -> None:
    while run.state == Harvest.State.RUNNING:
        watchdog.check()
        progress(run, Counter(deleted=deletion_decisions.carry_on(run)))


def _read_list(run: Harvest, watchdog: Watchdog, progress: Progress) -> None:
    tally = Tally(run.requests, run.repeats)
    try:
        _ask_for_list(run, watchdog, tally, progress)
    except TransportError:
        if (run.requests, run.repeats) != (tally.requests, tally.repeats):
            write_held(run, requests=tally.requests, repeats=tally.repeats)
        raise
    checkpoint("harvest.after_list")
    if run.state == Harvest.State.RUNNING and run.phase == Harvest.Phase.LIST:
        lifecycle.fail(run, "run.no_end")


def _ask_for_list(run: Harvest, watchdog: Watchdog, tally: Tally, progress: Progress) -> None:
    if run.kind != Harvest.Kind.RECORD and not run.resumption_token:
        checkpoint("harvest.before_identify")
        watchdog.asked(lambda: learn(run.feed, replace(BRIEF, sleep=watchdog.sleep, tally=tally)))
        checkpoint("harvest.after_identify")
    if run.kind == Harvest.Kind.INCREMENTAL and not run.from_date:
        run.from_date = from_date(run.feed)
        Harvest.objects.filter(pk=run.pk, fence=run.fence).update(from_date=run.from_date)
    transport = transport_for(run.feed, replace(PATIENT, sleep=watchdog.sleep, tally=tally))
    ask = partial(record_list.batches, transport) if record_list.BETWEEN in run.identifier else transport.batches
    for batch in watchdog.watched(_timed(run, ask(request_of(run)))):
        run.requests, run.repeats = tally.requests, tally.repeats  # stored with the batch
        progress(run, store_batch(run, batch))


def _timed(run: Harvest, batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches, the first with a notice if the provider's clock and ours differ by much."""
    for batch in batches:
        told = (
            run.feed.protocol == Feed.Protocol.OAI_PMH and run.first_response_date is None
        )  # a list's date is no clock
        if told and batch.response_date is not None:
            skew = batch.response_date - timezone.now()
            if abs(skew) > LONGEST_SKEW:
                observation = Observation(code="run.clock_skew", facts={"minutes": round(skew.total_seconds() / 60)})
                batch = replace(batch, observations=(*batch.observations, observation))
        yield batch


def learn(feed: Feed, patience: Patience = AT_ONCE) -> None:
    """Granularity and deletion policy, as the provider says now. Identify is optional (guideline 3.1.12).

    Feeds and files say nothing of the kind, and would be fetched once more for it.
    """
    if feed.protocol in {Feed.Protocol.RSS, Feed.Protocol.FILE}:
        return
    try:
        identity = transport_for(feed, patience).identify()
    except TransportError as error:
        if error.code in NO_LIST_EITHER:
            raise
        return
    feed.granularity, feed.deleted_record = identity.granularity[:25], identity.deleted_record[:12]
    feed.save(update_fields=["granularity", "deleted_record"])


def request_of(run: Harvest) -> HarvestRequest:
    """What to ask for, from the row of the run."""
    return HarvestRequest(
        metadata_prefix=run.feed.metadata_prefix,
        set_spec=run.feed.set_spec,
        from_=run.from_date,
        until=run.until_date,
        identifier=run.identifier,
        resumption_token=run.resumption_token,
        full=run.kind == Harvest.Kind.FULL,
        since=lifecycle.moment(run.from_date) if run.from_date else None,
        memory=run.feed.memory,
    )


def from_date(feed: Feed) -> str:
    """`from` of the next incremental run: the watermark less the overlap, in the feed's granularity; "" = all.

    Day granularity overlaps by a whole day, which covers every reading of the day as JST, GMT or UTC
    (guideline 3.1.3 ②). Only OAI-PMH knows granularities; where Identify did not say, days are safe.
    """
    if feed.watermark is None:
        return ""
    by_day = feed.protocol == Feed.Protocol.OAI_PMH and feed.granularity.upper() in {DAY, ""}
    overlap = feed.overlap if feed.overlap is not None else timedelta(days=1) if by_day else timedelta(minutes=1)
    begin = (feed.watermark - overlap).astimezone(UTC)
    return begin.strftime("%Y-%m-%d" if by_day else "%Y-%m-%dT%H:%M:%SZ")


def _put_aside(run: Harvest, error: TransportError) -> None:
    """A run that cannot go on now: by whose wish or fault decides whether it waits or has failed."""
    try:
        _leave(run, error)
        if run.state in Harvest.ACTIVE:
            lifecycle.heed(run)
    except TransportError:  # another worker has it
        run.refresh_from_db()


def _leave(run: Harvest, error: TransportError) -> None:
    facts = {**error.facts, "base_url": run.feed.base_url, "prefix": run.feed.metadata_prefix}
    match error.code:
        case "run.lease_lost":
            raise error
        case "run.cancelled":
            lifecycle.move(run, Harvest.State.CANCELLED, error.code, stop_request=Harvest.StopRequest.NONE)
        case "run.paused":
            lifecycle.move(run, Harvest.State.PAUSED, error.code, attempts=0, stop_request=Harvest.StopRequest.NONE)
        case "run.quiet":
            lifecycle.wait(run, error.code, {}, _later(error.retry_after))
        case _ if may_wait(error, _spent(run)):
            _wait(run, error, facts)
        case _:
            lifecycle.fail(run, error.code, {**facts, "permanent": int(error.permanent)})


def _spent(run: Harvest) -> Spent:
    """As stored: the page that failed may have been rolled back under this object. The fence stays ours."""
    run.refresh_from_db(fields=["pages", "retries", "observations"])
    return Spent(pages=run.pages, in_a_row=run.retries, altogether=run.observations.get(WAITED, {}).get("count", 0))


def _wait(run: Harvest, error: TransportError, facts: dict[str, str | int]) -> None:
    """Put the run aside for a while, against its budget."""
    columns: dict[str, Any] = {"retries": run.retries + 1}
    if not asked_for(error):
        count = run.observations.get(WAITED, {}).get("count", 0) + 1
        columns["observations"] = {**run.observations, WAITED: {"count": count, "facts": {}, "incomplete": False}}
    if error.code == "oai.badResumptionToken":  # it has expired: the list begins again
        columns["resumption_token"] = ""
    lifecycle.wait(run, error.code, facts, _later(error.retry_after or settings.HARVEST_RETRY_WAIT), **columns)


def _later(seconds: float) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)
