"""WebSub subscriptions: a hub notifies us when a provider's feed has changed, so that we harvest it sooner.

WebSub, W3C Recommendation of 2018-01-23; ResourceSync Framework Notification 1.0.1, section 4.
A notification cannot choose what is harvested or from where: its content is never used, and it queues at most one
run a minute. The view that answers the hub's calls is in `harvesting.views.websub`; the decisions are made here.
"""

import hmac
import logging
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from harvesting.harvest.run import create_harvest
from harvesting.http.fetch import Fetcher
from harvesting.models import Feed, Repository, Subscription
from harvesting.registry.credentials import seal, unseal
from harvesting.registry.transport import fetch_policy
from harvesting.scheduling.schedule import quiet_end
from harvesting.types import TransportError

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 20
LEASE = timedelta(days=7)  # requested from the hub, which may grant another one
SHORTEST_LEASE, LONGEST_LEASE = timedelta(minutes=5), timedelta(days=31)  # Framework Notification, section 4.2
RENEWAL_SHARE = 0.2  # a subscription is renewed when less than this share of its lease is left
CONFIRMATION_TIME = timedelta(hours=1)  # within which the hub must verify a renewal that we requested
MIN_PAUSE = timedelta(seconds=60)  # between two notifications that have an effect
MAX_CHALLENGE_LENGTH = 2048
# The methods of WebSub, section 8. SHA-1 is accepted because even a SHA-1 HMAC proves knowledge of the secret.
SIGNATURE_METHODS = ("sha1", "sha256", "sha384", "sha512")
STATES = Subscription.State
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

# How long no further request is sent to a hub, by state. A refusal may be a mistake of the hub's operator, so the hub
# is asked again after a week.
PAUSE_AFTER_REQUEST: dict[str, timedelta] = {
    STATES.ACTIVE: timedelta(minutes=5),
    STATES.ASKED: timedelta(hours=1),
    STATES.REFUSED: timedelta(days=7),
    STATES.ENDED: timedelta.max,
}


def renew_due() -> int:
    """Request some subscriptions that are missing, about to expire, or made for another address of the feed or hub.
    Return how many.
    """
    return len([subscribe(feed) for feed in islice(due_feeds(), MOST_AT_ONCE)])


def due_feeds() -> Iterable[Feed]:
    """Feeds of live or trial repositories that advertise a hub and need a new or renewed subscription."""
    now = timezone.now()
    feeds = Feed.objects.filter(
        memory__has_key="hub", repository__state__in=[Repository.State.LIVE, Repository.State.TRIAL]
    ).exclude(schedule=Feed.Schedule.MANUAL)
    for feed in feeds.select_related("subscription", "repository").order_by("pk"):
        if advertised_hub(feed) and is_due(feed, getattr(feed, "subscription", None), now):
            yield feed


def advertised_hub(feed: Feed) -> tuple[str, str] | None:
    """Return the hub and topic that the provider advertises, None if the hub is unusable or cannot reach us."""
    hub, topic = feed.memory.get("hub", ""), feed.memory.get("topic", "")
    parts = urlsplit(hub)
    if not topic or parts.scheme not in {"http", "https"} or max(len(hub), len(topic)) > 500:
        return None
    own_host = urlsplit(settings.PUBLIC_URL).hostname
    return (hub, topic) if own_host not in LOOPBACK_NAMES or parts.hostname in LOOPBACK_NAMES else None


def is_due(feed: Feed, subscription: Subscription | None, now: datetime) -> bool:
    """Whether a subscription request is to be sent now."""
    if subscription is None or (subscription.hub, subscription.topic) != advertised_hub(feed):
        return True
    asked_at, lease_until = subscription.asked_at, subscription.lease_until
    if asked_at and now - asked_at < PAUSE_AFTER_REQUEST[subscription.state]:
        return False
    if subscription.state != STATES.ACTIVE or not lease_until or not asked_at:
        return True
    return lease_until - (lease_until - asked_at) * RENEWAL_SHARE <= now


def subscribe(feed: Feed) -> Subscription | None:
    """Request a subscription from the feed's hub; None if there is no usable hub.

    The row is saved before the request is sent, because the hub may verify the subscription at once.
    """
    hub_and_topic = advertised_hub(feed)
    if hub_and_topic is None:
        return None
    subscription = Subscription.objects.filter(feed=feed).first() or Subscription(feed=feed)
    if (subscription.hub, subscription.topic) != hub_and_topic:
        subscription.hub, subscription.topic = hub_and_topic
        subscription.callback, subscription.secret = secrets.token_urlsafe(32), seal(secrets.token_urlsafe(32))
        subscription.state = STATES.ASKED
    elif not is_running(subscription):
        subscription.state = STATES.ASKED
    subscription.asked_at = timezone.now()
    subscription.save()
    _post_to_hub(subscription, "subscribe")
    return subscription


def is_running(subscription: Subscription) -> bool:
    """Whether the hub has confirmed the subscription and its lease has not expired."""
    lease_until = subscription.lease_until
    return subscription.state == STATES.ACTIVE and lease_until is not None and lease_until > timezone.now()


