"""What follows from a message of ISO 18626 about a request that is stored here: steps, a remark, an answer. Pure.

Messages are repeated, cross each other and come late. What has already happened is accepted again; a step that another
system left out is taken first; what can no longer be done is kept as a remark, so that people learn of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.messages import (
    Agency,
    Confirmation,
    ErrorData,
    Header,
    MessageKind,
    RequesterMessage,
    RequestMessage,
    SupplierMessage,
)
from aggregator.loans.iso18626.steps import (
    CANCELLATION,
    Step,
    borrower_step,
    lender_step,
    refused_cancellation,
    status_message,
)
from aggregator.loans.states import CLOSED, TRANSITIONS, Action, Kind, State, actions

# A step that is missing before another one: the state, the action, the missing action.
_MISSING: Mapping[tuple[State, Action], Action] = {
    (State.SHIPPED, Action.RETURN): Action.RECEIVE,
    (State.SHIPPED, Action.RENEW): Action.RECEIVE,
    (State.QUERY, Action.SHIP): Action.ACCEPT,
}


@dataclass(frozen=True, slots=True)
class Known:
    """A request that is stored here, and its state. since: when the state began. shown: OVERDUE or the state."""

    header: Header
    kind: Kind
    state: State
    since: datetime
    shown: State


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to do: the steps, in order; a remark for the history that changes nothing; a message to send back."""

    steps: tuple[Step, ...] = ()
    remark: str = ""
    answer: SupplierMessage | None = None


def outcome(message: SupplierMessage | RequesterMessage, known: Known | None, at: datetime) -> Outcome:
    """Return what follows from a message. Raises MessageError if it is about no request, or about another library's,
    or says what is not possible.
    """
    if known is None:
        raise MessageError("iso18626.E012", value=message.header.request_id)
    _check_agencies(message.header, known.header)
    if isinstance(message, RequesterMessage):
        return _of_borrower(message, known, at)
    return _of_lender(message, known)


def accepted(message: RequestMessage | SupplierMessage | RequesterMessage, at: datetime) -> Confirmation:
    """Return the confirmation that a message was received and understood."""
    return _confirmation(_kind_of(message), message.header, at, _detail(message), (), message.version)


def refused(
    error: MessageError, at: datetime, message: RequestMessage | SupplierMessage | RequesterMessage | None = None
) -> Confirmation:
    """Return the confirmation that a message was received and cannot be used. message: None if it could not be read."""
    if message is None:
        return _confirmation(error.kind or MessageKind.REQUEST, error.header, at, "", (error.data(),), "")
    return _confirmation(_kind_of(message), message.header, at, _detail(message), (error.data(),), message.version)


def _of_borrower(message: RequesterMessage, known: Known, at: datetime) -> Outcome:
    if message.action == "StatusRequest":
        return Outcome(answer=status_message(_reply(known, at), known.shown, known.kind, known.since))
    step = borrower_step(message, known.state)
    too_late = step is not None and step.action is Action.CANCEL and not _is_allowed(step, known)
    if too_late and known.state is not State.CANCELLED:
        return Outcome(
            remark=f"{message.action} {message.note}".strip(),
            answer=refused_cancellation(_reply(known, at), known.state, known.kind, known.since),
        )
    return _settled(step, known, message.action, message.note)


def _of_lender(message: SupplierMessage, known: Known) -> Outcome:
    words = f"{message.reason} {message.answer} {message.status}"
    if message.reason == CANCELLATION and message.answer == "N":
        return Outcome(remark=" ".join(filter(None, (*words.split(), message.note))))
    return _settled(lender_step(message), known, message.status, message.note)


def _settled(step: Step | None, known: Known, name: str, note: str) -> Outcome:
    """The outcome of a message: the steps that bring the loan into the state that the message reports, or a remark if
    there are none to take. step: the one that corresponds to the message, None if no step does. name: the message's
    action or status. note: its free text. Raises MessageError for a step that the state of the loan does not allow.
    """
    if step is None or _has_happened(step, known):
        return Outcome(remark=note)
    if _is_allowed(step, known):
        return Outcome((step,))
    if missing := _MISSING.get((known.state, step.action)):
        first = Step(step.side, missing)
        between = replace(known, state=TRANSITIONS.get((known.state, step.side, missing, known.kind), known.state))
        if _is_allowed(first, known) and _is_allowed(step, between):
            return Outcome((first, step))
    if known.state in CLOSED or step.action is Action.NOTE:
        return Outcome(remark=f"{name} {note}".strip())
    raise MessageError("iso18626.E013", value=f"{name} ({known.state})")


def _is_allowed(step: Step, known: Known) -> bool:
    return step.action in actions(known.state, step.side, known.kind)


def _has_happened(step: Step, known: Known) -> bool:
    """Whether the request is in a state to which the step leads, or the step is the dispatch of what has arrived."""
    if _is_allowed(step, known):
        return False
    results = {
        result
        for (_state, side, action, kind), result in TRANSITIONS.items()
        if (side, action, kind) == (step.side, step.action, known.kind)
    }
    return known.state in results or (step.action is Action.SHIP and known.state in _AFTER_DISPATCH)


_AFTER_DISPATCH = frozenset((State.RECEIVED, State.ON_LOAN, State.RENEWAL, State.RETURNED, State.COMPLETED))


def _check_agencies(header: Header, known: Header) -> None:
    for agency, expected in ((header.supplier, known.supplier), (header.requester, known.requester)):
        if _folded(agency) != _folded(expected):
            raise MessageError("iso18626.E014", value=f"{agency.scheme} {agency.value}")


def _folded(agency: Agency) -> tuple[str, str]:
    return agency.scheme.casefold(), agency.value.casefold()


def _reply(known: Known, at: datetime) -> Header:
    header = known.header
    return Header(
        supplier=header.supplier,
        requester=header.requester,
        request_id=header.request_id,
        supplier_request_id=header.supplier_request_id,
        timestamp=at,
    )


def _kind_of(message: RequestMessage | SupplierMessage | RequesterMessage) -> MessageKind:
    if isinstance(message, RequestMessage):
        return MessageKind.REQUEST
    return MessageKind.SUPPLIER if isinstance(message, SupplierMessage) else MessageKind.REQUESTER


def _detail(message: RequestMessage | SupplierMessage | RequesterMessage) -> str:
    if isinstance(message, RequestMessage):
        return ""
    return message.reason if isinstance(message, SupplierMessage) else message.action


def _confirmation(
    of: MessageKind, header: Header, at: datetime, detail: str, errors: tuple[ErrorData, ...], version: str
) -> Confirmation:
    return Confirmation(
        of=of,
        header=Header(supplier=header.supplier, requester=header.requester, request_id=header.request_id, timestamp=at),
        received=header.timestamp,
        detail=detail,
        errors=errors,
        **({"version": version} if version else {}),
    )
