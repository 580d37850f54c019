"""Who wants to know of changes is called: subscribing as WebSub says, notifications, those who cannot be reached."""

import hmac
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from lxml import etree

from aggregator.models import HubSubscription
from aggregator.provision.resourcesync import hub
from aggregator.provision.resourcesync import naming as names
from aggregator.tasks import aggregate, tell_subscribers
from harvesting.http.fetch import Fetcher
from harvesting.registry.transport import fetch_policy
from harvesting.transports.patience import Patience
from harvesting.transports.resourcesync.discovery import discover
from harvesting.transports.resourcesync.requests import Asking
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.harvesting.fakeserver import LOOPBACK, Answer, Asked, FakeServer, serving

pytestmark = pytest.mark.django_db
SECRET = "between us"
HUB = "/resourcesync/hub"


class Subscriber:
    """A server that wants to be called. says: what it answers to the question whether it meant it."""

    def __init__(self, server: FakeServer) -> None:
        self.url = f"{server.url}/callback"
        self.told: list[Asked] = []
        self.status = 204
        self.meant_it = True
        server.answer = self.answer

    def answer(self, request: Asked) -> Answer:
        if request.method == "POST":
            self.told.append(request)
            return Answer(b"", status=self.status)
        challenge = request.arguments["hub.challenge"]
        return Answer(challenge.encode() if self.meant_it else b"no")

    @property
    def names(self) -> list[str]:
        """What it was told of, over all calls."""
        roots = [etree.fromstring(each.body) for each in self.told]
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


def ask(client: Client, subscriber: Subscriber, mode: str = "subscribe", **more: str) -> int:
    form = {"hub.mode": mode, "hub.topic": names.channel_url("merged"), "hub.callback": subscriber.url}
    return client.post(HUB, form | {"hub.secret": SECRET} | more).status_code


def changed(shelf: Shelf, title: str) -> None:
    shelf.put("a", "one", record("1", title=title))
    aggregate()
    HubSubscription.objects.update(due=timezone.now())
    tell_subscribers()


def test_a_subscriber_is_told_of_what_changes_from_then_on(client, shelf, subscriber) -> None:
    assert ask(client, subscriber) == 202
    assert hub.something_to_tell()
    tell_subscribers()
    assert HubSubscription.objects.get().active
    assert not hub.something_to_tell()
    changed(shelf, "改訂版")
    (call,) = subscriber.told
    assert [each[0] for each in subscriber.names] == ["M"]
    assert call.headers["content-type"] == "application/xml"
    assert f'<{names.channel_url("merged")}>; rel="self"' in call.headers["link"]
    assert call.headers["x-hub-signature"] == "sha256=" + hmac.new(SECRET.encode(), call.body, "sha256").hexdigest()
    tell_subscribers()
    assert len(subscriber.told) == 1


def test_who_did_not_mean_it_is_never_called(client, shelf, subscriber) -> None:
    subscriber.meant_it = False
    ask(client, subscriber)
    tell_subscribers()
    assert not HubSubscription.objects.exists()
    changed(shelf, "改訂版")
    assert not subscriber.told


def test_nobody_else_changes_a_subscription(client, shelf, subscriber) -> None:
    """Another secret, or the end of it, counts only when the subscriber confirms it."""
    ask(client, subscriber)
    tell_subscribers()
    subscriber.meant_it = False
    ask(client, subscriber, **{"hub.secret": "of somebody else"})
    tell_subscribers()
    ask(client, subscriber, "unsubscribe")
    tell_subscribers()
    changed(shelf, "改訂版")
    call = subscriber.told[0]
    assert call.headers["x-hub-signature"] == "sha256=" + hmac.new(SECRET.encode(), call.body, "sha256").hexdigest()


def test_who_ends_it_is_told_nothing_more(client, shelf, subscriber) -> None:
    ask(client, subscriber)
    tell_subscribers()
    ask(client, subscriber, "unsubscribe")
    tell_subscribers()
    assert not HubSubscription.objects.exists()


def test_who_cannot_be_reached_is_told_later_and_of_everything(client, shelf, subscriber) -> None:
    ask(client, subscriber)
    tell_subscribers()
    subscriber.status = 503
    changed(shelf, "改訂版")
    assert HubSubscription.objects.get().due > timezone.now() + timedelta(seconds=30)
    subscriber.status, subscriber.told = 200, []
    changed(shelf, "第三版")
    assert len(subscriber.names) == 2


def test_a_lease_runs_out(client, shelf, subscriber) -> None:
    ask(client, subscriber, **{"hub.lease_seconds": "1"})
    tell_subscribers()
    lease = HubSubscription.objects.get().lease_until - timezone.now()
    assert timedelta(minutes=4) < lease <= timedelta(minutes=5)
    HubSubscription.objects.update(lease_until=timezone.now())
    changed(shelf, "改訂版")
    assert not subscriber.told and not HubSubscription.objects.exists()


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
def test_what_is_wrong_with_a_request_is_said(client, shelf, subscriber, wrong) -> None:
    form = {"hub.mode": "subscribe", "hub.topic": names.channel_url("merged"), "hub.callback": subscriber.url}
    response = client.post(HUB, form | wrong)
    assert response.status_code == 400
    assert "hub." in response.text
    assert not HubSubscription.objects.exists()


def test_the_hub_calls_no_inner_network(client, shelf, subscriber, settings) -> None:
    settings.HARVEST_ALLOWED_NETWORKS = []
    ask(client, subscriber)
    tell_subscribers()
    assert not HubSubscription.objects.filter(active=True).exists()


def test_one_host_cannot_be_called_without_end(client, shelf, subscriber, monkeypatch) -> None:
    monkeypatch.setattr(hub, "MOST_OF_HOST", 2)
    base = subscriber.url
    answers = []
    for number in range(4):
        subscriber.url = f"{base}/{number}"
        answers.append(ask(client, subscriber))
    assert answers == [202, 202, 400, 400]


def test_a_hub_of_the_settings_is_told_and_named(client, shelf, subscriber, settings) -> None:
    settings.WEBSUB_HUB = subscriber.url
    assert client.post(HUB, {}).status_code == 404
    tell_subscribers()
    changed(shelf, "改訂版")
    assert len(subscriber.told) == 2  # of the provider's set and of the merged one
    root = etree.fromstring(client.get("/resourcesync/merged/capabilitylist.xml").content)
    assert subscriber.url in [each.get("href") for each in root.iter("{*}ln")]


def test_a_channel_speaks_of_its_hub(client, shelf) -> None:
    response = client.get("/resourcesync/merged/changes")
    assert 'rel="hub"' in response["Link"] and 'rel="self"' in response["Link"]
    assert etree.fromstring(response.content).xpath("count(//*[local-name()='loc'])") == 1


@pytest.mark.django_db(transaction=True)
def test_our_own_harvester_finds_the_channel(live_server, shelf, settings) -> None:
    settings.PUBLIC_URL = live_server.url
    start = f"{live_server.url}/.well-known/resourcesync"
    with Fetcher(replace(fetch_policy(), allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        found = discover(Asking(fetcher.fetch, Patience(), start), start)
    offer = found.offers[0]
    assert offer.hub == f"{live_server.url}{HUB}"
    assert offer.topic.endswith("/changes")