def unsubscribe(subscription: Subscription) -> None:
    """End the subscription and tell the hub; notifications have no effect from now on."""
    subscription.state, subscription.asked_at = STATES.ENDED, timezone.now()
    subscription.save(update_fields=["state", "asked_at"])
    _post_to_hub(subscription, "unsubscribe")


def _post_to_hub(subscription: Subscription, mode: str) -> None:
    """POST a request to the hub. A refusal is stored; a hub that cannot be reached is tried again (see `is_due`)."""
    form = {"hub.mode": mode, "hub.topic": subscription.topic, "hub.callback": callback_url(subscription)}
    try:
        if mode == "subscribe":
            form["hub.lease_seconds"] = str(int(LEASE.total_seconds()))
            form["hub.secret"] = unseal(bytes(subscription.secret))
        with Fetcher(fetch_policy()) as fetcher:
            fetcher.fetch(subscription.hub, form, method="POST").checked()
    except TransportError as error:
        logger.warning("the hub of feed %s did not accept the request: %s", subscription.feed_id, error.code)
        if error.permanent and mode == "subscribe":
            _update(subscription, state=STATES.REFUSED)


def callback_url(subscription: Subscription) -> str:
    """The URL that the hub is to call."""
    return settings.PUBLIC_URL + reverse("websub", args=[subscription.callback])


def confirm(subscription: Subscription, query: Mapping[str, str]) -> str | None:
    """Return the text with which to answer a hub's GET; None if it confirms something that we did not request.

    WebSub, section 5.3: the challenge is returned only for the topic and the mode that we requested.
    """
    if query.get("hub.topic", "") != subscription.topic:
        return None
    challenge = query.get("hub.challenge", "")
    match query.get("hub.mode", ""):
        case "denied":  # WebSub, section 5.2: it may come at any time, and ends the subscription
            _update(subscription, state=STATES.REFUSED)
            return ""
        case "subscribe" if _expects_confirmation(subscription) and 0 < len(challenge) <= MAX_CHALLENGE_LENGTH:
            lease = _lease(query.get("hub.lease_seconds", ""))
            _update(subscription, state=STATES.ACTIVE, lease_until=timezone.now() + lease)
            return challenge
        case "unsubscribe" if subscription.state == STATES.ENDED and 0 < len(challenge) <= MAX_CHALLENGE_LENGTH:
            return challenge
    return None


def _expects_confirmation(subscription: Subscription) -> bool:
    """Whether a subscription that we requested may be confirmed now.

    A renewal may be confirmed only for a limited time, so that nobody else can prolong a lease that we let expire.
    """
    if subscription.state == STATES.ASKED:
        return True
    asked_at = subscription.asked_at
    return (
        subscription.state == STATES.ACTIVE and asked_at is not None and timezone.now() - asked_at < CONFIRMATION_TIME
    )


def _lease(seconds: str) -> timedelta:
    if not seconds.isascii() or not seconds.isdigit() or len(seconds) > 9:
        return LEASE
    return min(max(timedelta(seconds=int(seconds)), SHORTEST_LEASE), LONGEST_LEASE)


def signature_check(subscription: Subscription, header: str) -> "tuple[hmac.HMAC, str] | None":
    """Return an HMAC to feed the body to, and the hex digest that it must then have; None if the header is unusable."""
    method, _equals, value = header.strip().partition("=")
    if method.lower() not in SIGNATURE_METHODS or not value:
        return None
    try:
        secret = unseal(bytes(subscription.secret))
    except TransportError as error:
        logger.error("the secret of subscription %s cannot be opened: %s", subscription.pk, error.code)
        return None
    return hmac.new(secret.encode(), digestmod=method.lower()), value.strip().lower()


def accepts_notification(subscription: Subscription) -> bool:
    """Whether a notification could have an effect now; if not, its body need not be read."""
    notified_at = subscription.notified_at
    return subscription.state == STATES.ACTIVE and (notified_at is None or notified_at + MIN_PAUSE <= timezone.now())


def queue_harvest(subscription: Subscription) -> bool:
    """Queue a harvest of the feed, at most once a minute and not while one is active. Return whether one was queued."""
    now = timezone.now()
    updated = Subscription.objects.filter(
        Q(notified_at=None) | Q(notified_at__lte=now - MIN_PAUSE), pk=subscription.pk, state=STATES.ACTIVE
    ).update(notified_at=now)
    feed = Feed.objects.select_related("repository").get(pk=subscription.feed_id)
    if not updated or feed.repository.state not in {Repository.State.LIVE, Repository.State.TRIAL}:
        return False
    if feed.rest_until is not None or quiet_end(feed, now):
        return False  # the schedule harvests the feed when the suspension or the quiet hours are over
    try:
        create_harvest(feed)
    except TransportError:
        return False  # a run of the feed is active already
    return True


def _update(subscription: Subscription, **values: object) -> None:
    Subscription.objects.filter(pk=subscription.pk, callback=subscription.callback).update(**values)
