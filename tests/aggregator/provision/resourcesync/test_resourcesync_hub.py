"""The WebSub hub: subscriptions, notifications, and subscribers that cannot be reached."""

import hmac
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from lxml import etree

from aggregator.models import HubSubscription
from aggregator.provision.resourcesync import hub, hub_calls, naming
from aggregator.provision.resourcesync.hub_calls import process_subscriptions
from aggregator.tasks import aggregate
from harvesting.http.fetch import Fetcher
from harvesting.registry.transport import fetch_policy
from harvesting.transports.resourcesync.discovery import discover
from harvesting.transports.resourcesync.requests import SourceClient
from harvesting.transports.retries import RetryPolicy
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, Request, serving

pytestmark = pytest.mark.django_db
SECRET = "between us"
HUB = "/resourcesync/hub"


class Subscriber:
    """A subscriber's server. confirms: whether it confirms its subscription. status: its answer to notifications."""

    def __init__(self, server: FakeServer) -> None:
        self.url = f"{server.url}/callback"
        self.calls: list[Request] = []
        self.status = 204
        self.confirms = True
        server.answer = self.answer

    def answer(self, request: Request) -> Answer:
        if request.method == "POST":
            self.calls.append(request)
            return Answer(b"", status=self.status)
        challenge = request.arguments["hub.challenge"]
        return Answer(challenge.encode() if self.confirms else b"no")

    @property
    def names(self) -> list[str]:
        """The resources in all notifications."""
        roots = [etree.fromstring(call.body) for call in self.calls]
        return [loc.text.rpartition("/")[2] for root in roots for loc in root.iter("{*}loc")]


@pytest.fixture
def shelf() -> Shelf:
    shelf = Shelf()
    shelf.put("a", "one", record("1"))
    aggregate()
    return shelf


@pytest.fixture
def subscriber() -> Iterator[Subscriber]:
    with serving() as server:
        yield Subscriber(server)


def send_request(client: Client, subscriber: Subscriber, mode: str = "subscribe", **more: str) -> int:
    form = {"hub.mode": mode, "hub.topic": naming.channel_url("merged"), "hub.callback": subscriber.url}
    return client.post(HUB, form | {"hub.secret": SECRET} | more).status_code


def change_and_notify(shelf: Shelf, title: str) -> None:
    shelf.put("a", "one", record("1", title=title))
    aggregate()
    HubSubscription.objects.update(due=timezone.now())
    process_subscriptions()


def test_a_subscriber_is_notified_of_later_changes(client, shelf, subscriber) -> None:
    assert send_request(client, subscriber) == 202
    assert hub_calls.has_work()
    process_subscriptions()
    assert HubSubscription.objects.get().active
    assert not hub_calls.has_work()
    change_and_notify(shelf, "改訂版")
    (call,) = subscriber.calls
    assert [link[0] for link in subscriber.names] == ["M"]
    assert call.headers["content-type"] == "application/xml"
    assert f'<{naming.channel_url("merged")}>; rel="self"' in call.headers["link"]
    assert call.headers["x-hub-signature"] == "sha256=" + hmac.new(SECRET.encode(), call.body, "sha256").hexdigest()
    process_subscriptions()
    assert len(subscriber.calls) == 1


def test_an_unconfirmed_subscriber_is_never_notified(client, shelf, subscriber) -> None:
    subscriber.confirms = False
    send_request(client, subscriber)
    process_subscriptions()
    assert not HubSubscription.objects.exists()
    change_and_notify(shelf, "改訂版")
    assert not subscriber.calls


def test_nobody_else_can_change_a_subscription(client, shelf, subscriber) -> None:
    """A new secret, or the end of the subscription, takes effect only if the subscriber confirms it."""
    send_request(client, subscriber)
    process_subscriptions()
    subscriber.confirms = False
    send_request(client, subscriber, **{"hub.secret": "of somebody else"})
    process_subscriptions()
    send_request(client, subscriber, "unsubscribe")
    process_subscriptions()
    change_and_notify(shelf, "改訂版")
    call = subscriber.calls[0]
    assert call.headers["x-hub-signature"] == "sha256=" + hmac.new(SECRET.encode(), call.body, "sha256").hexdigest()


