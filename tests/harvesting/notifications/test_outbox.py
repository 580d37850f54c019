"""The outbox: a letter goes out once, is tried again, given up, and tells its address when nothing gets there."""

import hmac
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from harvesting.models import OutgoingMessage, Recipient
from harvesting.notifications import outbox as post
from harvesting.registry.credentials import seal
from tests.harvesting.fakeserver import Answer, serving

pytestmark = pytest.mark.django_db


def letter(**fields) -> OutgoingMessage:
    return OutgoingMessage.objects.create(
        **{"key": "k1", "kind": "notice", "address": "a@example.jp", "text": "x", **fields}
    )


def refuse(*_arguments, **_named) -> None:
    raise ConnectionRefusedError("no server")


def test_a_letter_goes_out_once_under_a_name_of_its_own():
    letter(subject="Two\nlines")
    assert (post.send_due(), post.send_due()) == (1, 0)
    sent = mail.outbox[0]
    assert (sent.subject, sent.to, sent.extra_headers["Message-ID"]) == (
        "Two lines",
        ["a@example.jp"],
        "<k1@127.0.0.1>",
    )
    assert OutgoingMessage.objects.get().state == "sent"


def test_a_letter_that_a_worker_has_is_left_to_it_until_its_time_is_over():
    letter(state="sending", due=timezone.now() + timedelta(minutes=1))
    assert post.send_due() == 0
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert post.send_due() == 1


def test_what_is_refused_is_tried_later_and_at_last_given_up(monkeypatch):
    to = Recipient.objects.create(address="a@example.jp", failures=4)
    letter(recipient=to)
    monkeypatch.setattr(post.delivery, "send", refuse)
    with time_machine.travel(timezone.now()) as traveller:
        for _attempt in range(len(post.WAITS)):
            assert post.send_due() == 1
            waiting = OutgoingMessage.objects.get()
            assert (waiting.state, waiting.trouble) == ("waiting", "no server")
            traveller.move_to(max(timezone.now(), waiting.due + timedelta(seconds=1)))
        assert post.send_due() == 1
    to.refresh_from_db()
    assert (OutgoingMessage.objects.get().state, to.failures, to.stopped_why) == ("failed", 5, "failures")


def test_the_text_of_a_letter_that_opens_something_is_forgotten_when_it_is_sent():
    letter(secret=True)
    post.send_due()
    assert OutgoingMessage.objects.get().text == ""


def test_nothing_goes_to_who_stopped_it():
    letter(recipient=Recipient.objects.create(address="a@example.jp", stopped=timezone.now()))
    post.send_due()
    assert (mail.outbox, OutgoingMessage.objects.get().state) == ([], "dropped")


def test_a_call_is_signed_together_with_its_moment():
    with serving() as server:
        server.answers(Answer(status=204))
        to = Recipient.objects.create(channel="webhook", address=f"{server.url}/hook", secret=seal("key"))
        letter(channel="webhook", recipient=to, address=to.address, text='{"event": "harvest.ended"}')
        post.send_due()
    asked = server.asked[0]
    moment, given = asked.headers["x-aggregator-timestamp"], asked.headers["x-aggregator-signature"]
    expected = hmac.new(b"key", f'{moment}.{{"event": "harvest.ended"}}'.encode(), "sha256").hexdigest()
    assert (given, asked.body) == (f"sha256={expected}", b'{"event": "harvest.ended"}')
    assert OutgoingMessage.objects.get().state == "sent"


def test_a_call_is_never_passed_on_to_where_a_redirect_points():
    with serving() as server:
        server.answers(Answer(status=307, headers={"Location": f"{server.url}/elsewhere"}))
        to = Recipient.objects.create(channel="webhook", address=f"{server.url}/hook", secret=seal("key"))
        letter(channel="webhook", recipient=to, address=to.address, text="{}")
        post.send_due()
    assert [each.path for each in server.asked] == ["/hook"]
    assert OutgoingMessage.objects.get().state == "failed"


def test_a_call_reaches_no_address_inside(settings):
    settings.HARVEST_ALLOWED_NETWORKS = []
    with serving() as server:
        to = Recipient.objects.create(channel="webhook", address=f"{server.url}/hook", secret=seal("key"))
        letter(channel="webhook", recipient=to, address=to.address, text="{}")
        post.send_due()
    assert server.asked == []
    assert OutgoingMessage.objects.get().state != "sent"
