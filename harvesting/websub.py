"""WebSub subscriptions: asking a hub to tell us of changes, and what its calls may bring about.

A notification only ever means "look sooner": its content is never used, it cannot say what or whom to ask, and it
brings about at most one run a minute. Decisions only; the HTTP side of the calls is in `harvesting.views.websub`.
WebSub: W3C Recommendation of 2018-01-23; ResourceSync Framework Notification 1.0.1, section 4.
"""

import hmac
import logging
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from harvesting.harvest.run import create_harvest
from harvesting.http.fetch import Fetcher
from harvesting.models import Feed, Repository, Subscription
from harvesting.registry.credentials import open_sealed, seal
from harvesting.registry.transport import fetch_policy
from harvesting.scheduling.schedule import quiet_end
from harvesting.types import TransportError

logger = logging.getLogger(__name__)

LEASE = timedelta(days=7)  # what we ask for
SHORTEST_LEASE, LONGEST_LEASE = timedelta(minutes=5), timedelta(days=31)  # Framework Notification, section 4.2
RENEW_BELOW = 0.2  # share of the lease that is left
RENEWAL_WITHIN = timedelta(hours=1)  # the hub's question after we asked it to renew
LEAST_PAUSE = timedelta(seconds=60)  # between two effects of notifications
LONGEST_CHALLENGE = 2048
# Section 8 of WebSub names these. A hub that signs with SHA-1 is still one that knows the secret.
SIGNATURES = ("sha1", "sha256", "sha384", "sha512")
STATES = Subscription.State
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

# How long a hub is left alone after it was asked. One that refused may have been a mistake of its operator.
LEFT_ALONE: dict[str, timedelta] = {
    STATES.ACTIVE: timedelta(minutes=5),
    STATES.ASKED: timedelta(hours=1),
    STATES.REFUSED: timedelta(days=7),
    STATES.ENDED: timedelta.max,
}


def renew_due(limit: int = 20) -> int:
    """Ask the hubs for every subscription that is missing, runs out or changed its address; returns how many."""
    asked = 0
    for feed in due_feeds():
        if asked >= limit:
            break
        subscribe(feed)
        asked += 1
    return asked


def due_feeds() -> Iterable[Feed]:
    """Feeds of live repositories whose provider names a hub and whose subscription is not in order."""
    now = timezone.now()
    feeds = Feed.objects.filter(
        memory__has_key="hub", repository__state__in=[Repository.State.LIVE, Repository.State.TRIAL]
    ).exclude(schedule=Feed.Schedule.MANUAL)
    for feed in feeds.select_related("subscription", "repository").order_by("pk"):
        if offered(feed) and is_due(feed, getattr(feed, "subscription", None), now):
            yield feed


def offered(feed: Feed) -> tuple[str, str] | None:
    """Hub and topic that the provider named, None if it named none or the hub could not reach us."""
    hub, topic = feed.memory.get("hub", ""), feed.memory.get("topic", "")
    parts = urlsplit(hub)
    if not topic or parts.scheme not in {"http", "https"} or max(len(hub), len(topic)) > 500:
        return None
    ours = urlsplit(settings.PUBLIC_URL).hostname
    return (hub, topic) if ours not in LOOPBACK_NAMES or parts.hostname in LOOPBACK_NAMES else None


def is_due(feed: Feed, subscription: Subscription | None, now: datetime) -> bool:
    """Whether the hub is to be asked (again)."""
    if subscription is None or (subscription.hub, subscription.topic) != offered(feed):
        return True
    asked, ends = subscription.asked_at, subscription.lease_until
    if asked and now - asked < LEFT_ALONE[subscription.state]:
        return False
    if subscription.state != STATES.ACTIVE or not ends or not asked:
        return True
    return ends - (ends - asked) * RENEW_BELOW <= now


def subscribe(feed: Feed) -> Subscription | None:
    """Ask the hub to call us. The row is there before the hub is asked: it may ask back at once."""
    place = offered(feed)
    if place is None:
        return None
    subscription = Subscription.objects.filter(feed=feed).first() or Subscription(feed=feed)
    if (subscription.hub, subscription.topic) != place:
        subscription.hub, subscription.topic = place
        subscription.callback, subscription.secret = secrets.token_urlsafe(32), seal(secrets.token_urlsafe(32))
        subscription.state = STATES.ASKED
    elif not is_running(subscription):
        subscription.state = STATES.ASKED
    subscription.asked_at = timezone.now()
    subscription.save()
    _ask(subscription, "subscribe")
    return subscription


def is_running(subscription: Subscription) -> bool:
    """Whether the hub has promised to call us, and the time is not over."""
    ends = subscription.lease_until
    return subscription.state == STATES.ACTIVE and ends is not None and ends > timezone.now()


