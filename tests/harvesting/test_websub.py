"""WebSub with a hub on loopback: subscribing, verifying, and what a notification can and cannot do."""

import hmac
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from harvesting import websub
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, Repository, SourceRecord, Subscription
from harvesting.registry.credentials import unseal
from harvesting.registry.registration import register
from tests.harvesting.fakeserver import Answer, serving

pytestmark = pytest.mark.django_db
TOPIC = "https://provider.example.jp/changelist.xml"


@pytest.fixture
def hub():
    with serving() as server:
        server.answer = lambda asked: Answer(status=202)
        yield server


@pytest.fixture
def feed(hub):
    new_feed = Feed(base_url="https://provider.example.jp/", protocol="resourcesync")
    new_feed.memory = {"hub": f"{hub.url}/hub", "topic": TOPIC}
    register(Repository(name="館", state="live"), [new_feed])
    return new_feed


@pytest.fixture
def active(client, feed):
    """A subscription that the hub has verified."""
    subscription = websub.subscribe(feed)
    verify(client, subscription)
    return Subscription.objects.get()


def callback_path(subscription: Subscription) -> str:
    return reverse("websub", args=[subscription.callback])


def verify(client, subscription: Subscription, **other: str):
    query = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.challenge": "c0ffee", "hub.lease_seconds": "864000"}
    return client.get(callback_path(subscription), {**query, **{f"hub.{name}": value for name, value in other.items()}})


def notify(client, subscription: Subscription, body: bytes = b"<urlset/>", method: str = "sha256", secret: str = ""):
    key = secret or unseal(bytes(subscription.secret))
    signature = f"{method}={hmac.new(key.encode(), body, method).hexdigest()}"
    return client.post(callback_path(subscription), body, "application/xml", headers={"X-Hub-Signature": signature})


def test_the_hub_receives_an_unguessable_callback_address(hub, feed):
    subscription = websub.subscribe(feed)
    form = dict(hub.requests[0].form)
    assert hub.requests[0].method == "POST"
    assert form["hub.mode"] == "subscribe"
    assert form["hub.topic"] == TOPIC
    assert form["hub.callback"].endswith(callback_path(subscription))
    assert len(subscription.callback) >= 43
    assert form["hub.secret"] == unseal(bytes(subscription.secret))
    assert form["hub.secret"].encode() not in bytes(subscription.secret)


def test_the_hub_gets_its_challenge_back_as_plain_text(client, feed):
    answer = verify(client, websub.subscribe(feed), challenge="<script>alert(1)</script>")
    assert answer.content == b"<script>alert(1)</script>"
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    subscription = Subscription.objects.get()
    assert subscription.state == "active"
    assert timedelta(days=9) < subscription.lease_until - timezone.now() < timedelta(days=10)


@pytest.mark.parametrize(
    "wrong",
    [{"topic": "https://other.example/"}, {"mode": "unsubscribe"}, {"mode": "x"}, {"challenge": "c" * 3000}],
)
def test_what_was_not_requested_is_not_confirmed(client, feed, wrong):
    assert verify(client, websub.subscribe(feed), **wrong).status_code == 404
    assert Subscription.objects.get().state == "asked"


def test_an_unknown_address_is_not_found(client, active):
    assert client.get(reverse("websub", args=["x" * 43])).status_code == 404
    assert client.post(reverse("websub", args=["x" * 43])).status_code == 404


@pytest.mark.parametrize("seconds", ["0", "-1", "1e9", "99999999999999999999", "", "٣٠٠"])
def test_a_lease_is_kept_within_bounds(client, feed, seconds):
    verify(client, websub.subscribe(feed), lease_seconds=seconds)
    left = Subscription.objects.get().lease_until - timezone.now()
    assert timedelta(minutes=4) < left <= websub.LONGEST_LEASE


def test_a_hub_may_deny_at_any_time(client, active):
    assert verify(client, active, mode="denied").status_code == 200
    assert Subscription.objects.get().state == "refused"
    assert notify(client, active).status_code == 202
    assert not Harvest.objects.exists()


@pytest.mark.parametrize("method", websub.SIGNATURE_METHODS)
def test_a_signed_notification_queues_one_run(client, active, method):
    assert notify(client, active, method=method).status_code == 202
    assert Harvest.objects.get().state == "queued"


@pytest.mark.parametrize("headers", [{}, {"X-Hub-Signature": "sha256=00"}, {"X-Hub-Signature": "md5=x"}])
def test_a_notification_without_a_valid_signature_is_answered_and_ignored(client, active, headers):
    answer = client.post(callback_path(active), b"<urlset/>", "application/xml", headers=headers)
    assert answer.status_code == 202
    assert not Harvest.objects.exists()


