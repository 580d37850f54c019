"""Messages stand for actions, and actions make messages."""

import pytest
from msgspec import structs

from aggregator.loans.iso18626.messages import RequesterMessage, SupplierMessage
from aggregator.loans.iso18626.read import read
from aggregator.loans.iso18626.steps import (
    Change,
    Step,
    borrower_step,
    lender_step,
    refused_cancellation,
    requester_message,
    status_message,
    supplier_message,
)
from aggregator.loans.iso18626.write import write
from aggregator.loans.states import STATES, TRANSITIONS, Action, Kind, Reason, Side, State
from tests.aggregator.loans.iso18626.documents import HEADER, NOW

LENDER, BORROWER = Side.LENDER, Side.BORROWER


def message(reason: str, status: str, **fields: str) -> SupplierMessage:
    return SupplierMessage(header=HEADER, reason=reason, status=status, changed=NOW, **fields)


@pytest.mark.parametrize(
    ("message", "step"),
    [
        (message("RequestResponse", "WillSupply"), Step(LENDER, Action.ACCEPT)),
        (message("RequestResponse", "ExpectToSupply", note="来週"), Step(LENDER, Action.ACCEPT, "来週")),
        (message("StatusChange", "Loaned", due="2026-12-24"), Step(LENDER, Action.SHIP, "", "2026-12-24")),
        (message("StatusChange", "CopyCompleted"), Step(LENDER, Action.SHIP)),
        (message("StatusChange", "LoanCompleted"), Step(LENDER, Action.COMPLETE)),
        (message("StatusChange", "CompletedWithoutReturn"), Step(LENDER, Action.LOSE)),
        (
            message("RequestResponse", "Unfilled", unfilled="NotOnShelf"),
            Step(LENDER, Action.REFUSE, "", "", Reason.MISSING),
        ),
        (message("RequestResponse", "Unfilled"), Step(LENDER, Action.REFUSE, "", "", Reason.OTHER)),
        (
            message("RequestResponse", "RetryPossible", retry="CostExceedsMaxCost", costs="JPY 350"),
            Step(LENDER, Action.INQUIRE, "CostExceedsMaxCost JPY 350"),
        ),
        (
            message("RenewResponse", "Loaned", answer="Y", due="2027-01-07"),
            Step(LENDER, Action.GRANT, "", "2027-01-07"),
        ),
        (message("RenewResponse", "Loaned", answer="N"), Step(LENDER, Action.DENY)),
        (message("CancelResponse", "Cancelled", answer="Y"), Step(BORROWER, Action.CANCEL)),
        (message("CancelResponse", "Loaned", answer="N"), None),
        (message("CancelResponse", "Loaned", answer="N", note="発送済み"), Step(LENDER, Action.NOTE, "発送済み")),
        (message("Notification", "Loaned", note="連絡"), Step(LENDER, Action.NOTE, "連絡")),
        (message("StatusRequestResponse", "WillSupply"), None),
        (message("StatusChange", "Overdue"), None),
        (message("StatusChange", "Recalled", note="至急"), Step(LENDER, Action.NOTE, "至急")),
        (message("RequestResponse", "RequestReceived"), None),
    ],
)
def test_a_message_of_the_lender_stands_for_an_action(message, step) -> None:
    assert lender_step(message) == step


@pytest.mark.parametrize(
    ("action", "state", "expected"),
    [
        ("Received", State.SHIPPED, Action.RECEIVE),
        ("Renew", State.ON_LOAN, Action.RENEW),
        ("Cancel", State.REQUESTED, Action.CANCEL),
        ("ShippedReturn", State.ON_LOAN, Action.RETURN),
        ("ShippedForward", State.ON_LOAN, Action.RETURN),
        ("Lost", State.ON_LOAN, Action.LOSE),
        ("Notification", State.ACCEPTED, Action.NOTE),
        ("Notification", State.QUERY, Action.ANSWER),
        ("HoldReturn", State.ON_LOAN, Action.NOTE),
    ],
)
def test_a_message_of_the_borrower_stands_for_an_action(action, state, expected) -> None:
    found = borrower_step(RequesterMessage(header=HEADER, action=action, note="連絡"), state)
    assert found == Step(BORROWER, expected, "連絡")


