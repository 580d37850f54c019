"""Creates harvest runs and executes one run from its claim to its outcome.

The Harvest row is the only authority on the state of a run; the process that executes it merely holds a lease.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, timedelta
from functools import partial

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core.checkpoints import checkpoint
from core.database.outages import LOST
from core.log_context import log_fields
from harvesting.completion import deletion_decisions
from harvesting.completion.sweep import sweep
from harvesting.harvest import record_list
from harvesting.harvest.setbacks import later, put_aside
from harvesting.harvest.store import store_batch, undo_partial_page
from harvesting.harvest.watchdog import GivesWay, QuietUntil, Watchdog, never, no_quiet_hours
from harvesting.issues.counts import count_issues_after
from harvesting.models import Feed, Harvest
from harvesting.records import fingerprints
from harvesting.registry.policies import policy_of
from harvesting.registry.transport import ONE_TRY, PATIENT, pushed_for, transport_for
from harvesting.runs import lifecycle
from harvesting.runs.fencing import write_fenced
from harvesting.transports.retries import BUSY, RetryPolicy
from harvesting.types import Batch, HarvestRequest, Identity, Observation, Tally, TransportError

logger = logging.getLogger(__name__)

DAY = "YYYY-MM-DD"
LONGEST_SKEW = timedelta(minutes=10)
# A provider may answer Identify wrongly and still send its list. After these errors, however, the list cannot be
# fetched either, or should not be requested now.
LIST_UNAVAILABLE_CODES = BUSY | {
    "net.connect",
    "net.dns",
    "net.tls",
    "net.refused_address",
    "net.bad_url",
    "net.host_busy",
}
Progress = Callable[[Harvest, Counter[str]], None]


def no_progress(harvest: Harvest, outcomes: Counter[str]) -> None:
    """The default for `progress`: report nothing."""


def create_harvest(
    feed: Feed,
    *,
    full: bool = False,
    from_date: str = "",
    until_date: str = "",
    identifier: str = "",
    asked_by: str = "",
) -> Harvest:
    """Queue a run. Without a scope it requests the changes since the watermark, or everything without a watermark.

    asked_by: the user name of a person, "" = the schedule.

    Raises TransportError "run.active" if the feed has an unfinished run, "run.unapproved" if staff have not approved
    the repository yet, "run.pushed" if there is nothing to request because the provider sends its records itself,
    "run.live" if the provider is only searched.
    """
    if feed.transport_kind.is_live:
        raise TransportError("a live source", "run.live", permanent=True)
    if feed.transport_kind.is_pushed:
        raise TransportError("the provider sends its records", "run.pushed", permanent=True)
    return _create(
        Harvest(
            feed=feed,
            kind=_kind(feed, full=full, record=bool(identifier), window=bool(from_date or until_date)),
            from_date=from_date,
            until_date=until_date,
            identifier=identifier,
            asked_by=asked_by[:150],
        )
    )


def create_regular_runs(feeds: Sequence[Feed], full: Collection[int]) -> None:
    """Queue the regular run of each of these feeds, which are harvested by schedule. All of them or none.

    full: ids of the feeds whose list is to be read completely. The number of statements does not grow with that of
    the feeds. Raises IntegrityError if one of them has an unfinished run.
    """
    with transaction.atomic():
        runs = Harvest.objects.bulk_create(
            Harvest(feed=feed, kind=_kind(feed, full=feed.pk in full, record=False, window=False)) for feed in feeds
        )
        lifecycle.record_queued(runs)


def create_pushed_run(feed: Feed, *, full: bool, identifier: str) -> Harvest:
    """Queue a run that reads what the provider has sent. full: that is all its records. Raises as `create_harvest`."""
    kind = Harvest.Kind.RECORD if identifier else Harvest.Kind.FULL if full else Harvest.Kind.INCREMENTAL
    return _create(Harvest(feed=feed, kind=kind, identifier=identifier))


def _create(run: Harvest) -> Harvest:
    feed = run.feed
    if not feed.repository.approved:
        raise TransportError("not approved", "run.unapproved", permanent=True)
    try:
        with transaction.atomic():
            run.save(force_insert=True)
            lifecycle.record_event(run, Harvest.State.QUEUED)
            return run
    except IntegrityError as error:
        active = feed.harvests.active().first()
        raise TransportError(
            "a run is active", "run.active", permanent=True, harvest=active.pk if active else 0
        ) from error


def _kind(feed: Feed, *, full: bool, record: bool, window: bool) -> Harvest.Kind:
    if full:
        return Harvest.Kind.FULL
    if record:
        return Harvest.Kind.RECORD
    if window:
        return Harvest.Kind.WINDOW
    return Harvest.Kind.INCREMENTAL if feed.watermark else Harvest.Kind.FULL


def find_claimable(feed: Feed) -> Harvest | None:
    """The feed's unfinished run that a worker may claim now, if there is one."""
    return feed.harvests.filter(lifecycle.claimable(timezone.now())).first()


