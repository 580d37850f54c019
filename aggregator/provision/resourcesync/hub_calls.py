"""Calls the subscribers of changed sets: verifies new subscriptions, sends notifications.

A subscription's row stores the last change that it was sent, so that nothing is lost while a subscriber cannot be
reached. A subscriber that is unreachable for longer than its lease finds the changes in the change list.

Anybody may subscribe, also with servers that answer slowly on purpose. So the calls are made in a loop of their own
in the dispatcher, by several threads, and every answer has a short deadline. The threads only send: rows are read
before and written after. Several dispatchers may run: a subscription is claimed before it is called.
WebSub: W3C Recommendation of 2018-01-23; ResourceSync Framework Notification 1.0.1, section 4.
"""

import hmac
import logging
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from aggregator.models import HubSubscription, ResourceSet
from aggregator.provision.resourcesync import documents, naming
from aggregator.provision.resourcesync.hub import link_header
from aggregator.provision.resourcesync.listing import changes_after, last_change, lists_with_changes_after
from harvesting.http.fetch import Fetched, Fetcher, FetchPolicy
from harvesting.http.politeness import ThreadThrottle
from harvesting.registry.credentials import unseal
from harvesting.registry.transport import fetch_policy
from harvesting.types import EMPTY_MAPPING, TransportError

logger = logging.getLogger(__name__)

RETRY_WAITS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360)
)  # after the 1st, 2nd, … failed attempt; after the 5th always the last one
CONFIRMATION_TIMEOUT = timedelta(hours=1)  # after which an unconfirmed subscription is deleted
MAX_CHANGES = 1000  # per notification
DEADLINE = 3.0  # seconds for an answer
ROUND = 10.0  # seconds after which a round starts no further calls
THREADS = 16
BATCH = 100  # subscriptions per round
CLAIM = timedelta(minutes=1)  # after which the subscriptions of a killed round are due again
GONE, SERVER_ERROR = 410, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request to a subscriber. A verification has `parameters`; a notification has a body, its headers and `last`,
    the last change in it.
    """

    subscription: HubSubscription
    parameters: Mapping[str, str] = EMPTY_MAPPING
    body: bytes = b""
    headers: Mapping[str, str] = EMPTY_MAPPING
    last: int = 0

    @property
    def challenge(self) -> str:
        return self.parameters.get("hub.challenge", "")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a call. No answer and no error: the call was not made in this round."""

    call: Call
    fetched: Fetched | None = None
    error: TransportError | None = None


def has_work() -> bool:
    """Return whether `process_subscriptions` has work."""
    return _due().exists() or bool(settings.WEBSUB_HUB and _without_publisher().exists())


def process_subscriptions() -> int:
    """Verify new requests, and send changes to the other subscribers. Return the number of subscriptions called."""
    now = timezone.now()
    HubSubscription.objects.filter(active=False, asked_at__lt=now - CONFIRMATION_TIMEOUT).delete()
    HubSubscription.objects.filter(lease_until__lt=now).delete()
    HubSubscription.objects.filter(lease_until=None, active=True).exclude(callback=settings.WEBSUB_HUB).delete()
    if settings.WEBSUB_HUB:
        HubSubscription.objects.bulk_create(map(_publisher, _without_publisher()), ignore_conflicts=True)
    calls = [_call_of(subscription) for subscription in list(_due()[:BATCH]) if _claim(subscription)]
    answers = list(send_all(calls))
    for answer in answers:
        _store(answer)
    return sum(answer.fetched is not None or answer.error is not None for answer in answers)


def _due() -> "QuerySet[HubSubscription]":
    """The subscriptions to be called; those that could not be reached before come last."""
    unsent_lists = lists_with_changes_after(OuterRef("origin"), OuterRef("last_notified"))
    due = HubSubscription.objects.filter(due__lte=timezone.now()).order_by("failures", "due", "pk")
    return due.filter(~Q(asked="") | (Q(active=True) & Exists(unsent_lists)))


def _without_publisher() -> "QuerySet[ResourceSet]":
    """The sets for which the hub in the settings is not yet a subscriber."""
    subscribed = HubSubscription.objects.filter(callback=settings.WEBSUB_HUB, active=True, lease_until=None)
    return ResourceSet.objects.exclude(origin__in=subscribed.values("origin"))


def _publisher(resource_set: ResourceSet) -> HubSubscription:
    """Return a subscription of the hub in the settings to a set, starting now."""
    now, last = timezone.now(), last_change(resource_set.origin)
    return HubSubscription(
        origin=resource_set.origin, callback=settings.WEBSUB_HUB, active=True, asked_at=now, due=now, last_notified=last
    )


