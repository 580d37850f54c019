"""What follows from messages that are repeated, cross each other or come late."""

from datetime import timedelta
from itertools import product

import pytest
from msgspec import structs

from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.exchange import Known, Outcome, accepted, outcome, refused
from aggregator.loans.iso18626.messages import (
    Agency,
    MessageKind,
    RequesterMessage,
    RequestMessage,
    SupplierMessage,
)
from aggregator.loans.iso18626.read import read
from aggregator.loans.iso18626.steps import Step
from aggregator.loans.iso18626.write import write
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import Action, Kind, Side, State, after
from tests.aggregator.loans.iso18626.documents import HEADER, NOW, RECEIVED, document

SINCE = NOW - timedelta(days=3)
STATUSES = [
    *("RequestReceived", "ExpectToSupply", "WillSupply", "Loaned", "CopyCompleted", "LoanCompleted"),
    *("CompletedWithoutReturn", "Unfilled", "RetryPossible", "Cancelled", "Overdue", "Recalled", "HoldReturn"),
]
ACTIONS = [
    *("StatusRequest", "Received", "Cancel", "Renew", "ShippedReturn", "ShippedForward", "HoldReturn", "Lost"),
    "Notification",
]


def known(state: State, kind: Kind = Kind.LOAN, shown: State | None = None) -> Known:
    return Known(HEADER, kind, state, SINCE, shown or state)


def of_lender(status: str, reason: str = "StatusChange", **fields: str) -> SupplierMessage:
    return SupplierMessage(header=HEADER, reason=reason, status=status, changed=NOW, **fields)


def of_borrower(action: str, note: str = "") -> RequesterMessage:
    return RequesterMessage(header=HEADER, action=action, note=note)


def acted(message, state: State, kind: Kind = Kind.LOAN) -> list[Action]:
    return [step.action for step in outcome(message, known(state, kind), NOW).steps]


def test_a_message_leads_to_its_step() -> None:
    found = outcome(of_lender("Loaned", due="2026-12-24"), known(State.ACCEPTED), NOW)
    assert found == Outcome((Step(Side.LENDER, Action.SHIP, "", "2026-12-24"),))
    assert outcome(of_borrower("Received"), known(State.SHIPPED), NOW) == Outcome(
        (Step(Side.BORROWER, Action.RECEIVE),)
    )


@pytest.mark.parametrize(
    ("message", "state"),
    [
        (of_lender("WillSupply", "RequestResponse"), State.ACCEPTED),
        (of_lender("Loaned"), State.SHIPPED),
        (of_lender("Loaned"), State.ON_LOAN),
        (of_lender("LoanCompleted"), State.COMPLETED),
        (of_lender("Unfilled", "RequestResponse"), State.REFUSED),
        (of_lender("Cancelled", "CancelResponse", answer="Y"), State.CANCELLED),
        (of_borrower("Received"), State.RECEIVED),
        (of_borrower("ShippedReturn"), State.RETURNED),
        (of_borrower("Cancel"), State.CANCELLED),
    ],
)
def test_what_has_already_happened_is_accepted_again(message, state) -> None:
    assert outcome(message, known(state), NOW) == Outcome()


def test_steps_that_another_system_leaves_out_are_taken_first() -> None:
    assert acted(of_borrower("ShippedReturn"), State.SHIPPED) == [Action.RECEIVE, Action.RETURN]
    assert acted(of_borrower("Renew"), State.SHIPPED) == [Action.RECEIVE, Action.RENEW]
    assert acted(of_lender("Loaned"), State.QUERY) == [Action.ACCEPT, Action.SHIP]


def test_a_cancellation_takes_effect_or_is_answered_with_no() -> None:
    assert acted(of_borrower("Cancel"), State.ACCEPTED) == [Action.CANCEL]
    late = outcome(of_borrower("Cancel", "不要"), known(State.SHIPPED), NOW)
    assert (late.steps, late.remark) == ((), "Cancel 不要")
    assert late.answer is not None
    assert (late.answer.reason, late.answer.answer, late.answer.status) == ("CancelResponse", "N", "Loaned")


def test_a_library_that_cancelled_learns_that_the_item_is_on_its_way() -> None:
    found = outcome(of_lender("Loaned", "CancelResponse", answer="N", note="発送済み"), known(State.CANCELLED), NOW)
    assert found == Outcome(remark="CancelResponse N Loaned 発送済み")
    assert outcome(of_lender("Loaned"), known(State.CANCELLED), NOW) == Outcome(remark="Loaned")


