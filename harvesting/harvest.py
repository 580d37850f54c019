"""One run from claim to outcome. The Harvest row is the truth; whoever runs it only holds a lease."""

import logging
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from harvesting.fetch import Fetcher, FetchPolicy
from harvesting.lease import LEASE, Heartbeat
from harvesting.models import Feed, Harvest
from harvesting.store import store_batch
from harvesting.transports.base import HarvestRequest, Transport, TransportError
from harvesting.transports.oai_pmh import Patience
from harvesting.transports.registry import TRANSPORTS

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 5  # claims of one run before it is given up, counted at the claim (a poison run kills its worker)
RESTARTS = 2  # of a list whose token expired, within one claim
DAY = "YYYY-MM-DD"
BUSY = frozenset({"http.503", "http.429"})
PATIENT = Patience()
AT_ONCE = Patience(tries=1)  # for questions a person waits for: a wrong base URL is told without delay
Progress = Callable[[Harvest, Counter[str]], None]


def no_progress(harvest: Harvest, outcomes: Counter[str]) -> None:
    """For runs that nobody watches."""


def fetch_policy() -> FetchPolicy:
    """How this installation fetches, from its settings."""
    return FetchPolicy(
        contact=settings.HARVEST_CONTACT,
        about_url=settings.PUBLIC_URL,
        allowed_networks=tuple(settings.HARVEST_ALLOWED_NETWORKS),
        min_pause=settings.HARVEST_MIN_PAUSE,
        deadline=settings.HARVEST_DEADLINE,
    )


def transport_for(protocol: str, base_url: str, patience: Patience = PATIENT) -> Transport:
    """The transport of a protocol, ready to ask this URL."""
    return TRANSPORTS[protocol](base_url, Fetcher(fetch_policy()), patience)


def create_harvest(
    feed: Feed, *, full: bool = False, from_date: str = "", until_date: str = "", identifier: str = ""
) -> Harvest:
    """Queue a run. Raises TransportError "run.active" when the feed has one that is not finished."""
    kind = Harvest.Kind.INCREMENTAL if feed.watermark else Harvest.Kind.FULL
    if full:
        kind = Harvest.Kind.FULL
    elif identifier:
        kind = Harvest.Kind.RECORD
    elif from_date or until_date:
        kind = Harvest.Kind.WINDOW
    try:
        with transaction.atomic():
            return Harvest.objects.create(
                feed=feed, kind=kind, from_date=from_date, until_date=until_date, identifier=identifier
            )
    except IntegrityError as error:
        active = feed.harvests.active().first()
        raise TransportError(
            "a run is active", "run.active", permanent=True, harvest=active.pk if active else 0
        ) from error


def take_up(feed: Feed) -> Harvest | None:
    """The feed's unfinished run that may go on now, if there is one."""
    now = timezone.now()
    due = (
        Q(state__in=[Harvest.State.QUEUED, Harvest.State.INTERRUPTED])
        | Q(state=Harvest.State.PAUSED, resume_at__lte=now)
        | Q(state=Harvest.State.RUNNING, lease_until__lt=now)
    )
    return feed.harvests.filter(due).first()


def supersede(feed: Feed) -> None:
    """Cancel the feed's run that waits, because a person asked for another. What it stored stays."""
    waiting = [Harvest.State.QUEUED, Harvest.State.INTERRUPTED, Harvest.State.PAUSED]
    feed.harvests.filter(state__in=waiting).update(state=Harvest.State.CANCELLED, finished_at=timezone.now())


def harvest(run: Harvest, progress: Progress = no_progress) -> Harvest:
    """Run a harvest to its end, its pause or its failure. Returns the row as stored.

    Whatever the provider does ends in a state with a code; only a fault of our own is raised, after being recorded.
    """
    if not claim(run):
        run.refresh_from_db()
        return run
    try:
        with Heartbeat(run):
            _run(run, progress)
    except TransportError as error:
        _stop(run, error)
    except (KeyboardInterrupt, SystemExit):
        _end(run, Harvest.State.INTERRUPTED, "run.stopped")
        raise
    except Exception as error:
        logger.exception("harvest %s broke", run.pk)
        _end(run, Harvest.State.INTERRUPTED, "run.internal", {"reason": type(error).__name__})
        raise
    return run


def claim(run: Harvest) -> bool:
    """Take the run: it waits, its pause is over, or its worker's lease ran out. False if another has it."""
    now = timezone.now()
    free = (
        Q(state__in=[Harvest.State.QUEUED, Harvest.State.INTERRUPTED])
        | Q(state=Harvest.State.PAUSED)
        | Q(state=Harvest.State.RUNNING, lease_until__lt=now)
    )
    claimed = Harvest.objects.filter(free, pk=run.pk, fence=run.fence).update(
        state=Harvest.State.RUNNING,
        fence=F("fence") + 1,
        attempts=F("attempts") + 1,
        lease_until=now + LEASE,
        started_at=run.started_at or now,
        resume_at=None,
        code="",
        facts={},
    )
    if claimed:
        run.refresh_from_db(from_queryset=Harvest.objects.select_related("feed__repository"))
    return bool(claimed)