def harvest(
    run: Harvest,
    progress: Progress = no_progress,
    quiet: QuietUntil = no_quiet_hours,
    gives_way: GivesWay = never,
) -> Harvest:
    """Execute a run until it has ended, pauses, has failed or gives way to others. Return the row as stored.

    progress: called after every batch. quiet: returns until when quiet hours forbid requests to this feed.
    gives_way: whether other runs wait for this worker.
    Whatever the provider does ends in a state with a code. Only errors of our own program or database are raised,
    after they have been recorded on the run.
    """
    if not lifecycle.claim(run):
        run.refresh_from_db()
        return run
    with log_fields(harvest=run.pk, repository=run.feed.repository.number):
        return _execute(run, progress, Watchdog(run, quiet, gives_way))


def _execute(run: Harvest, progress: Progress, watchdog: Watchdog) -> Harvest:
    try:
        with watchdog:
            _run_phases(run, watchdog, progress)
    except TransportError as error:
        put_aside(run, error)
    except (KeyboardInterrupt, SystemExit):
        with suppress(TransportError):  # another worker has taken over the run and will store its state
            lifecycle.interrupt(run, "run.stopped", attempts=0)
        raise
    except LOST as error:  # full disk or unreachable database: nothing is wrong with the run itself
        connection.close_if_unusable_or_obsolete()  # a broken connection would also fail the update below
        with suppress(TransportError):
            lifecycle.wait(run, "run.database", {"reason": str(error)[:200]}, later(settings.HARVEST_RETRY_WAIT))
        raise
    except Exception as error:
        logger.exception("harvest %s broke", run.pk)
        with suppress(TransportError):
            lifecycle.interrupt(run, "run.internal", {"reason": type(error).__name__})
        raise
    count_issues_after(run)
    checkpoint("harvest.end")
    return run


def _run_phases(run: Harvest, watchdog: Watchdog, progress: Progress) -> None:
    """Read the list, then look for deletions; a run that was interrupted in the second phase starts there."""
    watchdog.check()
    undo_partial_page(run)
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
        progress(run, Counter(deleted=deletion_decisions.delete_next_chunk(run)))
        if run.state == Harvest.State.RUNNING:
            watchdog.check_slice()


def _read_list(run: Harvest, watchdog: Watchdog, progress: Progress) -> None:
    tally = Tally(run.requests, run.repeats)
    policy = replace(
        PATIENT,
        sleep=watchdog.sleep,
        tally=tally,
        after_pause=lambda: run.retries > 0,
        busy=_busy_address(run),
        announce=watchdog.announce,
    )
    try:
        _fetch_list(run, watchdog, policy, progress)
    except TransportError:
        if (run.requests, run.repeats) != (tally.requests, tally.repeats):
            write_fenced(run, requests=tally.requests, repeats=tally.repeats)
        raise
    checkpoint("harvest.after_list")
    if run.state == Harvest.State.RUNNING and run.phase == Harvest.Phase.LIST:
        lifecycle.fail(run, "run.no_end")


def _busy_address(run: Harvest) -> str:
    """The address whose server was busy when the run paused; "" if a page was stored since, or it paused otherwise."""
    last = run.events.filter(state=Harvest.State.PAUSED).last() if run.retries else None
    return str(last.facts.get("url", "")) if last and last.code in BUSY else ""


