"""Forgotten passwords: answers reveal no account, mails are few, and the secrets in them are stored nowhere else."""

import logging
import re
from datetime import timedelta
from zipfile import ZipFile

import pytest
import time_machine
from django.contrib.auth import get_user_model
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from aggregator.transfer.writing import write_everything
from harvesting.accounts import forgotten, invitations
from harvesting.models import Invitation, OutgoingMessage, PasswordRequest, Recipient
from harvesting.notifications import addresses
from harvesting.notifications.outbox import send_due

pytestmark = pytest.mark.django_db
KNOWN, UNKNOWN = "hanako@example.jp", "nobody@example.jp"


@pytest.fixture(autouse=True)
def hanako():
    return get_user_model().objects.create_user("hanako", "Hanako@example.jp", "green books sleep")


def ask(client, email=KNOWN, where="203.0.113.7"):
    return client.post(reverse("password_forgotten"), {"email": email}, REMOTE_ADDR=where)


def token_in(text: str) -> str:
    """The last part of the first link in a mail."""
    return re.search(r"http://127\.0\.0\.1:8000/\S+/(\S+)", text)[1]


def test_a_known_and_an_unknown_address_get_the_same_answer_at_every_click(client):
    answers = [ask(client, email) for email in (KNOWN, KNOWN, UNKNOWN, UNKNOWN)]
    assert {(answer.status_code, answer.url) for answer in answers} == {(302, "/password/forgotten/sent")}


def test_a_known_address_causes_the_same_work_as_an_unknown_one(client):
    ask(client, "first@example.jp")  # creates the row that counts this network's requests
    statements = {email: statements_of(client, email) for email in (KNOWN, UNKNOWN)}
    assert statements[KNOWN] == statements[UNKNOWN] != []


def statements_of(client, email: str) -> list[str]:
    """The beginnings of the SQL statements of one request."""
    with CaptureQueriesContext(connection) as queries:
        ask(client, email)
    statements = [" ".join(query["sql"].split()[:3]) for query in queries.captured_queries]
    return [statement for statement in statements if "SAVEPOINT" not in statement]


def test_nobody_can_make_the_site_send_many_letters(client):
    for number in range(40):
        ask(client, KNOWN.upper() if number % 2 else KNOWN, f"203.0.{number}.7")
        send_due()
    assert len(mail.outbox) == 1


def test_a_lost_letter_can_be_requested_again_and_only_the_last_one_stays_open(client):
    ask(client)
    forgotten.write_letters()
    with time_machine.travel(timezone.now() + forgotten.PAUSE + timedelta(seconds=1)):
        ask(client)
        send_due()
    assert [letter.state for letter in OutgoingMessage.objects.order_by("pk")] == ["dropped", "sent"]
    assert len(mail.outbox) == 1


def test_a_request_of_a_clock_that_was_fast_keeps_nobody_from_asking_again(client):
    with time_machine.travel(timezone.now() + timedelta(days=400)):
        ask(client)
    ask(client)
    send_due()
    assert len(mail.outbox) == 1


def test_a_network_that_asks_for_many_addresses_has_to_wait(client):
    answers = [ask(client, f"name{number}@example.jp") for number in range(40)]
    assert answers[0].status_code == 302
    assert answers[-1].status_code == 429
    assert "分後" in answers[-1].text or "秒後" in answers[-1].text
    assert PasswordRequest.objects.count() < 40


def test_a_letter_that_could_not_be_sent_while_its_link_was_valid_is_dropped(client, settings):
    ask(client)
    forgotten.write_letters()
    with time_machine.travel(timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT + 60)):
        send_due()
    assert (mail.outbox, OutgoingMessage.objects.get().state) == ([], "dropped")


def test_the_address_is_forgotten_with_the_answer_and_the_request_after_a_day(client):
    ask(client, UNKNOWN)
    send_due()
    request = PasswordRequest.objects.get()
    assert (request.address, UNKNOWN in request.key) == ("", False)
    assert forgotten.prune(timezone.now() + timedelta(days=2)) == 1
    assert not OutgoingMessage.objects.exists()


def password_letter(client, _hanako) -> None:
    ask(client)
    forgotten.write_letters()


def invitation_letter(_client, hanako) -> None:
    invitations.invite(Invitation(email="taro@example.jp", role="staff", language="ja"), [], hanako)


def confirmation_letter(_client, hanako) -> None:
    addresses.send_trial(Recipient.objects.create(person=hanako, address="other@example.jp"))


@pytest.mark.parametrize("write", [password_letter, invitation_letter, confirmation_letter])
def test_the_secret_of_a_letter_is_nowhere_but_in_its_text(client, hanako, caplog, tmp_path, write):
    caplog.set_level(logging.DEBUG)
    write(client, hanako)
    write_everything(tmp_path / "open.zip", lambda _rows: None)
    token = token_in(OutgoingMessage.objects.get(secret=True).text)
    assert places(token) == {"harvesting_letter.text"}
    send_due()
    write_everything(tmp_path / "sent.zip", lambda _rows: None)
    assert token in mail.outbox[0].body
    assert token not in str(mail.outbox[0].message().items())
    assert places(token) == set()
    for name in ("open.zip", "sent.zip"):
        with ZipFile(tmp_path / name) as file:
            assert not [part for part in file.namelist() if token.encode() in file.read(part)]
    assert token not in caplog.text


def places(token: str) -> set[str]:
    """Every column of every table that contains the token."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                found |= {f"{table}.{name}" for name, value in zip(names, row, strict=True) if token in readable(value)}
    return found


def readable(value: object) -> str:
    return bytes(value).decode(errors="replace") if isinstance(value, bytes | memoryview) else str(value)


def test_two_letters_have_different_message_ids(client, hanako):
    for _letter in range(2):
        invitation_letter(client, hanako)
        send_due()
    identifiers = [message.message()["Message-ID"] for message in mail.outbox]
    assert len(set(identifiers)) == 2
    assert Invitation.objects.latest("pk").nonce not in identifiers[1]
