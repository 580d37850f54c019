"""The link in a mail: it answers once for each answer, changes nothing when it is opened, expires, can be revoked."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from aggregator.loan_desk.links import VALID
from aggregator.loans.states import Action, Side
from aggregator.models import Loan, LoanEvent, LoanLink
from harvesting.models import OutgoingMessage
from harvesting.notifications.outbox import send_due
from tests.aggregator.loan_desk.desks import Desks

pytestmark = pytest.mark.django_db
DUE = (timezone.localdate() + timedelta(days=21)).isoformat()


def link() -> str:
    """Send the mails. Return the path of the link in the newest one."""
    send_due()
    found = re.search(r"http://127\.0\.0\.1:8000(/loans/answer/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def give(path: str, action: Action, **values: str) -> str:
    posted = {"do": action, "side": "lender", "seen": Loan.objects.get().state, **values}
    return Client(headers={"accept-language": "en"}).post(path, posted, follow=True).content.decode()


def test_the_mail_has_the_request_in_the_lenders_language_and_a_link_that_is_not_stored(desks: Desks) -> None:
    desks.ask()
    path, sent = link(), mail.outbox[0]
    assert sent.to == ["ill@osaka.example.jp"]
    for text in ("堺市立図書館", "こころ", "9784003101117", "072-000-0000", "急ぎません。"):
        assert text in sent.body
    assert "hana" not in sent.body
    assert path.rpartition("/")[2].encode() not in b"".join(bytes(row.digest) for row in LoanLink.objects.all())
    assert OutgoingMessage.objects.get().text == ""


def test_the_lender_answers_without_an_account(desks: Desks) -> None:
    desks.ask()
    path = link()
    assert "has been notified" in give(path, Action.ACCEPT)
    give(path, Action.INQUIRE, words="版はどれでもよいですか。")
    event = LoanEvent.objects.latest("pk")
    assert (event.side, event.way, event.name, event.state) == ("lender", "link", "", "query")
    send_due()
    assert (mail.outbox[-1].to, "版はどれでもよいですか。" in mail.outbox[-1].body) == (["hana@sakai.example.jp"], True)


def test_a_link_ships_with_the_date_due(desks: Desks) -> None:
    desks.ask()
    html = Client().get(link()).content.decode()
    assert "hana" not in html
    assert f'value="{DUE}"' in html  # the date due that follows from the lender's terms
    give(link(), Action.SHIP, due=DUE)
    assert Loan.objects.values_list("state", "due").get() == ("shipped", timezone.localdate() + timedelta(days=21))


def test_opening_a_link_changes_nothing(desks: Desks) -> None:
    desks.ask()
    path = link()
    for method in ("get", "head", "get"):
        assert getattr(Client(), method)(f"{path}?do=accept&seen=requested").status_code == 200
    assert (Loan.objects.get().state, LoanEvent.objects.count()) == ("requested", 1)
    assert not LoanLink.objects.exclude(used_at=None).exists()


def test_an_answer_without_a_csrf_token_is_refused(desks: Desks) -> None:
    desks.ask()
    client = Client(enforce_csrf_checks=True)
    assert client.post(link(), {"do": "accept", "seen": "requested"}).status_code == 403
    assert Loan.objects.get().state == "requested"


def test_each_answer_works_once(desks: Desks) -> None:
    loan = desks.ask()
    path = link()
    give(path, Action.ACCEPT)
    Loan.objects.update(state="requested")  # as if the table of states allowed the answer again
    assert "already been given" in give(path, Action.ACCEPT)
    assert loan.events.filter(action="accept").count() == 1


def test_a_refused_answer_is_not_used_up(desks: Desks) -> None:
    desks.ask()
    path = link()
    give(path, Action.REFUSE, reason="")
    assert Loan.objects.get().state == "requested"
    give(path, Action.REFUSE, reason="on_loan")
    assert Loan.objects.get().state == "refused"


@pytest.mark.parametrize("action", [Action.COMPLETE, Action.CANCEL, Action.LOSE, Action.NOTE])
def test_a_link_permits_no_other_action(desks: Desks, action: Action) -> None:
    desks.ask()
    give(link(), action, words="x")
    assert LoanEvent.objects.count() == 1


def test_a_link_expires_and_can_be_revoked(desks: Desks, enter: Callable[[Any], Client]) -> None:
    loan = desks.ask()
    path = link()
    with time_machine.travel(timezone.now() + VALID + timedelta(minutes=1)):
        assert Client().get(path).status_code == 410
    assert enter(desks.ken).post(f"/loans/{loan.pk}/revoke").status_code == 404
    enter(desks.hana).post(f"/loans/{loan.pk}/revoke")
    assert [Client().get(path).status_code, Client().post(path, {"do": "accept"}).status_code] == [410, 410]


@pytest.mark.parametrize("change", [lambda path: f"{path}x", lambda path: path[:-1], lambda path: "/loans/answer/x"])
def test_a_forged_link_opens_nothing(desks: Desks, change: Callable[[str], str]) -> None:
    desks.ask()
    assert Client().get(change(link())).status_code == 410


def test_the_newest_mail_has_the_only_link_that_works(desks: Desks) -> None:
    loan = desks.ask()
    first = link()
    give(first, Action.INQUIRE, words="?")
    desks.act(loan, Side.BORROWER, Action.ANSWER, words="どれでも。")
    second = link()
    assert [Client().get(path).status_code for path in (first, second)] == [410, 200]
    give(second, Action.ACCEPT)
    assert Loan.objects.get().state == "accepted"
