"""What happens is told to whom it concerns, as they wish, once; nothing goes to an address that was not confirmed."""

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
from harvesting.monitoring.events import record_events, silences
from harvesting.notifications.composing import Weight, compose, last_morning, tell
from harvesting.notifications.outbox import send_due
from harvesting.registry.registration import register
from tests.harvesting.conftest import sample

pytestmark = pytest.mark.django_db


def person(name: str, group: str):
    ensure_roles()
    user = get_user_model().objects.create_user(name, f"{name}@example.jp", "x", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


def writes_to(user, **fields) -> Recipient:
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


def go_out() -> list[str]:
    """Everything that is due, as the dispatcher does it; the addresses and subjects of the mails."""
    compose(timezone.now())
    send_due()
    return [f"{each.to[0]}: {each.subject}" for each in mail.outbox]


def happens(repository, weight=Weight.IMPORTANT, key="e1") -> bool:
    facts = {"state": "failed", "counts": {"received": 3}, "code": "", "harvest": 7}
    return tell(key, "harvest.ended", repository, weight, facts)


def test_a_harvest_that_ended_is_told_once_with_its_counts_and_first_issues(source, feed_of):
    source.update([sample("b3", title="")])
    feed = feed_of(source)
    user = person("taro", STAFF)
    writes_to(user)
    harvest(create_harvest(feed))
    assert (record_events(timezone.now()), record_events(timezone.now())) == (1, 0)
    go_out()
    go_out()
    assert len(mail.outbox) == 1
    text = mail.outbox[0].body
    assert "received 5" in text
    assert "dcndl." in text
    assert "List-Unsubscribe" in mail.outbox[0].extra_headers


@pytest.mark.parametrize(
    ("when", "weights"),
    [("always", {0, 1, 2}), ("change", {1, 2}), ("error", {2}), ("never", set())],
)
def test_each_wish_takes_in_what_it_says(repository, hanako, when, weights):
    writes_to(hanako, when=when)
    for weight in Weight:
        happens(repository, weight, f"e{weight}")
    assert {each.event.weight for each in NotificationItem.objects.all()} == weights


def test_others_hear_nothing_and_what_is_set_for_one_provider_goes_first(repository, hanako):
    writes_to(hanako)
    writes_to(hanako, repository=repository, when="never")
    writes_to(person("other", LIBRARIANS))
    happens(repository)
    assert not NotificationItem.objects.exists()


def test_who_lost_the_provider_meanwhile_gets_no_letter(repository, hanako):
    writes_to(hanako)
    happens(repository)
    repository.managers.clear()
    assert go_out() == []
    assert not OutgoingMessage.objects.exists()


def test_a_digest_comes_in_the_morning_with_all_of_it(repository, hanako):
    writes_to(hanako, how="daily")
    happens(repository, key="e1")
    happens(repository, key="e2")
    assert go_out() == []
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        assert go_out() == ["hanako@example.jp: 2 notices"]
        assert len(go_out()) == 1
    assert mail.outbox[0].body.count("Sample Library") == 2


def test_the_morning_of_a_weekly_digest_is_a_monday():
    now = timezone.now()
    assert last_morning(now, weekly=True).weekday() == 0
    assert timedelta(0) <= now - last_morning(now, weekly=False) < timedelta(days=1)


def test_a_letter_is_in_the_language_of_its_reader(repository, hanako):
    writes_to(hanako, language="ja")
    happens(repository)
    go_out()
    assert "見本図書館" in mail.outbox[0].subject


def test_a_contact_is_asked_before_anything_else_goes_there(client, repository):
    Repository.objects.filter(pk=repository.pk).update(contact_email="c@example.jp")
    happens(repository)
    record_events(timezone.now())
    record_events(timezone.now())
    go_out()
    assert len(mail.outbox) == 1
    link = re.search(r"http://127\.0\.0\.1:8000(/notices/\S+)", mail.outbox[0].body)[1]
    client.get(link)
    happens(repository, key="e2")
    assert not NotificationItem.objects.exists()  # looking at the page confirms nothing
    assert client.post(link).status_code == 200
    happens(repository, key="e3")
    go_out()
    assert [each.to for each in mail.outbox] == [["c@example.jp"]] * 2


def test_a_contact_that_was_replaced_hears_nothing_more(repository):
    for address in ("c@example.jp", "d@example.jp"):
        Repository.objects.filter(pk=repository.pk).update(contact_email=address)
        record_events(timezone.now())
    stopped = dict(Recipient.objects.values_list("address", "stopped_why"))
    assert stopped == {"c@example.jp": "replaced", "d@example.jp": ""}


def test_the_link_in_a_mail_stops_it_without_a_login(client, repository, hanako):
    writes_to(hanako)
    happens(repository)
    go_out()
    link = re.search(r"http://127\.0\.0\.1:8000(/notices/stop/\S+)", mail.outbox[0].body)[1]
    assert client.get(link).status_code == 200
    assert Recipient.objects.get().stopped is None
    assert Client(enforce_csrf_checks=True).post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    happens(repository, key="e2")
    assert len(go_out()) == 1
    assert client.get("/notices/stop/made-up").status_code == 410


def test_a_silent_provider_is_told_once(source, feed_of):
    feed = feed_of(source)
    feed.schedule = "daily"
    feed.save()
    writes_to(person("taro", STAFF))
    with time_machine.travel(timezone.now() + timedelta(days=30)):
        assert (silences(timezone.now()), silences(timezone.now())) == (1, 0)
        go_out()
    assert NotificationEvent.objects.get().kind == "provider.silent"


def test_alarms_of_the_matching_are_for_staff(repository, hanako):
    writes_to(hanako)
    writes_to(person("taro", STAFF))
    tell("a1", "matches.alarms", None, Weight.IMPORTANT, {"count": 3})
    assert go_out() == ["taro@example.jp: alarms of the matching"]


def test_a_webhook_is_told_as_json(repository, hanako):
    writes_to(hanako, channel="webhook", address="https://hook.example.jp/")
    happens(repository)
    compose(timezone.now())
    body = json.loads(OutgoingMessage.objects.get().text)
    assert (body["event"], body["repository"], body["facts"]["counts"]) == (
        "harvest.ended", repository.number, {"received": 3},
    )  # fmt: skip


def test_somebody_adds_an_address_is_asked_and_sees_what_was_sent(client, repository, hanako):
    client.force_login(hanako)
    sent = {"repository": "", "channel": "mail", "address": "h@example.jp", "when": "error", "how": "at_once"}
    assert client.post(reverse("notice_wishes"), {**sent, "language": "en"}).status_code == 302
    go_out()
    assert mail.outbox[0].to == ["h@example.jp"]
    assert "h@example.jp" in client.get(reverse("notices")).text
    letter = OutgoingMessage.objects.get()
    assert "not shown" in client.get(reverse("notice_letter", args=[letter.pk]), HTTP_ACCEPT_LANGUAGE="en").text


def test_the_key_of_a_webhook_is_shown_once_and_kept_sealed(client, hanako):
    client.force_login(hanako)
    sent = {"channel": "webhook", "address": "https://hook.example.jp/", "when": "error", "how": "at_once"}
    page = client.post(reverse("notice_wishes"), {**sent, "language": "en"}, follow=True, HTTP_ACCEPT_LANGUAGE="en")
    key = re.search(r"Keep it: (\S{43})", page.text)[1]
    assert key not in client.get(reverse("notice_wishes")).text
    assert key.encode() not in bytes(Recipient.objects.get().secret)


@pytest.mark.parametrize("address", ["javascript:alert(1)", "not an address", ""])
def test_what_is_no_address_is_refused(client, hanako, address):
    client.force_login(hanako)
    for channel in ("mail", "webhook"):
        sent = {"channel": channel, "address": address, "when": "error", "how": "at_once", "language": "en"}
        assert client.post(reverse("notice_wishes"), sent).status_code == 422


def test_nobody_sees_or_changes_what_is_not_theirs(client, repository, hanako):
    writes_to(hanako)
    happens(repository)
    go_out()
    client.force_login(person("other", LIBRARIANS))
    assert client.get(reverse("notice_letter", args=[OutgoingMessage.objects.get().pk])).status_code == 404
    assert client.post(reverse("notice_wish", args=[Recipient.objects.get().pk]), {"do": "stop"}).status_code == 404
    assert "hanako@example.jp" not in client.get(reverse("notices")).text


@pytest.mark.parametrize(("button", "left"), [("stop", True), ("remove", False)])
def test_an_address_is_stopped_or_taken_out(client, hanako, button, left):
    to = writes_to(hanako)
    client.force_login(hanako)
    client.post(reverse("notice_wish", args=[to.pk]), {"do": button})
    assert Recipient.objects.filter(pk=to.pk).exclude(stopped=None).exists() is left


def test_a_given_up_letter_is_sent_again_by_a_button(client, repository, hanako):
    letter = OutgoingMessage.objects.create(
        key="k", kind="notice", recipient=writes_to(hanako), address="x", state="failed", text="t"
    )
    client.force_login(hanako)
    client.post(reverse("notice_letter", args=[letter.pk]))
    letter.refresh_from_db()
    assert letter.state == "waiting"


def test_the_pages_ask_no_more_for_more_letters(client, repository, hanako, django_assert_max_num_queries):
    to = writes_to(hanako)
    for number in range(60):
        OutgoingMessage.objects.create(
            key=f"k{number}", kind="notice", recipient=to, repository=repository, address="x", text="t"
        )
    client.force_login(hanako)
    with django_assert_max_num_queries(14):
        assert "?state=&amp;before=" in client.get(reverse("notices")).text


def test_a_look_for_notices_asks_little_where_nothing_happened(repository, django_assert_max_num_queries):
    record_events(timezone.now())
    with django_assert_max_num_queries(12):
        assert record_events(timezone.now()) + compose(timezone.now()) + send_due() == 0
