"""Takes requests to subscribe to the changes of a set: a small WebSub hub. The subscribers are called in `hub_calls`.

WebSub: W3C Recommendation of 2018-01-23; ResourceSync Framework Notification 1.0.1, section 4.
"""

from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from aggregator.models import HubSubscription, ResourceSet
from aggregator.provision.resourcesync import naming
from harvesting.http.addresses import canonical_url
from harvesting.registry.credentials import seal
from harvesting.types import TransportError

LEASE = timedelta(days=7)  # of a subscription, if the subscriber requests no other
MIN_LEASE, MAX_LEASE = timedelta(minutes=5), timedelta(days=31)  # of a lease that a subscriber requests (section 4.2)
MAX_SUBSCRIPTIONS = 10_000
MAX_PER_HOST = 50  # subscriptions per host, so that the hub cannot be misused to flood a host with requests
MAX_CALLBACK, MAX_SECRET = 500, 199  # characters; bytes (section 5.1 of WebSub: fewer than 200)


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
        return "hub.topic is not a channel of this source: the capability lists name them."
    try:
        callback = canonical_url(callback)
    except TransportError as error:
        return f"hub.callback is no address that can be called: {error.message}"
    if problem := _request_error(form.get("hub.mode", ""), callback, secret, seconds):
        return problem
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
    if len(callback) > MAX_CALLBACK or len(secret.encode()) > MAX_SECRET:
        return f"hub.callback has at most {MAX_CALLBACK} characters, hub.secret at most {MAX_SECRET} bytes."
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) < 10):
        return "hub.lease_seconds is not a number of seconds."
    others = HubSubscription.objects.exclude(callback=callback)
    of_host = others.filter(_is_of_host(urlsplit(callback).netloc))
    if of_host.count() >= MAX_PER_HOST or others.count() >= MAX_SUBSCRIPTIONS:
        return "There are too many subscriptions. Please follow the change list."
    return ""


def _is_of_host(netloc: str) -> Q:
    """The subscriptions of this host at any port. Callbacks are stored in one spelling (`canonical_url`)."""
    end = netloc.rpartition("]")[0]  # of an IPv6 address
    host = f"{end}]" if end else netloc.partition(":")[0]
    prefixes = [f"{scheme}://{host}{follows}" for scheme in ("http", "https") for follows in ("/", ":")]
    return Q.create([("callback__startswith", prefix) for prefix in prefixes], connector=Q.OR)
