"""`/iso18626`: registered senders only, who speak for themselves; every message is confirmed."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from msgspec import structs

from aggregator.loan_desk.iso.receiving import digest_of
from aggregator.loan_desk.messages import header_of
from aggregator.loans.iso18626.messages import (
    Agency,
    Confirmation,
    Header,
    Message,
    RequesterMessage,
    RequestMessage,
    SupplierMessage,
)
from aggregator.loans.iso18626.read import MOST_BYTES, read
from aggregator.loans.iso18626.write import write
from aggregator.loans.states import Action, Side
from aggregator.models import LibraryCode, Loan, LoanEvent, LoanTerms
from harvesting.models import OutgoingMessage
from tests.aggregator.loan_desk.desks import BOOK, Desks, library

pytestmark = pytest.mark.django_db
SAKAI, OSAKA = "secret of Sakai", "secret of Osaka"


@pytest.fixture(autouse=True)
def registered(desks: Desks) -> None:
    """Both libraries have systems of their own."""
    LoanTerms.objects.update(iso_digest=digest_of(OSAKA))
    LoanTerms.objects.create(library=desks.borrower, iso_digest=digest_of(SAKAI))


def post(message: Message | bytes, secret: str) -> Any:
    data = message if isinstance(message, bytes) else write(message)
    return Client(headers={"authorization": f"Bearer {secret}"}).post("/iso18626", data, "application/xml")


def confirm(message: Message, secret: str) -> Confirmation:
    answer = read(post(message, secret).content)
    assert isinstance(answer, Confirmation)
    return answer


def request(number: str = "S-1", lender: str = "2127") -> RequestMessage:
    header = Header(
        supplier=Agency(scheme="NDLLibCode", value=lender),
        requester=Agency(scheme="NDLLibCode", value="2132"),
        request_id=number,
        timestamp=timezone.now(),
    )
    return RequestMessage(header=header, request=BOOK)


def supplier(loan: Loan, status: str, **values: Any) -> SupplierMessage:
    values = {"reason": "StatusChange", **values}
    return SupplierMessage(header=header_of(loan, timezone.now()), status=status, changed=timezone.now(), **values)


def test_a_request_of_a_librarys_system_becomes_a_request_here(desks: Desks) -> None:
    assert confirm(request(), SAKAI).ok
    loan = Loan.objects.get()
    assert (loan.borrower, loan.lender, loan.state, loan.reference) == (
        desks.borrower, desks.lender, "requested", "S-1")  # fmt: skip
    assert [event.way for event in loan.events.all()] == ["iso"]
    assert OutgoingMessage.objects.get().address == "ill@osaka.example.jp"


def test_a_request_that_is_repeated_is_confirmed_and_not_made_again(desks: Desks) -> None:
    assert confirm(request(), SAKAI).ok and confirm(request(), SAKAI).ok
    assert Loan.objects.count() == 1


def test_the_lenders_system_answers_our_request(desks: Desks) -> None:
    loan = desks.ask()
    due = (timezone.localdate() + timedelta(days=14)).isoformat()
    assert confirm(supplier(loan, "WillSupply", reason="RequestResponse"), OSAKA).ok
    assert confirm(supplier(loan, "Loaned", due=due, note="送ります"), OSAKA).ok
    assert confirm(supplier(loan, "Loaned", due=due), OSAKA).ok  # the second message again
    loan.refresh_from_db()
    assert (loan.state, str(loan.due)) == ("shipped", due)
    ship = loan.events.get(action="ship")
    assert (ship.side, ship.way, ship.words) == ("lender", "iso", "送ります")


def test_a_lender_that_states_no_date_due_lends_by_its_terms(desks: Desks) -> None:
    LoanTerms.objects.filter(library=desks.lender).update(days=10)
    assert confirm(supplier(desks.ask(), "Loaned"), OSAKA).ok
    assert Loan.objects.get().due == timezone.localdate() + timedelta(days=10)


def test_a_library_is_known_by_any_of_its_codes(desks: Desks) -> None:
    loan = desks.ask()
    LibraryCode.objects.create(scheme="ISIL", value="JP-1002127", library=desks.lender)
    message = supplier(loan, "WillSupply", reason="RequestResponse")
    other = Header(
        supplier=Agency(value="JP-1002127"),
        requester=message.header.requester,
        request_id=loan.number,
        timestamp=timezone.now(),
    )
    named = SupplierMessage(header=other, reason="RequestResponse", status="WillSupply", changed=timezone.now())
    assert confirm(named, OSAKA).ok
    assert Loan.objects.get().state == "accepted"


def test_the_borrowers_system_cancels_and_gets_an_answer(desks: Desks) -> None:
    LoanTerms.objects.filter(library=desks.borrower).update(iso_address="https://sakai.example.jp/iso")
    confirm(request(), SAKAI)
    loan = Loan.objects.get()
    header = header_of(loan, timezone.now())
    assert confirm(RequesterMessage(header=header, action="Cancel"), SAKAI).ok
    loan.refresh_from_db()
    message = read(bytes(loan.messages.get().body))
    assert isinstance(message, SupplierMessage)
    assert (loan.state, message.reason, message.answer) == ("cancelled", "CancelResponse", "Y")


def test_nobody_speaks_for_another_library(desks: Desks) -> None:
    loan = desks.ask()
    for message, secret in ((request(), OSAKA), (supplier(loan, "Loaned"), SAKAI)):
        (error,) = confirm(message, secret).errors
        assert "E014" in error.value
    assert (Loan.objects.count(), Loan.objects.get().state) == (1, "requested")


def test_a_third_library_knows_nothing_of_the_request(desks: Desks) -> None:
    loan = desks.ask()
    LoanTerms.objects.create(library=library("別の図書館", "9"), iso_digest=digest_of("third"))
    header = Header(
        supplier=Agency(scheme="NDLLibCode", value="9"),
        requester=Agency(scheme="NDLLibCode", value="2132"),
        request_id=loan.number,
        timestamp=timezone.now(),
    )
    message = SupplierMessage(header=header, reason="StatusChange", status="Loaned", changed=timezone.now())
    (error,) = confirm(message, "third").errors
    assert "E012" in error.value


@pytest.mark.parametrize("number", ["ILL", "ILL0", "ILLx", "ILL１", "ill{}", "{}", "ILL{}0", "ILL" + "9" * 19])
def test_a_number_that_no_request_has_is_refused(desks: Desks, number: str) -> None:
    loan = desks.ask()
    header = structs.replace(header_of(loan, timezone.now()), request_id=number.format(loan.pk))
    message = SupplierMessage(header=header, reason="StatusChange", status="Loaned", changed=timezone.now())
    (error,) = confirm(message, OSAKA).errors
    assert "E012" in error.value
    assert Loan.objects.get().state == "requested"


def test_a_request_of_an_unknown_library_is_refused(desks: Desks) -> None:
    assert "E014" in confirm(request(lender="0000"), SAKAI).errors[0].value
    assert not Loan.objects.exists()


def test_what_is_not_possible_is_refused_and_changes_nothing(desks: Desks) -> None:
    loan = desks.act(desks.ask(), Side.LENDER, Action.REFUSE)
    message = RequesterMessage(header=header_of(loan, timezone.now()), action="Received")
    confirm(message, SAKAI)
    assert Loan.objects.get().state == "refused"


def test_the_limit_of_a_day_holds_for_systems_too(desks: Desks, settings: Any) -> None:
    settings.LOANS_PER_DAY = 1
    assert confirm(request("1"), SAKAI).ok and not confirm(request("2"), SAKAI).ok


@pytest.mark.parametrize("secret", ["", "wrong", "x" * 300])
def test_only_registered_systems_are_heard(desks: Desks, secret: str) -> None:
    response = post(request(), secret)
    assert (response.status_code, Loan.objects.count()) == (401, 0)
    assert Client().post("/iso18626", b"<x/>", "application/xml").status_code == 401


@pytest.mark.parametrize(
    "data",
    [b"", b"<x/>", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", b"<a>" * 5000, b"\xff\xfe", b"{}"],
    ids=["empty", "another", "entity", "deep", "binary", "json"],
)
def test_what_is_no_message_is_answered_with_an_error(desks: Desks, data: bytes) -> None:
    answer = read(post(data, SAKAI).content)
    assert isinstance(answer, Confirmation) and answer.errors


def test_a_large_message_is_not_read(desks: Desks) -> None:
    assert post(b"x" * (MOST_BYTES + 1), SAKAI).status_code == 413


def test_a_confirmation_is_not_confirmed(desks: Desks) -> None:
    assert post(post(request(), SAKAI).content, SAKAI).status_code == 400


def test_other_methods_are_refused(desks: Desks) -> None:
    assert Client().get("/iso18626").status_code == 405
    assert not LoanEvent.objects.exists()