def test_a_signature_of_another_secret_or_body_has_no_effect(client, active):
    notify(client, active, secret="guessed")
    good = hmac.new(unseal(bytes(active.secret)).encode(), b"one", "sha256").hexdigest()
    client.post(callback_path(active), b"two", "text/xml", headers={"X-Hub-Signature": f"sha256={good}"})
    assert not Harvest.objects.exists()


def test_a_body_that_is_too_long_has_no_effect(client, active):
    notify(client, active, body=b"x" * (5 * 1024 * 1024))
    assert not Harvest.objects.exists()


def test_a_forged_body_changes_no_record(client, source, feed_of, hub):
    feed = feed_of(source, memory={"hub": f"{hub.url}/hub", "topic": TOPIC})
    harvest(create_harvest(feed))
    before = list(SourceRecord.objects.values_list("public_id", "payload_hash", "deleted"))
    subscription = websub.subscribe(feed)
    verify(client, subscription)
    forged = b'<urlset><url><loc>http://evil.example/</loc><md change="deleted"/></url></urlset>'
    notify(client, Subscription.objects.get(), body=forged)
    harvest(Harvest.objects.get(state="queued"))
    assert list(SourceRecord.objects.values_list("public_id", "payload_hash", "deleted")) == before


def test_a_hundred_notifications_in_a_minute_queue_one_run(client, active, django_assert_max_num_queries):
    for _ in range(100):
        notify(client, active)
        Harvest.objects.update(state="succeeded")  # so that no active harvest holds up the next one
    assert Harvest.objects.count() == 1
    with django_assert_max_num_queries(1):
        notify(client, active)


def test_a_notification_a_minute_later_queues_another_run(client, active):
    notify(client, active)
    Harvest.objects.update(state="succeeded")
    Subscription.objects.update(notified_at=timezone.now() - timedelta(seconds=61))
    notify(client, active)
    assert Harvest.objects.count() == 2


@pytest.mark.parametrize("state", ["paused", "stopped"])
def test_a_repository_that_is_not_live_is_not_harvested(client, active, state):
    Repository.objects.update(state=state)
    notify(client, active)
    assert not Harvest.objects.exists()


def test_after_unsubscribing_notifications_are_answered_with_gone(client, hub, active):
    websub.unsubscribe(active)
    assert dict(hub.requests[-1].form)["hub.mode"] == "unsubscribe"
    assert verify(client, active, mode="unsubscribe").content == b"c0ffee"
    assert notify(client, active).status_code == 410
    assert not Harvest.objects.exists()


def test_a_lease_is_renewed_shortly_before_it_ends(hub, active):
    assert websub.renew_due() == 0
    Subscription.objects.update(
        asked_at=timezone.now() - timedelta(days=9), lease_until=timezone.now() + timedelta(days=1)
    )
    assert websub.renew_due() == 1
    assert Subscription.objects.get().state == "active"  # the old lease runs on until the hub has answered
    assert Subscription.objects.get().callback == active.callback
    assert websub.renew_due() == 0


def test_a_hub_that_refuses_is_asked_again_after_a_week(hub, feed):
    hub.answer = lambda asked: Answer(status=403)
    assert websub.renew_due() == 1
    assert Subscription.objects.get().state == "refused"
    assert websub.renew_due() == 0
    Subscription.objects.update(asked_at=timezone.now() - timedelta(days=8))
    assert websub.renew_due() == 1


def test_a_hub_that_is_down_is_asked_again_after_an_hour(hub, feed):
    hub.answer = lambda asked: Answer(status=500)
    websub.renew_due()
    assert websub.renew_due() == 0
    Subscription.objects.update(asked_at=timezone.now() - timedelta(hours=2))
    assert websub.renew_due() == 1


def test_a_new_hub_gets_a_new_callback_and_secret(hub, active, feed):
    feed.memory = {**feed.memory, "hub": f"{hub.url}/other"}
    feed.save()
    websub.renew_due()
    changed = Subscription.objects.get()
    assert (changed.state, changed.hub) == ("asked", f"{hub.url}/other")
    assert changed.callback != active.callback
    assert bytes(changed.secret) != bytes(active.secret)


def test_a_remote_hub_is_not_given_a_loopback_callback(feed, settings):
    settings.PUBLIC_URL = "http://127.0.0.1:8000"
    feed.memory = {"hub": "https://hub.example.jp/", "topic": TOPIC}
    feed.save()
    assert websub.subscribe(feed) is None
    assert websub.renew_due() == 0


@pytest.mark.parametrize("memory", [{}, {"hub": "ftp://hub.example/", "topic": TOPIC}, {"hub": "https://h.example/"}])
def test_without_a_usable_hub_no_subscription_is_requested(feed, memory):
    feed.memory = memory
    feed.save()
    assert websub.renew_due() == 0
    assert not Subscription.objects.exists()
