"""Requests: drafts, sending, the limit of a day, and the next library after a refusal."""

from datetime import timedelta

import pytest
from django.utils import timezone

from aggregator.loan_desk.acting import Refused
from aggregator.loan_desk.asking import Order, ask, change_draft, forward, send_draft
from aggregator.loan_desk.packing import request_of
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import Action, Side, State
from aggregator.models import Loan
from harvesting.models import OutgoingMessage
from tests.aggregator.loan_desk.desks import BOOK, NOW, Desks, library

pytestmark = pytest.mark.django_db


def test_a_request_names_both_libraries_and_no_reader(desks: Desks) -> None:
    request = request_of(desks.ask())
    assert (request.borrower.name, request.borrower.codes) == ("堺市立図書館", (("NDLLibCode", "2132"),))
    assert (request.lender.mail, request.number) == ("ill@osaka.example.jp", Loan.objects.get().number)
    assert "hana" not in repr(request)


def test_a_draft_can_be_changed_until_it_is_sent(desks: Desks) -> None:
    loan = ask(Order(desks.borrower, desks.lender, BOOK), desks.hana, NOW, send=False)
    assert (loan.state, loan.sent, OutgoingMessage.objects.count()) == (State.DRAFT, None, 0)
    change_draft(loan.pk, LoanRequest(title="門"), NOW)
    sent = send_draft(loan.pk, desks.hana, NOW)
    assert (sent.state, sent.sent, request_of(sent).title) == (State.REQUESTED, NOW, "門")
    with pytest.raises(Refused):
        change_draft(loan.pk, BOOK, NOW)


@pytest.mark.parametrize(
    "values", [{"lends": False}, {"closed_on": timezone.localdate() - timedelta(days=1)}], ids=["no loans", "closed"]
)
def test_a_library_that_does_not_lend_or_has_closed_is_not_asked(desks: Desks, values: dict[str, object]) -> None:
    other = library("別の図書館", "9", **values)
    with pytest.raises(Refused):
        ask(Order(desks.borrower, other, BOOK), desks.hana, NOW, send=True)
    with pytest.raises(Refused):
        ask(Order(desks.borrower, desks.borrower, BOOK), desks.hana, NOW, send=True)
    assert not Loan.objects.exists()


def test_a_library_makes_a_limited_number_of_requests_within_a_day(desks: Desks, settings: object) -> None:
    settings.LOANS_PER_DAY = 2.0  # type: ignore[attr-defined]
    desks.ask()
    desks.ask()
    with pytest.raises(Refused, match="2"):
        desks.ask()
    Loan.objects.update(created=NOW - timedelta(days=1))
    desks.ask()


def refused(desks: Desks) -> Loan:
    next_library = library("京都府立図書館", "2001")
    loan = desks.ask(LoanRequest(title="こころ", call_number="913.6"), queue=(next_library.pk,), book="M1")
    return desks.act(loan, Side.LENDER, Action.REFUSE)


def test_after_a_refusal_the_next_library_gets_a_request_of_its_own(desks: Desks) -> None:
    loan = refused(desks)
    lender = library("京都市図書館", "2002")
    made = forward(loan.pk, lender, desks.hana, State.REFUSED, NOW)
    request = request_of(made)
    assert (made.state, made.lender, made.previous, made.book, made.queue) == (
        State.REQUESTED, lender, loan, "M1", loan.queue)  # fmt: skip
    assert (request.previous, request.call_number, request.lender.name) == (loan.number, "", "京都市図書館")
    loan.refresh_from_db()
    assert (loan.state, [event.action for event in loan.events.all()]) == ("refused", ["send", "refuse", "forward"])
    with pytest.raises(Refused):
        forward(loan.pk, lender, desks.hana, State.REFUSED, NOW)


def test_asking_another_library_instead_of_answering_cancels_the_first_request(desks: Desks) -> None:
    loan = desks.act(desks.ask(), Side.LENDER, Action.INQUIRE)
    forward(loan.pk, library("京都市図書館", "2002"), desks.hana, State.QUERY, NOW)
    loan.refresh_from_db()
    assert loan.state == State.CANCELLED


def test_only_a_refused_or_queried_request_is_forwarded(desks: Desks) -> None:
    loan = desks.ask()
    with pytest.raises(Refused):
        forward(loan.pk, library("京都市図書館", "2002"), desks.hana, State.REQUESTED, NOW)
