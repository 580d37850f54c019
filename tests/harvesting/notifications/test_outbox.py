"""The outbox: a message is sent once, retried after failures, and given up; addresses that always fail are stopped."""

import hmac
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from harvesting.models import OutgoingMessage, Recipient
from harvesting.notifications import outbox
from harvesting.registry.credentials import seal
from tests.harvesting.fakeserver import Answer, serving

pytestmark = pytest.mark.django_db


def create_message(**fields) -> OutgoingMessage:
    return OutgoingMessage.objects.create(
        **{"key": "k1", "kind": "notice", "address": "a@example.jp", "text": "x", **fields}
    )


def refuse(*_arguments, **_named) -> None:
    raise ConnectionRefusedError("no server")


def test_a_message_is_sent_once_with_its_own_message_id():
    create_message(subject="Two\nlines")
    assert (outbox.send_due(), outbox.send_due()) == (1, 0)
    sent = mail.outbox[0]
    assert (sent.subject, sent.to, sent.extra_headers["Message-ID"]) == (
        "Two lines",
        ["a@example.jp"],
        "<k1@127.0.0.1>",
    )
    assert OutgoingMessage.objects.get().state == "sent"


def test_a_message_claimed_by_a_worker_is_sent_by_others_only_after_its_lease():
    create_message(state="sending", due=timezone.now() + timedelta(minutes=1))
    assert outbox.send_due() == 0
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        assert outbox.send_due() == 1


def test_a_refused_message_is_retried_later_and_finally_given_up(monkeypatch):
    to = Recipient.objects.create(address="a@example.jp", failures=4)
    create_message(recipient=to)
    monkeypatch.setattr(outbox.delivery, "send", refuse)
    with time_machine.travel(timezone.now()) as traveller:
        for _attempt in range(len(outbox.WAITS)):
            assert outbox.send_due() == 1
            waiting = OutgoingMessage.objects.get()
            assert (waiting.state, waiting.trouble) == ("waiting", "no server")
            traveller.move_to(max(timezone.now(), waiting.due + timedelta(seconds=1)))
        assert outbox.send_due() == 1
    to.refresh_from_db()
    assert (OutgoingMessage.objects.get().state, to.failures, to.stopped_why) == ("failed", 5, "failures")


def test_the_text_of_a_message_with_a_secret_link_is_deleted_after_sending():
    create_message(secret=True)
    outbox.send_due()
    assert OutgoingMessage.objects.get().text == ""


def test_nothing_is_sent_to_a_stopped_address():
    create_message(recipient=Recipient.objects.create(address="a@example.jp", stopped=timezone.now()))
    outbox.send_due()
    assert (mail.outbox, OutgoingMessage.objects.get().state) == ([], "dropped")


def test_a_webhook_call_is_signed_together_with_its_time():
    with serving() as server:
        server.answers(Answer(status=204))
        to = Recipient.objects.create(channel="webhook", address=f"{server.url}/hook", secret=seal("key"))
        create_message(channel="webhook", recipient=to, address=to.address, text='{"event": "harvest.ended"}')
        outbox.send_due()
    request = server.requests[0]
    moment, signature = request.headers["x-aggregator-timestamp"], request.headers["x-aggregator-signature"]
    expected = hmac.new(b"key", f'{moment}.{{"event": "harvest.ended"}}'.encode(), "sha256").hexdigest()
    assert (signature, request.body) == (f"sha256={expected}", b'{"event": "harvest.ended"}')
    assert OutgoingMessage.objects.get().state == "sent"


def test_a_webhook_call_does_not_follow_redirects():
    with serving() as server:
        server.answers(Answer(status=307, headers={"Location": f"{server.url}/elsewhere"}))
        to = Recipient.objects.create(channel="webhook", address=f"{server.url}/hook", secret=seal("key"))
        create_message(channel="webhook", recipient=to, address=to.address, text="{}")
        outbox.send_due()
    assert [request.path for request in server.requests] == ["/hook"]
    assert OutgoingMessage.objects.get().state == "failed"


def test_a_webhook_call_reaches_no_private_network(settings):
    settings.HARVEST_ALLOWED_NETWORKS = []
    with serving() as server:
        to = Recipient.objects.create(channel="webhook", address=f"{server.url}/hook", secret=seal("key"))
        create_message(channel="webhook", recipient=to, address=to.address, text="{}")
        outbox.send_due()
    assert server.requests == []
    assert OutgoingMessage.objects.get().state != "sent"