def unsubscribe(subscription: Subscription) -> None:
    """Tell the hub that we want no more calls; from now on they have no effect."""
    subscription.state, subscription.asked_at = STATES.ENDED, timezone.now()
    subscription.save(update_fields=["state", "asked_at"])
    _ask(subscription, "unsubscribe")


def _ask(subscription: Subscription, mode: str) -> None:
    """POST to the hub. A refusal is stored; a hub that cannot be reached is asked again later (`is_due`)."""
    form = {"hub.mode": mode, "hub.topic": subscription.topic, "hub.callback": callback_url(subscription)}
    try:
        if mode == "subscribe":
            form["hub.lease_seconds"] = str(int(LEASE.total_seconds()))
            form["hub.secret"] = open_sealed(bytes(subscription.secret))
        with Fetcher(fetch_policy()) as fetcher:
            fetcher.fetch(subscription.hub, form, method="POST").checked()
    except TransportError as error:
        logger.warning("the hub of feed %s did not accept the request: %s", subscription.feed_id, error.code)
        if error.permanent and mode == "subscribe":
            _update(subscription, state=STATES.REFUSED)


def callback_url(subscription: Subscription) -> str:
    """Where the hub is to call."""
    return settings.PUBLIC_URL + reverse("websub", args=[subscription.callback])


def confirm(subscription: Subscription, query: Mapping[str, str]) -> str | None:
    """The text to answer a hub's GET with; None where it asks for something that we did not ask for.

    Section 5.3: the challenge goes back only for the topic and the mode that we are waiting for.
    """
    if query.get("hub.topic", "") != subscription.topic:
        return None
    challenge = query.get("hub.challenge", "")
    match query.get("hub.mode", ""):
        case "denied":  # section 5.2; it may come at any time, and then ends the subscription
            _update(subscription, state=STATES.REFUSED)
            return ""
        case "subscribe" if _waits(subscription) and 0 < len(challenge) <= LONGEST_CHALLENGE:
            lease = _lease(query.get("hub.lease_seconds", ""))
            _update(subscription, state=STATES.ACTIVE, lease_until=timezone.now() + lease)
            return challenge
        case "unsubscribe" if subscription.state == STATES.ENDED and 0 < len(challenge) <= LONGEST_CHALLENGE:
            return challenge
    return None


def _waits(subscription: Subscription) -> bool:
    """Whether we asked for it; a renewal only for a while, so that nobody else prolongs what we let run out."""
    if subscription.state == STATES.ASKED:
        return True
    asked = subscription.asked_at
    return subscription.state == STATES.ACTIVE and asked is not None and timezone.now() - asked < RENEWAL_WITHIN


def _lease(seconds: str) -> timedelta:
    if not seconds.isascii() or not seconds.isdigit() or len(seconds) > 9:
        return LEASE
    return min(max(timedelta(seconds=int(seconds)), SHORTEST_LEASE), LONGEST_LEASE)


def signature_check(subscription: Subscription, header: str) -> "tuple[hmac.HMAC, str] | None":
    """The hash to feed the body to, and the value it must have in the end; None for a signature that none can be."""
    method, _equals, value = header.strip().partition("=")
    if method.lower() not in SIGNATURES or not value:
        return None
    try:
        secret = open_sealed(bytes(subscription.secret))
    except TransportError as error:
        logger.error("the secret of subscription %s cannot be opened: %s", subscription.pk, error.code)
        return None
    return hmac.new(secret.encode(), digestmod=method.lower()), value.strip().lower()


def is_heard(subscription: Subscription) -> bool:
    """Whether a notification could have an effect now; if not, its body need not even be read."""
    heard = subscription.notified_at
    return subscription.state == STATES.ACTIVE and (heard is None or heard + LEAST_PAUSE <= timezone.now())


def look_sooner(subscription: Subscription) -> bool:
    """Queue a run of the feed, once a minute at most and never beside one that is active. True if one was queued."""
    now = timezone.now()
    first = Subscription.objects.filter(
        Q(notified_at=None) | Q(notified_at__lte=now - LEAST_PAUSE), pk=subscription.pk, state=STATES.ACTIVE
    ).update(notified_at=now)
    feed = Feed.objects.select_related("repository").get(pk=subscription.feed_id)
    if not first or feed.repository.state not in {Repository.State.LIVE, Repository.State.TRIAL}:
        return False
    if feed.rest_until is not None or quiet_end(feed, now):
        return False  # the schedule looks when it may
    try:
        create_harvest(feed)
    except TransportError:
        return False  # a run is active: that one is enough
    return True


def _update(subscription: Subscription, **values: object) -> None:
    Subscription.objects.filter(pk=subscription.pk, callback=subscription.callback).update(**values)
