"""Which action of ours a message of ISO 18626 stands for, and which message an action of ours makes. Pure.

The words of states and actions are in `loans.states`; here is what the standard says besides: the reason for a message,
the answer to a request, and the reasons of a refusal, of which it knows fewer than we do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from aggregator.loans.iso18626.messages import Header, RequesterMessage, SupplierMessage
from aggregator.loans.states import ACTIONS, JAPAN, REASONS, STATES, Action, Kind, Reason, Side, State

RESPONSE, CHANGE, NOTIFICATION = "RequestResponse", "StatusChange", "Notification"
RENEWAL, CANCELLATION, STATUS = "RenewResponse", "CancelResponse", "StatusRequestResponse"


class Step(NamedTuple):
    """An action that a message stands for, with what goes with it. due: a date, "" if there is none."""

    side: Side
    action: Action
    words: str = ""
    due: str = ""
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An action that was done here. state: after it. at: when."""

    action: Action
    state: State
    kind: Kind
    at: datetime
    words: str = ""
    due: str = ""
    reason: Reason | None = None


# Action of the lender, or of the borrower that the lender confirms -> reason for the message, answer.
_REASONS: Mapping[Action, tuple[str, str]] = {
    Action.ACCEPT: (RESPONSE, ""),
    Action.INQUIRE: (RESPONSE, ""),
    Action.REFUSE: (RESPONSE, ""),
    Action.SHIP: (CHANGE, ""),
    Action.COMPLETE: (CHANGE, ""),
    Action.LOSE: (CHANGE, ""),
    Action.GRANT: (RENEWAL, "Y"),
    Action.DENY: (RENEWAL, "N"),
    Action.CANCEL: (CANCELLATION, "Y"),
    Action.NOTE: (NOTIFICATION, ""),
}
# Status of a message of the lender -> what the lender has done. All other statuses change nothing.
_BY_STATUS: Mapping[str, Action] = {
    "ExpectToSupply": Action.ACCEPT,
    "WillSupply": Action.ACCEPT,
    "Loaned": Action.SHIP,
    "CopyCompleted": Action.SHIP,
    "LoanCompleted": Action.COMPLETE,
    "CompletedWithoutReturn": Action.LOSE,
    "Unfilled": Action.REFUSE,
    "RetryPossible": Action.INQUIRE,
}
_ANSWERS: Mapping[tuple[str, str], Action] = {
    (RENEWAL, "Y"): Action.GRANT,
    (RENEWAL, "N"): Action.DENY,
    (CANCELLATION, "N"): Action.NOTE,
}
_BY_UNFILLED: Mapping[str, Reason] = {
    "NonCirculating": Reason.NOT_FOR_LOAN,
    "NotHeld": Reason.NOT_HELD,
    "NotOnShelf": Reason.MISSING,
    "OnLoan": Reason.ON_LOAN,
    "PolicyProblem": Reason.POLICY,
    "PoorCondition": Reason.POOR_CONDITION,
}
_BY_ACTION: Mapping[str, Action] = {
    name: action
    for action, words in ACTIONS.items()
    for name in (words.iso, *words.iso_also)
    if name and action is not Action.ANSWER
}


def lender_step(message: SupplierMessage) -> Step | None:
    """Return what a message of the lender stands for; None if it changes nothing and says nothing.

    A confirmed cancellation is a step of the borrower, whose request it was.
    """
    if message.reason == CANCELLATION and (message.answer == "Y" or message.status == "Cancelled"):
        return Step(Side.BORROWER, Action.CANCEL, message.note)
    if message.reason in (NOTIFICATION, STATUS):
        return Step(Side.LENDER, Action.NOTE, message.note) if message.note else None
    action = _ANSWERS.get((message.reason, message.answer)) or _BY_STATUS.get(message.status)
    if action is None or (action is Action.NOTE and not message.note):
        return Step(Side.LENDER, Action.NOTE, message.note) if message.note else None
    reason = _BY_UNFILLED.get(message.unfilled, Reason.OTHER) if action is Action.REFUSE else None
    words = " ".join(filter(None, (message.note, message.retry, message.costs if message.retry else "")))
    return Step(Side.LENDER, action, words, message.due, reason)


def borrower_step(message: RequesterMessage, state: State) -> Step | None:
    """Return what a message of the borrower stands for in a state; None for a mere question about the status."""
    action = _BY_ACTION.get(message.action)
    if action is Action.NOTE and state is State.QUERY:
        action = Action.ANSWER
    if action is None:
        return Step(Side.BORROWER, Action.NOTE, message.note) if message.note else None
    return Step(Side.BORROWER, action, message.note)


def supplier_message(header: Header, change: Change) -> SupplierMessage:
    """Return the message to the borrower about an action of the lender, or a cancellation that took effect."""
    reason, answer = _REASONS.get(change.action, (CHANGE, ""))
    return SupplierMessage(
        header=header,
        reason=reason,
        answer=answer,
        status=status(change.state, change.kind),
        changed=change.at,
        note=_with_reason(change.words, change.reason),
        unfilled=REASONS[change.reason].iso if change.reason else "",
        due=change.due,
        sent=change.at.astimezone(JAPAN).date().isoformat() if change.action is Action.SHIP else "",
    )


def refused_cancellation(header: Header, state: State, kind: Kind, at: datetime) -> SupplierMessage:
    """Return the answer to a borrower that cancels too late."""
    return SupplierMessage(header=header, reason=CANCELLATION, answer="N", status=status(state, kind), changed=at)


def status_message(header: Header, state: State, kind: Kind, at: datetime) -> SupplierMessage:
    """Return the answer to a borrower that asks for the status. at: when the state began."""
    return SupplierMessage(header=header, reason=STATUS, status=status(state, kind), changed=at)


def requester_message(header: Header, change: Change) -> RequesterMessage | None:
    """Return the message to the lender about an action of the borrower; None if the standard has none for it."""
    name = ACTIONS[change.action].iso
    return RequesterMessage(header=header, action=name, note=change.words) if name else None


def status(state: State, kind: Kind) -> str:
    """Return the status of ISO 18626; a draft, which no other library knows, counts as received."""
    return STATES[state].iso_for(kind) or STATES[State.REQUESTED].iso


def _with_reason(words: str, reason: Reason | None) -> str:
    """The text of the note, after our reason if the standard's code does not express the reason exactly."""
    if reason is None or _BY_UNFILLED.get(REASONS[reason].iso) is reason:
        return words
    return "\n".join(filter(None, (REASONS[reason].ja, words)))