def _claim(subscription: HubSubscription) -> bool:
    """Keep other dispatchers from calling the subscriber now. Return False if one of them was faster."""
    rows = HubSubscription.objects.filter(pk=subscription.pk, due=subscription.due)
    return bool(rows.update(due=timezone.now() + CLAIM))


def _call_of(subscription: HubSubscription) -> Call:
    """The next request to a subscriber: to verify its intent (WebSub, section 5.3), or with changes."""
    set_name = ResourceSet.objects.get(pk=subscription.origin).name
    if subscription.asked:
        parameters = {
            "hub.mode": subscription.asked,
            "hub.topic": naming.channel_url(set_name),
            "hub.challenge": secrets.token_urlsafe(24),
            "hub.lease_seconds": str(subscription.asked_seconds),
        }
        return Call(subscription=subscription, parameters=parameters)
    rows, last = changes_after(subscription.origin, subscription.last_notified, MAX_CHANGES)
    body = "".join(documents.change_notification(set_name, rows)).encode()
    headers = {"Content-Type": documents.XML, "Link": link_header(set_name)}
    if subscription.secret:
        key = unseal(bytes(subscription.secret)).encode()
        headers["X-Hub-Signature"] = f"sha256={hmac.new(key, body, 'sha256').hexdigest()}"
    return Call(subscription=subscription, body=body, headers=headers, last=last)


def send_all(calls: Iterable[Call]) -> Iterator[Answer]:
    """Send the requests, those to different hosts at the same time; yield an answer for each. No database access."""
    end = time.monotonic() + ROUND
    policy = replace(
        fetch_policy(),
        deadline=DEADLINE,
        connect_timeout=DEADLINE,
        read_timeout=DEADLINE,
        throttle=ThreadThrottle(max_wait=DEADLINE),  # not that of the harvests, which may wait long for a turn
    )
    hosts = [list(group) for _name, group in groupby(sorted(calls, key=_host), _host)]
    hosts.sort(key=lambda group: min(call.subscription.failures for call in group))
    with ThreadPoolExecutor(THREADS, thread_name_prefix="subscribers") as pool:
        for answers in pool.map(lambda group: _send_to_host(group, policy, end), hosts):
            yield from answers


def _host(call: Call) -> str:
    return urlsplit(call.subscription.callback).hostname or ""


def _send_to_host(calls: list[Call], policy: FetchPolicy, end: float) -> list[Answer]:
    """Send the requests to one host until one fails or the round is over; the others wait for the next round."""
    answers: list[Answer] = []
    for call in calls:
        if time.monotonic() > end or (answers and answers[-1].fetched is None):
            answers.append(Answer(call))
            continue
        try:
            answers.append(Answer(call, _send(call, policy)))
        except TransportError as error:
            answers.append(Answer(call, error=error))
    return answers


def _send(call: Call, policy: FetchPolicy) -> Fetched:
    """Raises TransportError if the subscriber is not reached, or does not accept a notification."""
    callback = call.subscription.callback
    with Fetcher(policy) as fetcher:
        if call.challenge:
            answer = fetcher.fetch(callback, call.parameters, max_bytes=len(call.challenge) + 100)
            return answer if answer.status < SERVER_ERROR else answer.checked()
        answer = fetcher.deliver(callback, call.body, call.headers)
        return answer if answer.status == GONE else answer.checked()


def _store(answer: Answer) -> None:
    """Store the result of a call. If the subscriber was not reached, it is called again later."""
    subscription, fetched = answer.call.subscription, answer.fetched
    rows, now = HubSubscription.objects.filter(pk=subscription.pk), timezone.now()
    if answer.error is not None:
        logger.info("%s was not reached: %s", subscription, answer.error.code)
        wait = RETRY_WAITS[min(subscription.failures, len(RETRY_WAITS) - 1)]
        rows.update(due=now + wait, failures=F("failures") + 1)
    elif fetched is None:
        rows.update(due=subscription.due)
    elif answer.call.challenge:
        _store_verification(answer.call, fetched)
    elif fetched.status == GONE:
        rows.delete()
    else:
        rows.update(last_notified=answer.call.last, failures=0, due=now)


def _store_verification(call: Call, fetched: Fetched) -> None:
    """Without confirmation the subscription stays as it was."""
    subscription, now = call.subscription, timezone.now()
    rows = HubSubscription.objects.filter(pk=subscription.pk)
    confirmed = fetched.status // 100 == 2 and fetched.body.strip() == call.challenge.encode()
    if confirmed and subscription.asked == "unsubscribe":
        rows.delete()
    elif confirmed:
        rows.update(
            active=True,
            asked="",
            secret=subscription.asked_secret,
            lease_until=now + timedelta(seconds=subscription.asked_seconds),
            last_notified=subscription.last_notified or last_change(subscription.origin),
            due=now,
        )
    else:
        rows.filter(active=False).delete()
        rows.update(asked="", due=now)
