"""Notifications: events reach each recipient once, by the recipient's settings; new addresses must be confirmed."""

import json
import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from harvesting.accounts.roles import LIBRARIANS, STAFF, ensure_roles
from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import NotificationEvent, NotificationItem, OutgoingMessage, Recipient, Repository
from harvesting.monitoring.events import record_events, record_silences
from harvesting.notifications.composing import Weight, compose, last_morning, notify
from harvesting.notifications.outbox import send_due
from harvesting.registry.registration import register
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db


def person(name: str, group: str):
    ensure_roles()
    user = get_user_model().objects.create_user(name, f"{name}@example.jp", "x", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


def recipient_of(user, **fields) -> Recipient:
    values = {"address": user.email, "confirmed": timezone.now(), "when": "always", "language": "en", **fields}
    return Recipient.objects.create(person=user, **values)


@pytest.fixture
def repository():
    return register(Repository(name="見本図書館", name_en="Sample Library"), [])


@pytest.fixture
def hanako(repository):
    user = person("hanako", LIBRARIANS)
    repository.managers.add(user)
    return user


def send_all() -> list[str]:
    """Compose and send everything that is due, as the dispatcher does; the address and subject of every mail so far."""
    compose(timezone.now())
    send_due()
    return [f"{message.to[0]}: {message.subject}" for message in mail.outbox]


def record_event(repository, weight=Weight.IMPORTANT, key="e1") -> bool:
    facts = {"state": "failed", "counts": {"received": 3}, "code": "", "harvest": 7}
    return notify(key, "harvest.ended", repository, weight, facts)


def test_the_end_of_a_harvest_is_notified_once_with_counts_and_issues(source, feed_of):
    source.update([sample("b3", title="")])
    feed = feed_of(source)
    user = person("taro", STAFF)
    recipient_of(user)
    harvest(create_harvest(feed))
    assert (record_events(timezone.now()), record_events(timezone.now())) == (1, 0)
    send_all()
    send_all()
    assert len(mail.outbox) == 1
    text = mail.outbox[0].body
    assert "received 5" in text
    assert "dcndl." in text
    assert "List-Unsubscribe" in mail.outbox[0].extra_headers


@pytest.mark.parametrize(
    ("when", "weights"),
    [("always", {0, 1, 2}), ("change", {1, 2}), ("error", {2}), ("never", set())],
)
def test_a_recipient_gets_the_events_of_the_chosen_weight(repository, hanako, when, weights):
    recipient_of(hanako, when=when)
    for weight in Weight:
        record_event(repository, weight, f"e{weight}")
    assert {item.event.weight for item in NotificationItem.objects.all()} == weights


def test_a_setting_for_one_provider_takes_precedence_and_others_get_nothing(repository, hanako):
    recipient_of(hanako)
    recipient_of(hanako, repository=repository, when="never")
    recipient_of(person("other", LIBRARIANS))
    record_event(repository)
    assert not NotificationItem.objects.exists()


def test_a_person_who_no_longer_manages_the_provider_gets_no_message(repository, hanako):
    recipient_of(hanako)
    record_event(repository)
    repository.managers.clear()
    assert send_all() == []
    assert not OutgoingMessage.objects.exists()


def test_a_digest_is_sent_the_next_morning_with_all_events(repository, hanako):
    recipient_of(hanako, how="daily")
    record_event(repository, key="e1")
    record_event(repository, key="e2")
    assert send_all() == []
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        assert send_all() == ["hanako@example.jp: 2 notifications"]
        assert len(send_all()) == 1
    assert mail.outbox[0].body.count("Sample Library") == 2


def test_the_morning_of_a_weekly_digest_is_a_monday():
    now = timezone.now()
    assert last_morning(now, weekly=True).weekday() == 0
    assert timedelta(0) <= now - last_morning(now, weekly=False) < timedelta(days=1)


def test_a_message_is_in_the_language_of_its_recipient(repository, hanako):
    recipient_of(hanako, language="ja")
    record_event(repository)
    send_all()
    assert "見本図書館" in mail.outbox[0].subject


def test_a_contact_address_must_be_confirmed_before_it_gets_notifications(client, repository):
    Repository.objects.filter(pk=repository.pk).update(contact_email="c@example.jp")
    record_event(repository)
    record_events(timezone.now())
    record_events(timezone.now())
    send_all()
    assert len(mail.outbox) == 1
    link = re.search(r"http://127\.0\.0\.1:8000(/notices/\S+)", mail.outbox[0].body)[1]
    client.get(link)
    record_event(repository, key="e2")
    assert not NotificationItem.objects.exists()  # opening the page confirms nothing
    assert client.post(link).status_code == 200
    record_event(repository, key="e3")
    send_all()
    assert [message.to for message in mail.outbox] == [["c@example.jp"]] * 2


def test_a_replaced_contact_address_is_stopped(repository):
    for address in ("c@example.jp", "d@example.jp"):
        Repository.objects.filter(pk=repository.pk).update(contact_email=address)
        record_events(timezone.now())
    stopped = dict(Recipient.objects.values_list("address", "stopped_why"))
    assert stopped == {"c@example.jp": "replaced", "d@example.jp": ""}


def test_the_link_in_a_mail_stops_notifications_without_a_login(client, repository, hanako):
    recipient_of(hanako)
    record_event(repository)
    send_all()
    link = re.search(r"http://127\.0\.0\.1:8000(/notices/stop/\S+)", mail.outbox[0].body)[1]
    assert client.get(link).status_code == 200
    assert Recipient.objects.get().stopped is None
    assert Client(enforce_csrf_checks=True).post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    record_event(repository, key="e2")
    assert len(send_all()) == 1
    assert client.get("/notices/stop/made-up").status_code == 410


def test_a_silent_provider_is_notified_once(source, feed_of):
    feed = feed_of(source)
    feed.schedule = "daily"
    feed.save()
    recipient_of(person("taro", STAFF))
    with time_machine.travel(timezone.now() + timedelta(days=30)):
        assert (record_silences(timezone.now()), record_silences(timezone.now())) == (1, 0)
        send_all()
    assert NotificationEvent.objects.get().kind == "provider.silent"


def test_only_staff_are_notified_of_matching_alarms(repository, hanako):
    recipient_of(hanako)
    recipient_of(person("taro", STAFF))
    notify("a1", "matches.alarms", None, Weight.IMPORTANT, {"count": 3})
    assert send_all() == ["taro@example.jp: new matching alarms"]


def test_a_webhook_message_is_json(repository, hanako):
    recipient_of(hanako, channel="webhook", address="https://hook.example.jp/")
    record_event(repository)
    compose(timezone.now())
    body = json.loads(OutgoingMessage.objects.get().text)
    assert (body["event"], body["repository"], body["facts"]["counts"]) == (
        "harvest.ended", repository.number, {"received": 3},
    )  # fmt: skip


def test_a_new_address_is_asked_for_confirmation_and_its_messages_are_listed(client, repository, hanako):
    client.force_login(hanako)
    sent = {"repository": "", "channel": "mail", "address": "h@example.jp", "when": "error", "how": "at_once"}
    assert client.post(reverse("notification_settings"), {**sent, "language": "en"}).status_code == 302
    send_all()
    assert mail.outbox[0].to == ["h@example.jp"]
    assert "h@example.jp" in client.get(reverse("notices")).text
    message = OutgoingMessage.objects.get()
    assert "not shown" in client.get(reverse("notice_letter", args=[message.pk]), HTTP_ACCEPT_LANGUAGE="en").text


def test_the_key_of_a_webhook_is_shown_once_and_stored_encrypted(client, hanako):
    client.force_login(hanako)
    sent = {"channel": "webhook", "address": "https://hook.example.jp/", "when": "error", "how": "at_once"}
    page = client.post(
        reverse("notification_settings"), {**sent, "language": "en"}, follow=True, HTTP_ACCEPT_LANGUAGE="en"
    )
    key = re.search(r"Store it safely: (\S{43})", page.text)[1]
    assert key not in client.get(reverse("notification_settings")).text
    assert key.encode() not in bytes(Recipient.objects.get().secret)


@pytest.mark.parametrize("address", ["javascript:alert(1)", "not an address", ""])
def test_an_invalid_address_is_refused(client, hanako, address):
    client.force_login(hanako)
    for channel in ("mail", "webhook"):
        sent = {"channel": channel, "address": address, "when": "error", "how": "at_once", "language": "en"}
        assert client.post(reverse("notification_settings"), sent).status_code == 422


def test_other_librarians_cannot_see_or_change_messages_and_addresses(client, repository, hanako):
    recipient_of(hanako)
    record_event(repository)
    send_all()
    client.force_login(person("other", LIBRARIANS))
    assert client.get(reverse("notice_letter", args=[OutgoingMessage.objects.get().pk])).status_code == 404
    address = reverse("notification_address", args=[Recipient.objects.get().pk])
    assert client.post(address, {"do": "stop"}).status_code == 404
    assert "hanako@example.jp" not in client.get(reverse("notices")).text


@pytest.mark.parametrize(
    ("button", "left", "said"),
    [("stop", True, "Notifications to %s have been stopped."), ("remove", False, "The address %s has been removed.")],
)
def test_an_address_can_be_stopped_or_removed(client, hanako, button, left, said):
    to = recipient_of(hanako)
    client.force_login(hanako)
    english = {"accept-language": "en"}
    page = client.post(reverse("notification_address", args=[to.pk]), {"do": button}, follow=True, headers=english).text
    assert said % to.address in page
    assert Recipient.objects.filter(pk=to.pk).exclude(stopped=None).exists() is left


def test_a_failed_message_can_be_sent_again(client, repository, hanako):
    message = OutgoingMessage.objects.create(
        key="k", kind="notice", recipient=recipient_of(hanako), address="x", state="failed", text="t"
    )
    client.force_login(hanako)
    client.post(reverse("notice_letter", args=[message.pk]))
    message.refresh_from_db()
    assert message.state == "waiting"


def test_the_queries_of_the_page_do_not_grow_with_messages(client, repository, hanako, django_assert_max_num_queries):
    to = recipient_of(hanako)
    for number in range(60):
        OutgoingMessage.objects.create(
            key=f"k{number}", kind="notice", recipient=to, repository=repository, address="x", text="t"
        )
    client.force_login(hanako)
    with django_assert_max_num_queries(14):
        assert "?state=&amp;before=" in client.get(reverse("notices")).text


def test_a_round_without_events_needs_few_queries(repository, django_assert_max_num_queries):
    record_events(timezone.now())
    with django_assert_max_num_queries(12):
        assert record_events(timezone.now()) + compose(timezone.now()) + send_due() == 0
