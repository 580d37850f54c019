"""Notifies subscribers of changed sets: a small WebSub hub, or a client of the hub in the setting WEBSUB_HUB.

A subscription's row stores the last change that it was sent, so that nothing is lost while a subscriber cannot be
reached. A subscriber that is unreachable for longer than its lease finds the changes in the change list. All requests
go through `harvesting.http.fetch`.
WebSub: W3C Recommendation of 2018-01-23; ResourceSync Framework Notification 1.0.1, section 4.
"""

import hmac
import logging
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from aggregator.models import HubSubscription, ResourceChange, ResourceSet
from aggregator.provision.resourcesync import documents, naming
from aggregator.provision.resourcesync.listing import changes_after
from harvesting.http.addresses import check_url
from harvesting.http.fetch import Fetcher
from harvesting.registry.credentials import seal, unseal
from harvesting.registry.transport import fetch_policy
from harvesting.types import TransportError

logger = logging.getLogger(__name__)

LEASE = timedelta(days=7)  # of a subscription, if the subscriber requests no other
MIN_LEASE, MAX_LEASE = timedelta(minutes=5), timedelta(days=31)  # of a lease that a subscriber requests (section 4.2)
RETRY_WAITS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360)
)  # after the 1st, 2nd, … failed attempt; after the 5th always the last one
CONFIRMATION_TIMEOUT = timedelta(hours=1)  # after which an unconfirmed subscription is deleted
MAX_CHANGES = 1000  # per notification
MAX_SUBSCRIPTIONS = 10_000
MAX_PER_HOST = 50  # subscriptions per host, so that the hub cannot be misused to flood a host with requests
MAX_CALLBACK, MAX_SECRET = 500, 199  # characters; bytes (section 5.1 of WebSub: fewer than 200)
DEADLINE = 10.0  # seconds for an answer
BATCH = 100  # subscriptions per run
GONE, SERVER_ERROR = 410, 500


def hub_url() -> str:
    """Return the address of the hub that the documents name."""
    return settings.WEBSUB_HUB or f"{settings.PUBLIC_URL}{reverse('resourcesync_hub')}"


def link_header(set_name: str) -> str:
    """Return the Link header of a channel and of every notification."""
    return (
        f'<{naming.channel_url(set_name)}>; rel="self", <{hub_url()}>; rel="hub", '
        f'<{naming.capability_list_url(set_name)}>; rel="resourcesync"'
    )


def request_subscription(form: Mapping[str, str]) -> str:
    """Store a subscription request for verification. Return an error message, or "" (WebSub, section 5.1)."""
    callback, secret, topic = form.get("hub.callback", ""), form.get("hub.secret", ""), form.get("hub.topic", "")
    seconds = form.get("hub.lease_seconds") or str(int(LEASE.total_seconds()))
    origin = next(
        (
            resource_set.origin
            for resource_set in ResourceSet.objects.all()
            if naming.channel_url(resource_set.name) == topic
        ),
        None,
    )
    if origin is None:
        return "hub.topic is no channel of this source: the capability lists name them."
    if error := _request_error(form.get("hub.mode", ""), callback, secret, seconds):
        return error
    now = timezone.now()
    values = {
        "asked": form["hub.mode"],
        "asked_at": now,
        "asked_secret": seal(secret) if secret else b"",
        "asked_seconds": int(min(max(int(seconds), MIN_LEASE.total_seconds()), MAX_LEASE.total_seconds())),
        "due": now,
        "failures": 0,
    }
    HubSubscription.objects.update_or_create(origin=origin, callback=callback, defaults=values)
    return ""


def _request_error(mode: str, callback: str, secret: str, seconds: str) -> str:
    if mode not in ("subscribe", "unsubscribe"):
        return "hub.mode must be subscribe or unsubscribe."
    try:
        check_url(callback)
    except TransportError as error:
        return f"hub.callback is no address that can be called: {error.message}"
    if len(callback) > MAX_CALLBACK or len(secret.encode()) > MAX_SECRET:
        return f"hub.callback has at most {MAX_CALLBACK} characters, hub.secret at most {MAX_SECRET} bytes."
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) < 10):
        return "hub.lease_seconds is no number of seconds."
    others = HubSubscription.objects.exclude(callback=callback)
    of_host = others.filter(callback__contains=f"//{urlsplit(callback).netloc}/")
    if of_host.count() >= MAX_PER_HOST or others.count() >= MAX_SUBSCRIPTIONS:
        return "There are too many subscriptions. Please follow the change list."
    return ""


def has_work() -> bool:
    """Return whether `process_subscriptions` has work."""
    return _due().exists() or bool(settings.WEBSUB_HUB and _without_publisher().exists())