def test_a_question_about_the_status_is_answered_with_what_is_shown() -> None:
    answer = outcome(of_borrower("StatusRequest"), known(State.ON_LOAN, shown=State.OVERDUE), NOW).answer
    assert answer is not None
    assert (answer.reason, answer.status, answer.changed) == ("StatusRequestResponse", "Overdue", SINCE)
    assert answer.header.timestamp == NOW


def test_a_notification_is_a_note_an_answer_or_a_remark() -> None:
    assert acted(of_borrower("Notification", "連絡"), State.ACCEPTED) == [Action.NOTE]
    assert acted(of_borrower("Notification", "連絡"), State.QUERY) == [Action.ANSWER]
    assert outcome(of_borrower("Notification", "連絡"), known(State.COMPLETED), NOW).remark == "Notification 連絡"


def error(message, known: Known | None) -> MessageError:
    with pytest.raises(MessageError) as caught:
        outcome(message, known, NOW)
    return caught.value


def test_what_is_not_possible_is_refused() -> None:
    found = error(of_lender("Loaned"), known(State.DRAFT))
    assert (found.code, found.value) == ("iso18626.E013", "Loaned (draft)")
    assert error(of_borrower("Renew"), known(State.SHIPPED, Kind.COPY)).code == "iso18626.E013"


def test_a_message_about_no_request_or_of_another_library_is_refused() -> None:
    assert error(of_lender("Loaned"), None).code == "iso18626.E012"
    other = structs.replace(HEADER, requester=Agency(value="JP-1000099"))
    found = error(structs.replace(of_lender("Loaned"), header=other), known(State.ACCEPTED))
    assert (found.code, found.value) == ("iso18626.E014", "ISIL JP-1000099")


@pytest.mark.parametrize(("state", "kind"), [pair for pair in product(State, Kind) if pair[0] is not State.OVERDUE])
def test_every_step_that_follows_is_allowed(state, kind) -> None:
    messages = [of_lender(status, note="x") for status in STATUSES]
    messages += [of_lender("Loaned", "RenewResponse", answer=answer) for answer in ("Y", "N", "")]
    messages += [of_borrower(action, "x") for action in ACTIONS]
    for message in messages:
        now = state
        try:
            steps = outcome(message, known(state, kind), NOW).steps
        except MessageError:
            continue
        for step in steps:
            now = after(now, step.side, step.action, kind)


@pytest.mark.parametrize(
    ("message", "kind", "detail"),
    [
        (RequestMessage(header=HEADER, request=LoanRequest(title="x")), MessageKind.REQUEST, ""),
        (of_lender("Loaned"), MessageKind.SUPPLIER, "StatusChange"),
        (of_borrower("Renew"), MessageKind.REQUESTER, "Renew"),
    ],
)
def test_every_message_is_confirmed_in_its_version(message, kind, detail) -> None:
    for version in ("1.2", "2021-2"):
        confirmed = read(write(accepted(structs.replace(message, version=version), NOW)))
        assert (confirmed.of, confirmed.detail, confirmed.ok, confirmed.version) == (kind, detail, True, version)
        assert confirmed.header.request_id == HEADER.request_id
        assert confirmed.received == HEADER.timestamp


def test_an_error_is_confirmed_with_its_code_and_what_to_do() -> None:
    with pytest.raises(MessageError) as caught:
        read(document(RECEIVED.replace("Received", "Burn")))
    confirmed = read(write(refused(caught.value, NOW)))
    assert (confirmed.of, confirmed.ok, confirmed.header.request_id) == (MessageKind.REQUESTER, False, "2026-17")
    assert confirmed.errors[0].type == "UnsupportedActionType"
    assert confirmed.errors[0].value.startswith("iso18626.E009 The action “Burn”")


def test_an_error_about_a_message_that_was_read_names_its_action() -> None:
    message = of_borrower("Renew")
    confirmed = read(write(refused(error(message, None), NOW, message)))
    assert (confirmed.detail, confirmed.errors[0].type) == ("Renew", "UnrecognisedDataValue")


def test_an_error_is_confirmed_even_if_nothing_could_be_read() -> None:
    with pytest.raises(MessageError) as caught:
        read(b"<html/>")
    assert read(write(refused(caught.value, NOW))).of is MessageKind.REQUEST
