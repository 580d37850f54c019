"""The mails about a request: to whom, in which language, and once, whichever process dies."""

import json
import subprocess
import sys
from typing import Any

import pytest
from django.core import mail

from aggregator.loans.states import Action, Side
from aggregator.models import Library, LibraryMember, LoanEvent, LoanTerms
from harvesting.models import OutgoingMessage
from harvesting.notifications.outbox import send_due
from tests.aggregator.loan_desk.desks import Desks
from tests.paths import ROOT


def addresses() -> list[str]:
    return list(OutgoingMessage.objects.order_by("pk").values_list("address", flat=True))


@pytest.mark.django_db
def test_each_side_hears_of_what_the_other_one_did(desks: Desks) -> None:
    loan = desks.ask()
    desks.act(loan, Side.LENDER, Action.SHIP)
    desks.act(loan, Side.BORROWER, Action.RECEIVE)
    desks.act(loan, Side.BORROWER, Action.USE)  # of no interest to the lender
    assert addresses() == ["ill@osaka.example.jp", "hana@sakai.example.jp", "ill@osaka.example.jp"]
    assert LoanEvent.objects.count() == 4


@pytest.mark.django_db
def test_the_address_of_the_borrowing_library_goes_before_that_of_the_person(desks: Desks) -> None:
    LoanTerms.objects.create(library=desks.borrower, email="ill@sakai.example.jp", language="en")
    desks.act(desks.ask(), Side.LENDER, Action.REFUSE, reason="new")
    message = OutgoingMessage.objects.get(address="ill@sakai.example.jp")
    assert "Reason: published too recently" in message.text and "/loans/answer/" not in message.text


@pytest.mark.django_db
def test_members_of_a_library_without_an_address_get_a_mail_without_an_answer_link(desks: Desks) -> None:
    LoanTerms.objects.update(email="")
    desks.ken.email = "ken@osaka.example.jp"
    desks.ken.save()
    loan = desks.ask()
    message = OutgoingMessage.objects.get()
    assert (message.address, f"/loans/{loan.pk}/" in message.text, message.secret) == (
        "ken@osaka.example.jp", True, False)  # fmt: skip
    assert not loan.links.exists()


@pytest.mark.django_db
def test_a_library_that_nobody_can_reach_by_mail_gets_none(desks: Desks) -> None:
    LoanTerms.objects.all().delete()
    LibraryMember.objects.filter(library=desks.lender).delete()
    desks.ask()
    assert addresses() == []


@pytest.mark.django_db
def test_a_title_with_line_breaks_makes_no_header(desks: Desks) -> None:
    Library.objects.filter(pk=desks.lender.pk).update(name="大阪\nBcc: x@example.jp")
    desks.ask()
    send_due()
    assert "\n" not in mail.outbox[0].subject and mail.outbox[0].to == ["ill@osaka.example.jp"]


@pytest.fixture(scope="module")
def killed() -> dict[str, dict[str, object]]:
    """What became of a request and its mail, for each place at which a process was killed."""
    command = [sys.executable, "-m", "tests.aggregator.loan_desk.killed"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.sample
def test_a_web_process_that_dies_before_the_end_of_its_transaction_has_done_nothing(killed: dict[str, Any]) -> None:
    assert killed["in the transaction"] == {"state": "requested", "events": 1, "sent": [], "again": "accepted"}


@pytest.mark.slow
@pytest.mark.sample
@pytest.mark.parametrize("place", ["after the transaction", "before sending"])
def test_a_mail_is_sent_once_although_a_process_died(killed: dict[str, Any], place: str) -> None:
    found = killed[place]
    assert (found["state"], found["events"], len(found["sent"])) == ("accepted", 2, 1)


@pytest.mark.slow
@pytest.mark.sample
def test_a_mail_that_was_sent_before_its_sender_died_is_recognised_by_its_message_id(killed: dict[str, Any]) -> None:
    sent = killed["after sending"]["sent"]
    assert len(sent) == 2 and len(set(sent)) == 1