def process_subscriptions() -> int:
    """Verify new requests, and send changes to the other subscribers. Return the number of subscriptions processed."""
    now = timezone.now()
    HubSubscription.objects.filter(active=False, asked_at__lt=now - CONFIRMATION_TIMEOUT).delete()
    HubSubscription.objects.filter(lease_until__lt=now).delete()
    HubSubscription.objects.filter(lease_until=None, active=True).exclude(callback=settings.WEBSUB_HUB).delete()
    if settings.WEBSUB_HUB:
        HubSubscription.objects.bulk_create(map(_publisher, _without_publisher()), ignore_conflicts=True)
    due = list(_due()[:BATCH])
    for subscription in due:
        _call(subscription)
    return len(due)


def _due() -> "QuerySet[HubSubscription]":
    unsent_changes = ResourceChange.objects.filter(
        change_list__origin=OuterRef("origin"), pk__gt=OuterRef("last_notified")
    )
    due = HubSubscription.objects.filter(due__lte=timezone.now()).order_by("due", "pk")
    return due.filter(~Q(asked="") | (Q(active=True) & Exists(unsent_changes)))


def _without_publisher() -> "QuerySet[ResourceSet]":
    """The sets for which the hub in the settings is not yet a subscriber."""
    subscribed = HubSubscription.objects.filter(callback=settings.WEBSUB_HUB, active=True, lease_until=None)
    return ResourceSet.objects.exclude(origin__in=subscribed.values("origin"))


def _publisher(resource_set: ResourceSet) -> HubSubscription:
    """Return a subscription of the hub in the settings to a set, starting now."""
    now, last = timezone.now(), _last_change(resource_set.origin)
    return HubSubscription(
        origin=resource_set.origin, callback=settings.WEBSUB_HUB, active=True, asked_at=now, due=now, last_notified=last
    )


def _last_change(origin: int) -> int:
    last = ResourceChange.objects.filter(change_list__origin=origin).aggregate(last=Max("pk"))["last"]
    return int(last or 0)


def _call(subscription: HubSubscription) -> None:
    """Verify a request, or send changes. If the subscriber cannot be reached, it is called again later."""
    try:
        with Fetcher(replace(fetch_policy(), deadline=DEADLINE)) as fetcher:
            if subscription.asked:
                _verify(subscription, fetcher)
            else:
                _notify(subscription, fetcher)
    except TransportError as error:
        logger.info("%s was not reached: %s", subscription, error.code)
        wait = RETRY_WAITS[min(subscription.failures, len(RETRY_WAITS) - 1)]
        rows = HubSubscription.objects.filter(pk=subscription.pk)
        rows.update(due=timezone.now() + wait, failures=F("failures") + 1)


def _verify(subscription: HubSubscription, fetcher: Fetcher) -> None:
    """Verify the subscriber's intent (WebSub, section 5.3). Without confirmation the subscription stays as it was."""
    challenge = secrets.token_urlsafe(24)
    question = {
        "hub.mode": subscription.asked,
        "hub.topic": naming.channel_url(_set_name(subscription.origin)),
        "hub.challenge": challenge,
        "hub.lease_seconds": str(subscription.asked_seconds),
    }
    answer = fetcher.fetch(subscription.callback, question, max_bytes=len(challenge) + 100)
    if answer.status >= SERVER_ERROR:
        answer.checked()
    confirmed = answer.status // 100 == 2 and answer.body.strip() == challenge.encode()
    rows = HubSubscription.objects.filter(pk=subscription.pk)
    if confirmed and subscription.asked == "unsubscribe":
        rows.delete()
    elif confirmed:
        rows.update(
            active=True,
            asked="",
            secret=subscription.asked_secret,
            lease_until=timezone.now() + timedelta(seconds=subscription.asked_seconds),
            last_notified=subscription.last_notified or _last_change(subscription.origin),
        )
    else:
        rows.filter(active=False).delete()
        rows.update(asked="")


def _notify(subscription: HubSubscription, fetcher: Fetcher) -> None:
    """POST the next changes that the subscriber has not been sent."""
    set_name = _set_name(subscription.origin)
    rows, last = changes_after(subscription.origin, subscription.last_notified, MAX_CHANGES)
    body = "".join(documents.change_notification(set_name, rows)).encode()
    headers = {"Content-Type": documents.XML, "Link": link_header(set_name)}
    if subscription.secret:
        key = unseal(bytes(subscription.secret)).encode()
        headers["X-Hub-Signature"] = f"sha256={hmac.new(key, body, 'sha256').hexdigest()}"
    answer = fetcher.deliver(subscription.callback, body, headers)
    if answer.status == GONE:
        HubSubscription.objects.filter(pk=subscription.pk).delete()
        return
    answer.checked()
    HubSubscription.objects.filter(pk=subscription.pk).update(last_notified=last, failures=0, due=timezone.now())


def _set_name(origin: int) -> str:
    return ResourceSet.objects.get(pk=origin).name