def _fetch_list(run: Harvest, watchdog: Watchdog, policy: RetryPolicy, progress: Progress) -> None:
    tally = policy.tally
    noticed: tuple[Observation, ...] = ()
    if run.kind != Harvest.Kind.RECORD and not run.resumption_token:
        checkpoint("harvest.before_identify")
        identity = watchdog.interruptible(lambda: update_identity(run.feed, policy.briefly()))
        noticed = identity_oddities(run.feed, identity)
        checkpoint("harvest.after_identify")
    if run.kind == Harvest.Kind.INCREMENTAL and not run.from_date:
        run.from_date = from_date(run.feed)
        Harvest.objects.filter(pk=run.pk, fence=run.fence).update(from_date=run.from_date)
    transport = transport_for(run.feed, policy)
    kind = run.feed.transport_kind
    one_by_one = partial(record_list.batches, transport, kind.unknown_record_codes)
    fetch = one_by_one if record_list.SEPARATOR in run.identifier else transport.batches
    recognise = fingerprints.recogniser(run.feed, policy_of)
    request = replace(request_of(run), recognise=watchdog.uninterrupted(recognise))
    begun, beginning = time.monotonic(), 0.0
    for batch in watchdog.watched(_with_clock_check(run, _with_observations(noticed, fetch(request)))):
        if not kind.resumes_at_once:
            beginning = beginning or time.monotonic() - begun
        run.requests, run.repeats = tally.requests, tally.repeats  # stored with the batch
        progress(run, store_batch(run, batch))
        if batch.resumption_token and not batch.more:
            watchdog.check_slice(beginning)


def _with_observations(noticed: tuple[Observation, ...], batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches; the first one carries these observations, too."""
    for batch in batches:
        yield replace(batch, observations=(*noticed, *batch.observations)) if noticed else batch
        noticed = ()


def _with_clock_check(run: Harvest, batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches; the first one carries an observation if the provider's clock differs much from ours.

    Where responses do not contain the time, their dates say when a file was made.
    """
    for batch in batches:
        compared = run.feed.transport_kind.has_clock and run.first_response_date is None
        if compared and batch.response_date is not None:
            skew = batch.response_date - timezone.now()
            if abs(skew) > LONGEST_SKEW:
                observation = Observation(code="run.clock_skew", facts={"minutes": round(skew.total_seconds() / 60)})
                batch = replace(batch, observations=(*batch.observations, observation))
        yield batch


def update_identity(feed: Feed, retry_policy: RetryPolicy = ONE_TRY) -> Identity:
    """Store on the feed which granularity and deletion policy the provider declares now; return what it declares.

    A failing Identify is ignored unless the list is unavailable too: Identify is optional (NDL guideline 3.1.12).
    Where a provider cannot declare either, no request is sent.
    """
    if not feed.transport_kind.has_identify:
        return Identity()
    try:
        identity = transport_for(feed, retry_policy).identify()
    except TransportError as error:
        if error.code in LIST_UNAVAILABLE_CODES:
            raise
        return Identity()
    feed.granularity, feed.deleted_record = identity.granularity[:25], identity.deleted_record[:12]
    feed.save(update_fields=["granularity", "deleted_record"])
    return identity


def identity_oddities(feed: Feed, identity: Identity) -> tuple[Observation, ...]:
    """What is odd in the provider's description of itself, if it sent one."""
    if identity == Identity():
        return ()
    return feed.transport_kind.check_identity(identity, feed.base_url, timezone.now())


def request_of(run: Harvest) -> HarvestRequest:
    """The transport's request for this run, from where it was interrupted."""
    return HarvestRequest(
        metadata_prefix=run.feed.metadata_prefix,
        set_spec=run.feed.set_spec,
        from_=run.from_date,
        until=run.until_date,
        identifier=run.identifier,
        resumption_token=run.resumption_token,
        full=run.kind == Harvest.Kind.FULL,
        since=lifecycle.parse_datestamp(run.from_date) if run.from_date else None,
        memory=run.feed.memory,
        pushed=pushed_for(run),
    )


def from_date(feed: Feed) -> str:
    """The `from` argument of the next incremental run: the watermark minus the overlap, in the feed's granularity;
    "" = everything.

    With day granularity the overlap is a whole day, because providers may mean days in JST, GMT or UTC
    (NDL guideline 3.1.3 ②). Where dates may be days, they are days unless the provider declared seconds.
    """
    if feed.watermark is None:
        return ""
    by_day = feed.transport_kind.has_day_dates and feed.granularity.upper() in {DAY, ""}
    overlap = feed.overlap if feed.overlap is not None else timedelta(days=1) if by_day else timedelta(minutes=1)
    begin = (feed.watermark - overlap).astimezone(UTC)
    return begin.strftime("%Y-%m-%d" if by_day else "%Y-%m-%dT%H:%M:%SZ")
