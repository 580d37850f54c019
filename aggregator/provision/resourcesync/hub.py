"""Telling others that a set changed: our own small WebSub hub, or the one that the settings name.

Each subscription is a row that says what it was told last, so that nothing is lost while somebody cannot be reached;
what they miss for longer than their lease they find in the change list. All requests go through
`harvesting.http.fetch`.
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
from harvesting.registry.credentials import open_sealed, seal
from harvesting.registry.transport import fetch_policy
from harvesting.types import TransportError

logger = logging.getLogger(__name__)

LEASE = timedelta(days=7)  # where none is asked for
SHORTEST, LONGEST = timedelta(minutes=5), timedelta(days=31)  # section 4.2
WAITS = tuple(timedelta(minutes=each) for each in (1, 5, 30, 120, 360))  # before the next attempt; then the last
PATIENCE = timedelta(hours=1)  # for whoever has to confirm
MOST = 1000  # changes of one notification
MOST_SUBSCRIPTIONS = 10_000
MOST_OF_HOST = 50  # at one host: the hub is no way to send requests to others
LONGEST_CALLBACK, LONGEST_SECRET = 500, 199  # characters; section 5.1 of WebSub: below 200 bytes
DEADLINE = 10.0  # seconds for an answer
AT_A_TIME = 100
GONE, SERVER_ERROR = 410, 500


def hub_url() -> str:
    """The hub that our documents name."""
    return settings.WEBSUB_HUB or f"{settings.PUBLIC_URL}{reverse('resourcesync_hub')}"


def link_header(set_name: str) -> str:
    """What goes with a channel and with every notification."""
    return (
        f'<{naming.channel_url(set_name)}>; rel="self", <{hub_url()}>; rel="hub", '
        f'<{naming.capability_list_url(set_name)}>; rel="resourcesync"'
    )


def ask(form: Mapping[str, str]) -> str:
    """Note a request to be verified; returns what is wrong with it, "" if nothing is (section 5.1 of WebSub)."""
    callback, secret, topic = form.get("hub.callback", ""), form.get("hub.secret", ""), form.get("hub.topic", "")
    seconds = form.get("hub.lease_seconds") or str(int(LEASE.total_seconds()))
    origin = next((each.origin for each in ResourceSet.objects.all() if naming.channel_url(each.name) == topic), None)
    if origin is None:
        return "hub.topic is no channel of this source: the capability lists name them."
    if fault := _fault(form.get("hub.mode", ""), callback, secret, seconds):
        return fault
    now = timezone.now()
    asked = {
        "asked": form["hub.mode"],
        "asked_at": now,
        "asked_secret": seal(secret) if secret else b"",
        "asked_seconds": int(min(max(int(seconds), SHORTEST.total_seconds()), LONGEST.total_seconds())),
        "due": now,
        "failures": 0,
    }
    HubSubscription.objects.update_or_create(origin=origin, callback=callback, defaults=asked)
    return ""


def _fault(mode: str, callback: str, secret: str, seconds: str) -> str:
    if mode not in ("subscribe", "unsubscribe"):
        return "hub.mode must be subscribe or unsubscribe."
    try:
        check_url(callback)
    except TransportError as error:
        return f"hub.callback is no address that can be called: {error.message}"
    if len(callback) > LONGEST_CALLBACK or len(secret.encode()) > LONGEST_SECRET:
        return f"hub.callback has at most {LONGEST_CALLBACK} characters, hub.secret at most {LONGEST_SECRET} bytes."
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) < 10):
        return "hub.lease_seconds is no number of seconds."
    others = HubSubscription.objects.exclude(callback=callback)
    of_host = others.filter(callback__contains=f"//{urlsplit(callback).netloc}/")
    if of_host.count() >= MOST_OF_HOST or others.count() >= MOST_SUBSCRIPTIONS:
        return "There are too many subscriptions. Please follow the change list."
    return ""


def something_to_tell() -> bool:
    """Whether `attend` would call anybody."""
    return _due().exists() or bool(settings.WEBSUB_HUB and _without_publisher().exists())


def attend() -> int:
    """Verify who asked, and tell the others what they do not know; returns how many were called."""
    now = timezone.now()
    HubSubscription.objects.filter(active=False, asked_at__lt=now - PATIENCE).delete()
    HubSubscription.objects.filter(lease_until__lt=now).delete()
    HubSubscription.objects.filter(lease_until=None, active=True).exclude(callback=settings.WEBSUB_HUB).delete()
    if settings.WEBSUB_HUB:
        HubSubscription.objects.bulk_create(map(_publisher, _without_publisher()), ignore_conflicts=True)
    due = list(_due()[:AT_A_TIME])
    for each in due:
        _call(each)
    return len(due)


def _due() -> "QuerySet[HubSubscription]":
    untold = ResourceChange.objects.filter(change_list__origin=OuterRef("origin"), pk__gt=OuterRef("told"))
    due = HubSubscription.objects.filter(due__lte=timezone.now()).order_by("due", "pk")
    return due.filter(~Q(asked="") | (Q(active=True) & Exists(untold)))


def _without_publisher() -> "QuerySet[ResourceSet]":
    """The sets that the hub of the settings is not told of so far."""
    there = HubSubscription.objects.filter(callback=settings.WEBSUB_HUB, active=True, lease_until=None)
    return ResourceSet.objects.exclude(origin__in=there.values("origin"))


def _publisher(resource_set: ResourceSet) -> HubSubscription:
    """The hub of the settings, to be told of a set from now on."""
    now, last = timezone.now(), _last_change(resource_set.origin)
    return HubSubscription(
        origin=resource_set.origin, callback=settings.WEBSUB_HUB, active=True, asked_at=now, due=now, told=last
    )


def _last_change(origin: int) -> int:
    found = ResourceChange.objects.filter(change_list__origin=origin).aggregate(last=Max("pk"))["last"]
    return int(found or 0)


def _call(subscription: HubSubscription) -> None:
    """Verify or tell; whoever cannot be reached is called again later."""
    try:
        with Fetcher(replace(fetch_policy(), deadline=DEADLINE)) as fetcher:
            if subscription.asked:
                _verify(subscription, fetcher)
            else:
                _tell(subscription, fetcher)
    except TransportError as error:
        logger.info("%s was not reached: %s", subscription, error.code)
        wait = WAITS[min(subscription.failures, len(WAITS) - 1)]
        rows = HubSubscription.objects.filter(pk=subscription.pk)
        rows.update(due=timezone.now() + wait, failures=F("failures") + 1)


def _verify(subscription: HubSubscription, fetcher: Fetcher) -> None:
    """Ask whether they meant it (section 5.3 of WebSub). Who does not confirm keeps what they had."""
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
            told=subscription.told or _last_change(subscription.origin),
        )
    else:
        rows.filter(active=False).delete()
        rows.update(asked="")


def _tell(subscription: HubSubscription, fetcher: Fetcher) -> None:
    """POST the next changes that they do not know."""
    set_name = _set_name(subscription.origin)
    rows, last = changes_after(subscription.origin, subscription.told, MOST)
    body = "".join(documents.change_notification(set_name, rows)).encode()
    headers = {"Content-Type": documents.XML, "Link": link_header(set_name)}
    if subscription.secret:
        key = open_sealed(bytes(subscription.secret)).encode()
        headers["X-Hub-Signature"] = f"sha256={hmac.new(key, body, 'sha256').hexdigest()}"
    answer = fetcher.deliver(subscription.callback, body, headers)
    if answer.status == GONE:
        HubSubscription.objects.filter(pk=subscription.pk).delete()
        return
    answer.checked()
    HubSubscription.objects.filter(pk=subscription.pk).update(told=last, failures=0, due=timezone.now())


def _set_name(origin: int) -> str:
    return ResourceSet.objects.get(pk=origin).name