def _run(run: Harvest, progress: Progress) -> None:
    asked_at = timezone.now()
    _learn(run.feed)
    transport = transport_for(run.feed.protocol, run.feed.base_url)
    if run.kind == Harvest.Kind.INCREMENTAL and not run.from_date:
        run.from_date = from_date(run.feed)
        Harvest.objects.filter(pk=run.pk).update(from_date=run.from_date)
    for left in range(RESTARTS, -1, -1):
        try:
            for batch in transport.batches(_request(run)):
                progress(run, store_batch(run, batch))
            break
        except TransportError as error:
            if error.code != "oai.badResumptionToken" or not run.resumption_token:
                raise
            _forget_token(run)
            if not left:
                raise
    _succeed(run, asked_at)


def _forget_token(run: Harvest) -> None:
    """The token has expired: the list begins again from the same `from`; what is stored is seen as unchanged."""
    run.resumption_token = ""
    Harvest.objects.filter(pk=run.pk, fence=run.fence).update(resumption_token="")


def _learn(feed: Feed) -> None:
    """Granularity and deletion policy, as the provider says now. Identify is optional (guideline 3.1.12)."""
    try:
        identity = transport_for(feed.protocol, feed.base_url, AT_ONCE).identify()
    except TransportError as error:
        if error.code.startswith("net.") or error.code in BUSY:
            raise
        return
    feed.granularity, feed.deleted_record = identity.granularity[:25], identity.deleted_record[:12]
    feed.save(update_fields=["granularity", "deleted_record"])


def _request(run: Harvest) -> HarvestRequest:
    return HarvestRequest(
        metadata_prefix=run.feed.metadata_prefix,
        set_spec=run.feed.set_spec,
        from_=run.from_date,
        until=run.until_date,
        identifier=run.identifier,
        resumption_token=run.resumption_token,
    )


def from_date(feed: Feed) -> str:
    """`from` of the next incremental run: the watermark less the overlap, in the feed's granularity; "" = all.

    Day granularity overlaps by a whole day, which covers every reading of the day as JST, GMT or UTC
    (guideline 3.1.3 ②).
    """
    if feed.watermark is None:
        return ""
    by_day = feed.granularity.upper() == DAY or not feed.granularity
    overlap = feed.overlap if feed.overlap is not None else timedelta(days=1) if by_day else timedelta(minutes=1)
    moment = (feed.watermark - overlap).astimezone(UTC)
    return moment.strftime("%Y-%m-%d" if by_day else "%Y-%m-%dT%H:%M:%SZ")


def _succeed(run: Harvest, asked_at: datetime) -> None:
    """End a finished list. The watermark is the provider's clock at its start, or ours if that is earlier."""
    with transaction.atomic():
        _end(run, Harvest.State.SUCCEEDED)
        if run.kind in {Harvest.Kind.FULL, Harvest.Kind.INCREMENTAL}:
            started = run.started_at or asked_at
            run.feed.watermark = min(run.first_response_date or started, started)
            run.feed.save(update_fields=["watermark"])


def _stop(run: Harvest, error: TransportError) -> None:
    """Pause what may go on later with its token, fail what cannot."""
    facts = {**error.facts, "base_url": run.feed.base_url, "prefix": run.feed.metadata_prefix}
    if error.code == "run.lease_lost":
        run.refresh_from_db()
        return
    waits = error.code in BUSY or run.pages > 0
    if error.permanent or not waits or run.attempts >= MAX_ATTEMPTS:
        _end(run, Harvest.State.FAILED, error.code, facts)
        return
    wait = error.retry_after or settings.HARVEST_RETRY_WAIT
    run.resume_at = timezone.now() + timedelta(seconds=wait)
    _end(run, Harvest.State.PAUSED, error.code, facts)


def _end(run: Harvest, state: Harvest.State, code: str = "", facts: dict[str, str | int] | None = None) -> None:
    """The only place where a run leaves `running`."""
    active = state in Harvest.ACTIVE
    run.state, run.code, run.facts = state, code, facts or {}
    run.finished_at = None if active else timezone.now()
    held = Harvest.objects.filter(pk=run.pk, fence=run.fence, state=Harvest.State.RUNNING)
    held.update(
        state=state, code=code, facts=run.facts, finished_at=run.finished_at, resume_at=run.resume_at, lease_until=None
    )
