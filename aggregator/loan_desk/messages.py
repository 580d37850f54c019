"""Messages of ISO 18626 to the other library's system: each is stored in the transaction of the event that it reports.

`loan_desk.iso.sending` sends them. A library gets messages only if it has stated an address for them.
"""

import secrets
from datetime import datetime

from aggregator.loan_desk.packing import request_of
from aggregator.loans.iso18626.messages import Header, Message, RequestMessage, agency_of
from aggregator.loans.iso18626.steps import Change, requester_message, supplier_message
from aggregator.loans.iso18626.write import write
from aggregator.loans.states import Action, Kind, Reason, Side, State
from aggregator.models import Library, Loan, LoanEvent, LoanMessage, LoanTerms

_REQUESTS = (Action.SEND, Action.FORWARD)


def write_messages(loan: Loan, event: LoanEvent) -> None:
    """Store the message to the other library about an event, if its system receives messages."""
    to = loan.lender if event.side == Side.BORROWER else loan.borrower
    if loan.sent is None or event.way == LoanEvent.Way.PROGRAM or not receives(to):
        return  # the program notes only what the other system has said itself
    message = _message(loan, event)
    if message is not None:
        queue(loan, to, message, event.at, f"event-{event.pk}")


def receives(library: Library) -> bool:
    """Whether a library has stated an address for messages."""
    return LoanTerms.objects.filter(library=library).exclude(iso_address="").exists()


def queue(loan: Loan, to: Library, message: Message, at: datetime, key: str = "") -> None:
    """Store a message to a library. key: unique, so that it is stored only once; "" for an answer."""
    name = key or f"answer-{secrets.token_hex(8)}"
    LoanMessage.objects.create(loan=loan, library=to, key=name, body=write(message), created=at, due=at)


def header_of(loan: Loan, at: datetime) -> Header:
    """Return the header of a message about a request. A request that came as a message keeps its sender's number."""
    request = request_of(loan)
    return Header(
        supplier=agency_of(request.lender),
        requester=agency_of(request.borrower),
        request_id=loan.reference or loan.number,
        supplier_request_id=loan.number,
        timestamp=at,
    )


def _message(loan: Loan, event: LoanEvent) -> Message | None:
    header, request = header_of(loan, event.at), request_of(loan)
    if event.action in _REQUESTS:
        service = "Copy" if request.kind is Kind.COPY else "Loan"
        return RequestMessage(header=header, request=request, service=service)
    change = Change(
        action=Action(event.action),
        state=State(event.state),
        kind=request.kind,
        at=event.at,
        words=event.words,
        due=event.due.isoformat() if event.due else "",
        reason=Reason(event.reason) if event.reason else None,
    )
    if event.side == Side.BORROWER:
        return requester_message(header, change)
    return supplier_message(header, change)
