"""Receives messages of ISO 18626 from registered libraries, and answers each with a confirmation.

A sender is a library that is known by its secret; it speaks only for itself. Messages may be repeated: a request that
is known is not made again, and what has already happened is confirmed again (`loans.iso18626.exchange`).
"""

import logging
from datetime import date, datetime, timedelta
from hashlib import sha256

from django.db import IntegrityError, transaction
from django.db.models import Q
from msgspec import structs

from aggregator.libraries.successors import present_library, with_merged
from aggregator.loan_desk.acting import Actor, Refused, Step, act, add_event, lock
from aggregator.loan_desk.asking import Order, ask
from aggregator.loan_desk.lines import shown_state
from aggregator.loan_desk.messages import header_of, queue, receives
from aggregator.loan_desk.packing import request_of
from aggregator.loan_desk.parties import terms_of
from aggregator.loans.iso18626 import exchange
from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.messages import (
    Agency,
    Confirmation,
    RequesterMessage,
    RequestMessage,
    SupplierMessage,
)
from aggregator.loans.iso18626.read import read
from aggregator.loans.iso18626.steps import Change, supplier_message
from aggregator.loans.iso18626.steps import Step as IsoStep
from aggregator.loans.states import Action, Need, Side, State, need, today_in_japan
from aggregator.models import Library, LibraryCode, Loan, LoanEvent, LoanTerms
from core.http.row_ids import row_id

logger = logging.getLogger(__name__)

type Incoming = RequestMessage | SupplierMessage | RequesterMessage
ISO = LoanEvent.Way.ISO
USUAL_DAYS = 30  # length of a loan whose lender has stated none


def sender_of(secret: str) -> Library | None:
    """Return the library that is registered with a secret."""
    if not secret:
        return None
    terms = LoanTerms.objects.filter(iso_digest=digest_of(secret)).select_related("library__merged_into").first()
    return present_library(terms.library) if terms else None


def digest_of(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "replace")).digest()


def receive(data: bytes, sender: Library, now: datetime) -> Confirmation | None:
    """Carry out what a message says, and return its confirmation; None for a confirmation, which is not confirmed."""
    try:
        message = read(data)
    except MessageError as error:
        return exchange.refused(error, now)
    if isinstance(message, Confirmation):
        return None
    try:
        with transaction.atomic():
            _carry_out(message, sender, now)
    except IntegrityError:
        logger.info("a request was sent twice at the same time")  # one of the two is stored
    except MessageError as error:
        return exchange.refused(error, now, message)
    except Refused as refusal:
        return exchange.refused(MessageError("iso18626.E013", value=str(refusal)), now, message)
    return exchange.accepted(message, now)


def _carry_out(message: Incoming, sender: Library, now: datetime) -> None:
    side = Side.LENDER if isinstance(message, SupplierMessage) else Side.BORROWER
    agency = message.header.supplier if side is Side.LENDER else message.header.requester
    own = with_merged([sender.pk])
    if _library_of(agency) not in own:
        raise _no_part(agency)
    loan = _loan_of(message, own, side)
    if isinstance(message, RequestMessage):
        if loan is None:
            _make(message, sender, now)
        return
    loan = lock(loan.pk) if loan else None
    result = exchange.outcome(message, _known(loan, message, now) if loan else None, now)
    if loan is not None:
        _follow(loan, result, side, now)


def _follow(loan: Loan, result: exchange.Outcome, side: Side, now: datetime) -> None:
    """Do what follows from a message of one side."""
    for step in result.steps:
        way = ISO if step.side is side else LoanEvent.Way.PROGRAM
        loan = act(loan.pk, Actor(step.side, way), _as_step(step, loan, now), now)
        if step.action is Action.CANCEL and side is Side.BORROWER:
            change = Change(action=step.action, state=State(loan.state), kind=request_of(loan).kind, at=now)
            _answer(loan, supplier_message(header_of(loan, now), change), now)
    if result.remark:
        add_event(loan, Actor(side, ISO), Step(Action.NOTE, words=result.remark), now)
    if result.answer is not None:
        _answer(loan, result.answer, now)


def _as_step(step: IsoStep, loan: Loan, now: datetime) -> Step:
    """The step, completed where other systems leave something out: words, and a date due by the lender's terms."""
    words = step.words or ("–" if need(step.action, request_of(loan).kind) is Need.WORDS else "")
    due = today_in_japan(now) + timedelta(days=terms_of(loan.lender).days or USUAL_DAYS)
    if step.due:
        due = date.fromisoformat(step.due[:10])
    return Step(step.action, None, words, step.reason or "", due)


def _answer(loan: Loan, message: SupplierMessage, now: datetime) -> None:
    if receives(loan.borrower):
        queue(loan, loan.borrower, message, now)


def _make(message: RequestMessage, borrower: Library, now: datetime) -> None:
    """Make a request of a library that its own system sends. Raises MessageError and Refused."""
    agency = message.header.supplier
    lender = Library.objects.filter(pk=_library_of(agency)).select_related("merged_into").first()
    if lender is None:
        raise _no_part(agency)
    request = structs.replace(message.request, number=message.header.request_id)
    order = Order(borrower, present_library(lender), request, way=ISO, reference=message.header.request_id)
    ask(order, None, now, send=True)


def _library_of(agency: Agency) -> int:
    """Return the key of the library with a code; 0 if there is none."""
    codes = LibraryCode.objects.filter(scheme__iexact=agency.scheme, value__iexact=agency.value)
    return codes.values_list("library", flat=True).first() or 0


def _loan_of(message: Incoming, own: frozenset[int], side: Side) -> Loan | None:
    """Return the request that a message of a library is about, None if it has none with this number."""
    loans = Loan.objects.filter(lender__in=own) if side is Side.LENDER else Loan.objects.filter(borrower__in=own)
    number = message.header.request_id
    by_number = Q(pk=row_id(number[3:]), reference="") if number[:3] == "ILL" else Q(pk=None)
    return loans.exclude(sent=None).filter(by_number | Q(reference=number)).order_by("pk").first()


def _known(loan: Loan, message: Incoming, now: datetime) -> exchange.Known:
    """The request as it stands, with the codes that the message uses for the two libraries. Raises MessageError."""
    kind, header = request_of(loan).kind, message.header
    for agency, library in ((header.supplier, loan.lender_id), (header.requester, loan.borrower_id)):
        if _library_of(agency) not in with_merged([library]):
            raise _no_part(agency)
    known = structs.replace(header_of(loan, now), supplier=header.supplier, requester=header.requester)
    return exchange.Known(known, kind, State(loan.state), loan.changed, shown_state(loan, kind, now))


def _no_part(agency: Agency) -> MessageError:
    return MessageError("iso18626.E014", value=f"{agency.scheme} {agency.value}")