def test_a_cancelled_subscription_is_deleted(client, shelf, subscriber) -> None:
    send_request(client, subscriber)
    process_subscriptions()
    send_request(client, subscriber, "unsubscribe")
    process_subscriptions()
    assert not HubSubscription.objects.exists()


def test_an_unreachable_subscriber_later_gets_all_changes(client, shelf, subscriber) -> None:
    send_request(client, subscriber)
    process_subscriptions()
    subscriber.status = 503
    change_and_notify(shelf, "改訂版")
    assert HubSubscription.objects.get().due > timezone.now() + timedelta(seconds=30)
    subscriber.status, subscriber.calls = 200, []
    change_and_notify(shelf, "第三版")
    assert len(subscriber.names) == 2


def test_a_lease_expires(client, shelf, subscriber) -> None:
    send_request(client, subscriber, **{"hub.lease_seconds": "1"})
    process_subscriptions()
    lease = HubSubscription.objects.get().lease_until - timezone.now()
    assert timedelta(minutes=4) < lease <= timedelta(minutes=5)
    HubSubscription.objects.update(lease_until=timezone.now())
    change_and_notify(shelf, "改訂版")
    assert not subscriber.calls and not HubSubscription.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"hub.mode": "look"},
        {"hub.topic": "http://elsewhere.example/"},
        {"hub.callback": "ftp://subscriber.example/"},
        {"hub.callback": "http://user@subscriber.example/"},
        {"hub.lease_seconds": "-1"},
        {"hub.lease_seconds": "9" * 30},
        {"hub.secret": "s" * 200},
        {"hub.callback": "http://subscriber.example/" + "a" * 500},
    ],
)
def test_an_invalid_request_is_refused_with_a_reason(client, shelf, subscriber, wrong) -> None:
    form = {"hub.mode": "subscribe", "hub.topic": naming.channel_url("merged"), "hub.callback": subscriber.url}
    response = client.post(HUB, form | wrong)
    assert response.status_code == 400
    assert "hub." in response.text
    assert not HubSubscription.objects.exists()


def test_the_hub_calls_no_internal_network(client, shelf, subscriber, settings) -> None:
    settings.HARVEST_ALLOWED_NETWORKS = []
    send_request(client, subscriber)
    process_subscriptions()
    assert not HubSubscription.objects.filter(active=True).exists()


def test_the_subscriptions_of_a_host_are_limited(client, shelf, subscriber, monkeypatch) -> None:
    monkeypatch.setattr(hub, "MAX_PER_HOST", 2)
    base = subscriber.url
    answers = []
    for number in range(4):
        subscriber.url = f"{base}/{number}"
        answers.append(send_request(client, subscriber))
    assert answers == [202, 202, 400, 400]


@pytest.mark.parametrize(
    "spelling",
    [
        "http://localhost:{port}?i={i}",
        "http://localhost:0{port}/{i}",
        "HTTP://LOCALHOST:{port}/{i}",
        "http://localhost.:{port}/{i}",
        "http://localhost:{port}/{i}#part",
        "https://localhost/{i}",
        "http://[::ffff:127.0.0.1]:{port}/{i}",
        "http://127.1/{i}",
    ],
)
def test_no_spelling_of_a_host_passes_its_limit(client, shelf, monkeypatch, spelling) -> None:
    monkeypatch.setattr(hub, "MAX_PER_HOST", 2)
    form = {"hub.mode": "subscribe", "hub.topic": naming.channel_url("merged")}
    host = "localhost" if "localhost" in spelling.lower() else "127.0.0.1"
    plain = [f"http://{host}:18561/a", f"http://{host}:18561/b"]
    answers = [
        client.post(HUB, form | {"hub.callback": callback}).status_code
        for callback in (*plain, spelling.format(port=18561, i=1))
    ]
    assert answers == [202, 202, 400]