def test_a_question_about_the_status_changes_nothing() -> None:
    assert borrower_step(RequesterMessage(header=HEADER, action="StatusRequest"), State.ON_LOAN) is None


LENDERS = sorted({(key[2], result, key[3]) for key, result in TRANSITIONS.items() if key[1] is LENDER})


@pytest.mark.parametrize(("action", "state", "kind"), LENDERS)
def test_every_action_of_the_lender_reaches_a_borrower_elsewhere(action, state, kind) -> None:
    due = "2026-12-24" if kind is Kind.LOAN and action in (Action.SHIP, Action.GRANT) else ""
    reason = Reason.NOT_HELD if action is Action.REFUSE else None
    change = Change(action=action, state=state, kind=kind, at=NOW, words="連絡", due=due, reason=reason)
    sent = supplier_message(HEADER, change)
    assert sent.status == STATES[state].iso_for(kind)
    copy_is_settled = kind is Kind.COPY and action is Action.COMPLETE  # ISO 18626 ends a copy with its dispatch
    expected = Action.SHIP if copy_is_settled else action
    assert lender_step(read(write(sent))) == Step(LENDER, expected, "連絡", due, reason)


BORROWERS = sorted({(key[2], key[0], key[3]) for key in TRANSITIONS if key[1] is BORROWER})
# What ISO 18626 has no message for: a request is a message of its own, and the use of an item concerns nobody else.
SILENT = {Action.SEND, Action.FORWARD, Action.USE, Action.COMPLETE}


@pytest.mark.parametrize(("action", "state", "kind"), BORROWERS)
def test_every_action_of_the_borrower_reaches_a_lender_elsewhere(action, state, kind) -> None:
    change = Change(action=action, state=TRANSITIONS[state, BORROWER, action, kind], kind=kind, at=NOW, words="連絡")
    sent = requester_message(HEADER, change)
    if action in SILENT:
        assert sent is None
        return
    assert sent is not None
    expected = Action.ANSWER if state is State.QUERY and action is Action.NOTE else action
    assert borrower_step(read(write(sent)), state) == Step(BORROWER, expected, "連絡")


@pytest.mark.parametrize("reason", Reason)
def test_no_reason_of_a_refusal_is_lost(reason) -> None:
    change = Change(action=Action.REFUSE, state=State.REFUSED, kind=Kind.LOAN, at=NOW, words="12月から", reason=reason)
    step = lender_step(read(write(supplier_message(HEADER, change))))
    assert step is not None
    words = {Reason.ON_LOAN: "貸出中", Reason.NEW: "新刊", Reason.COPYRIGHT: "著作権", Reason.RARE: "貴重資料"}
    assert step.reason is reason or words.get(reason, "") in step.words
    assert "12月から" in step.words


def test_a_confirmed_cancellation_is_the_borrowers() -> None:
    change = Change(action=Action.CANCEL, state=State.CANCELLED, kind=Kind.LOAN, at=NOW)
    sent = supplier_message(HEADER, change)
    assert (sent.reason, sent.answer, sent.status) == ("CancelResponse", "Y", "Cancelled")
    assert lender_step(sent) == Step(BORROWER, Action.CANCEL)


def test_a_cancellation_that_comes_too_late_is_refused() -> None:
    sent = refused_cancellation(HEADER, State.SHIPPED, Kind.LOAN, NOW)
    assert (sent.reason, sent.answer, sent.status) == ("CancelResponse", "N", "Loaned")
    assert lender_step(sent) is None


def test_the_status_is_told_on_request() -> None:
    sent = status_message(HEADER, State.OVERDUE, Kind.LOAN, NOW)
    assert (sent.reason, sent.status) == ("StatusRequestResponse", "Overdue")
    assert lender_step(structs.replace(sent, note="")) is None
