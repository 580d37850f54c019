"""A library makes a request: as a draft or at once, and of the next library after a refusal.

A request concerns two libraries. Asking the next one makes a new request, which names the previous one; the former
lender never sees what becomes of it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from msgspec import structs

from aggregator.loan_desk.acting import Actor, Refused, Step, act, add_event, lock, overtaken, tell
from aggregator.loan_desk.offers import book_of, is_full, items_of, place_of, with_holding_of
from aggregator.loan_desk.packing import pack_request, request_of
from aggregator.loan_desk.parties import party_of, terms_of
from aggregator.loans.lenders import EXCLUSIONS, Candidate, exclusion
from aggregator.loans.request import LoanRequest, bounded
from aggregator.loans.states import Action, Kind, NotAllowed, Side, State, after, today_in_japan
from aggregator.models import Library, Loan, LoanEvent

DAY = timedelta(days=1)
MOST_QUEUED = 20  # libraries to ask next


@dataclass(frozen=True, slots=True)
class Order:
    """A request to be made. queue: the keys of the libraries to ask next. book: its permanent id, "" if unknown.

    reference: the number of a request that another system sends.
    """

    borrower: Library
    lender: Library
    request: LoanRequest
    queue: tuple[int, ...] = ()
    book: str = ""
    way: LoanEvent.Way = LoanEvent.Way.ACCOUNT
    reference: str = ""


@transaction.atomic
def ask(order: Order, user: Any, now: datetime, *, send: bool) -> Loan:
    """Store a request; send: as one that the lender sees, otherwise as a draft. Raises Refused."""
    _check_lender(order.lender, order.borrower, order.request.kind, now)
    check_limit(order.borrower, now)
    loan = Loan.objects.create(
        borrower=order.borrower,
        lender=order.lender,
        person=user,
        book=order.book,
        reference=order.reference,
        queue=[pk for pk in dict.fromkeys(order.queue) if pk != order.lender.pk][:MOST_QUEUED],
        state=State.DRAFT,
        created=now,
        changed=now,
    )
    _store_request(loan, order.request)
    if send:
        return send_draft(loan.pk, user, now, order.way)
    return loan


@transaction.atomic
def change_draft(number: int, request: LoanRequest, now: datetime) -> Loan:
    """Store another text of a draft. Raises Refused if it was sent in the meantime."""
    loan = lock(number)
    if loan.state != State.DRAFT:
        raise Refused(overtaken(State(loan.state)))
    loan.changed = now
    _store_request(loan, request)
    return loan


@transaction.atomic
def send_draft(number: int, user: Any, now: datetime, way: LoanEvent.Way = LoanEvent.Way.ACCOUNT) -> Loan:
    """Send a draft to the lender. Raises Refused."""
    loan = lock(number)
    _check_lender(loan.lender, loan.borrower, request_of(loan).kind, now)
    actor = Actor(Side.BORROWER, way, user)
    return act(number, actor, Step(Action.SEND, State.DRAFT), now)


@transaction.atomic
def forward(number: int, lender: Library, user: Any, seen: State, now: datetime) -> Loan:
    """Ask the next library, after a refusal or a query: returns the new request. Raises Refused."""
    loan = lock(number)
    state, request = State(loan.state), request_of(loan)
    if state != seen or Loan.objects.filter(previous=loan).exists():
        raise Refused(overtaken(state))
    try:
        after(state, Side.BORROWER, Action.FORWARD, request.kind)
    except NotAllowed as refusal:
        raise Refused(refusal.message(get_language() or "ja")) from refusal
    actor = Actor(Side.BORROWER, LoanEvent.Way.ACCOUNT, user)
    _close(loan, actor, now)
    elsewhere = with_holding_of(structs.replace(request, previous=loan.number), book_of(loan.book), lender)
    made = ask(Order(loan.borrower, lender, elsewhere, tuple(loan.queue), loan.book), user, now, send=False)
    Loan.objects.filter(pk=made.pk).update(previous=loan)
    made = lock(made.pk)
    made.state, made.sent = State.REQUESTED, now
    made.save(update_fields=["state", "sent"])
    tell(made, add_event(made, actor, Step(Action.FORWARD), now))
    return made


def check_limit(borrower: Library, now: datetime) -> None:
    """Raise Refused if a library has made as many requests within a day as it may."""
    most = int(settings.LOANS_PER_DAY)
    moments = Loan.objects.filter(borrower=borrower).order_by("-pk").values_list("created", flat=True)
    if (first := moments[most - 1 : most].first()) and first > now - DAY:
        raise Refused(
            _("Your library has made %(most)s requests within a day. Please continue tomorrow.") % {"most": most}
        )


def _check_lender(lender: Library, borrower: Library, kind: Kind, now: datetime) -> None:
    """Raise Refused if the library cannot be asked at all. Does not check whether it lends this book."""
    terms = terms_of(lender)
    candidate = Candidate(
        library=lender.pk,
        lends=lender.lends,
        copies=terms.copies,
        closed_on=lender.closed_on,
        full=terms.most > 0 and is_full(terms, items_of(borrower).get(lender.pk, 0)),
    )
    reason = exclusion(candidate, place_of(borrower), kind, today_in_japan(now))
    if reason:
        raise Refused(EXCLUSIONS[reason].name(get_language() or "ja"))


def _store_request(loan: Loan, request: LoanRequest) -> None:
    parties = {"borrower": party_of(loan.borrower), "lender": party_of(loan.lender)}
    in_house = request.in_house_only or (request.kind is Kind.LOAN and terms_of(loan.lender).in_house)
    named = structs.replace(request, number=request.number or loan.number, in_house_only=in_house, **parties)
    loan.request = pack_request(bounded(named))
    loan.save(update_fields=["request", "changed"])


def _close(loan: Loan, actor: Actor, now: datetime) -> None:
    """End a request whose lender has refused, or has asked back, because another library is asked."""
    asked_back = loan.state == State.QUERY
    loan.state, loan.changed = State.CANCELLED if asked_back else State.REFUSED, now
    loan.save(update_fields=["state", "changed"])
    event = add_event(loan, actor, Step(Action.CANCEL if asked_back else Action.FORWARD), now)
    if asked_back:
        tell(loan, event)