def test_a_network_has_a_budget_of_requests(client, shelf, subscriber) -> None:
    form = {"hub.mode": "subscribe", "hub.topic": naming.channel_url("merged")}
    answers = [
        client.post(HUB, form | {"hub.callback": f"http://s{n}.example/"}, REMOTE_ADDR="8.8.4.4") for n in range(61)
    ]
    assert {answer.status_code for answer in answers[:60]} == {202}
    assert answers[60].status_code == 429 and int(answers[60]["Retry-After"]) > 0
    assert client.post(HUB, form | {"hub.callback": "http://o.example/"}, REMOTE_ADDR="9.9.9.9").status_code == 202


def test_tarpits_hold_up_neither_others_nor_the_round(client, shelf, subscriber, monkeypatch) -> None:
    monkeypatch.setattr(hub_calls, "DEADLINE", 0.5)
    with tarpit() as port:
        for number in range(2, 10):
            send_request(client, subscriber, **{"hub.callback": f"http://127.0.0.{number}:{port}/"})
        send_request(client, subscriber)
        begun = time.monotonic()
        process_subscriptions()
    assert time.monotonic() - begun < 3  # one after the other: more than 4 seconds
    assert HubSubscription.objects.get(active=True).callback == f"{subscriber.url}"
    assert HubSubscription.objects.filter(failures=1, due__gt=timezone.now()).count() == 8


def test_a_slow_host_is_called_once_a_round(client, shelf, monkeypatch) -> None:
    monkeypatch.setattr(hub_calls, "DEADLINE", 0.3)
    form = {"hub.mode": "subscribe", "hub.topic": naming.channel_url("merged")}
    with tarpit() as port:
        for number in range(5):
            client.post(HUB, form | {"hub.callback": f"http://127.0.0.1:{port}/{number}"})
        assert process_subscriptions() == 1
    assert HubSubscription.objects.filter(due__lte=timezone.now()).count() == 4


def test_two_dispatchers_call_a_subscriber_once(client, shelf, subscriber) -> None:
    send_request(client, subscriber)
    (due,) = hub_calls._due()
    assert [hub_calls._claim(due), hub_calls._claim(due)] == [True, False]


@contextmanager
def tarpit() -> Iterator[int]:
    """A server on all loopback addresses that accepts connections and never answers; its port."""
    with socket.create_server(("0.0.0.0", 0), backlog=50) as listening:
        yield listening.getsockname()[1]


def test_a_hub_in_the_settings_is_notified_and_named(client, shelf, subscriber, settings) -> None:
    settings.WEBSUB_HUB = subscriber.url
    assert client.post(HUB, {}).status_code == 404
    process_subscriptions()
    change_and_notify(shelf, "改訂版")
    assert len(subscriber.calls) == 2  # one about the provider's set, one about the merged records
    root = etree.fromstring(client.get("/resourcesync/merged/capabilitylist.xml").content)
    assert subscriber.url in [link.get("href") for link in root.iter("{*}ln")]


def test_a_channel_names_its_hub(client, shelf) -> None:
    response = client.get("/resourcesync/merged/changes")
    assert 'rel="hub"' in response["Link"] and 'rel="self"' in response["Link"]
    assert etree.fromstring(response.content).xpath("count(//*[local-name()='loc'])") == 1


@pytest.mark.django_db(transaction=True)
def test_our_own_harvester_finds_the_channel(live_server, shelf, settings) -> None:
    settings.PUBLIC_URL = live_server.url
    start = f"{live_server.url}/.well-known/resourcesync"
    with Fetcher(replace(fetch_policy(), allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        discovered = discover(SourceClient(fetcher.fetch, RetryPolicy(), start), start)
    offer = discovered.offers[0]
    assert offer.hub == f"{live_server.url}{HUB}"
    assert offer.topic.endswith("/changes")
