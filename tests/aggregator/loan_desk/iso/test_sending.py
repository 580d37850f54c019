"""Messages to a lender's system: sent until it confirms them, through the guarded fetch, in order."""

from collections.abc import Iterator

import pytest
from django.utils import timezone

from aggregator.loan_desk.iso.sending import send_due
from aggregator.loans.iso18626 import exchange
from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.messages import RequesterMessage, RequestMessage, SupplierMessage
from aggregator.loans.iso18626.read import read
from aggregator.loans.iso18626.write import write
from aggregator.loans.states import Action, Side
from aggregator.models import Loan, LoanMessage, LoanTerms
from harvesting.registry.credentials import seal
from tests.aggregator.loan_desk.desks import Desks
from tests.harvesting.fakeserver import Answer, FakeServer, serving

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(desks: Desks) -> Iterator[FakeServer]:
    """The lender's system."""
    with serving() as server:
        LoanTerms.objects.update(iso_address=f"{server.url}/iso", iso_secret=seal("key of Osaka"))
        yield server


def confirmed(loan: Loan, error: str = "") -> Answer:
    """The lender's confirmation of our first message."""
    message = read(bytes(LoanMessage.objects.filter(loan=loan).order_by("pk")[0].body))
    assert isinstance(message, RequestMessage)
    now = timezone.now()
    made = exchange.refused(MessageError(error), now, message) if error else exchange.accepted(message, now)
    return Answer(body=write(made))


def test_a_request_is_sent_with_the_secret_and_confirmed(desks: Desks, server: FakeServer) -> None:
    loan = desks.ask()
    server.answers(confirmed(loan))
    assert (send_due(), send_due()) == (1, 0)
    (sent,) = server.requests
    assert sent.headers["authorization"] == "Bearer key of Osaka"
    message = read(sent.body)
    assert isinstance(message, RequestMessage)
    assert (message.request.title, message.header.request_id, message.header.requester.value) == (
        "こころ", loan.number, "2132")  # fmt: skip
    assert LoanMessage.objects.get().state == "sent"


def test_what_the_other_system_says_against_a_message_is_noted(desks: Desks, server: FakeServer) -> None:
    loan = desks.ask()
    server.answers(confirmed(loan, "iso18626.E014"))
    send_due()
    message = LoanMessage.objects.get()
    assert message.state == "failed" and "iso18626.E014" in message.trouble


@pytest.mark.parametrize("body", [b"", b"OK", b"<html>", b"x" * 100_000])
def test_an_answer_that_is_no_confirmation_is_noted(desks: Desks, server: FakeServer, body: bytes) -> None:
    desks.ask()
    server.answers(Answer(body=body))
    send_due()
    assert LoanMessage.objects.get().state in ("failed", "waiting")


def test_a_system_that_is_down_is_tried_again_and_later_messages_wait(desks: Desks, server: FakeServer) -> None:
    loan = desks.ask()
    desks.act(loan, Side.BORROWER, Action.CANCEL)
    server.answers(Answer(status=503))
    assert send_due() == 1
    states = list(LoanMessage.objects.order_by("pk").values_list("state", "attempts"))
    assert states == [("waiting", 1), ("waiting", 0)]
    LoanMessage.objects.update(due=timezone.now())
    server.answers(confirmed(loan))
    assert send_due() == 1


def test_no_internal_address_is_reached(desks: Desks, server: FakeServer, settings: object) -> None:
    settings.HARVEST_ALLOWED_NETWORKS = []  # type: ignore[attr-defined]
    desks.ask()
    send_due()
    message = LoanMessage.objects.get()
    assert (message.state, server.requests) == ("failed", [])


def test_a_redirect_is_not_followed(desks: Desks, server: FakeServer) -> None:
    desks.ask()
    server.answers(Answer(status=302, headers={"Location": f"{server.url}/other"}))
    send_due()
    assert (len(server.requests), LoanMessage.objects.get().state) == (1, "failed")


def test_each_side_is_told_in_its_own_kind_of_message(desks: Desks, server: FakeServer) -> None:
    LoanTerms.objects.create(library=desks.borrower, iso_address=f"{server.url}/iso")
    loan = desks.ask()
    desks.act(loan, Side.LENDER, Action.SHIP)
    desks.act(loan, Side.BORROWER, Action.RECEIVE)
    messages = [read(bytes(message.body)) for message in LoanMessage.objects.order_by("pk")]
    request, shipped, received = messages
    assert isinstance(request, RequestMessage) and isinstance(shipped, SupplierMessage)
    assert isinstance(received, RequesterMessage)
    assert (shipped.status, received.action) == ("Loaned", "Received")


def test_a_library_without_an_address_gets_no_messages(desks: Desks) -> None:
    desks.ask()
    assert not LoanMessage.objects.exists()
