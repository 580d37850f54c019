"""The page of a request, what a library does with it there, and its printed form (A4)."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from aggregator.loan_desk.acting import Actor, Refused, act
from aggregator.loan_desk.asking import forward, send_draft
from aggregator.loan_desk.buttons import buttons, choices, may_forward, step_of
from aggregator.loan_desk.lines import (
    event_line,
    how_lines,
    name_of,
    party_lines,
    shown_state,
    state_name,
    what_lines,
    where_lines,
)
from aggregator.loan_desk.links import revoke_links
from aggregator.loan_desk.members import Desk
from aggregator.loan_desk.offers import book_of, choice
from aggregator.loan_desk.packing import request_of
from aggregator.loan_desk.parties import terms_of
from aggregator.loans.lenders import RANKS
from aggregator.loans.openurl import form_address
from aggregator.loans.states import ACTIONS, KINDS, SIDES, Action, Side, State
from aggregator.models import Library, Loan, LoanEvent
from aggregator.views.loans.guard import for_members, own_loan
from core.http.row_ids import row_id
from harvesting.audit.trail import note

MOST_NEXT = 30  # libraries that are offered to be asked next


@require_safe
@for_members
def loan_page(request: HttpRequest, desk: Desk, number: int) -> HttpResponse:
    """A request with its history and what the person's library can do with it."""
    loan = own_loan(desk, number)
    asked = request_of(loan)
    sides = sides_of(desk, loan)
    terms = terms_of(loan.lender)
    own = [button for side in sides for button in buttons(loan, asked, side)]
    context = {
        **described(loan),
        "buttons": own,
        "choices": choices(timezone.localdate(), terms.days),
        "both": len(sides) > 1,
        "can_revoke": Side.BORROWER in sides or desk.sees_all,
        "links": loan.links.filter(revoked=None, used_at=None, expires__gt=timezone.now()).exists(),
        "next": _next_libraries(loan) if Side.BORROWER in sides and may_forward(loan, asked) else [],
        "form_address": form_address(terms.form, asked, settings.PUBLIC_URL) if Side.BORROWER in sides else "",
        "failed": loan.messages.filter(state="failed").last(),
        "previous": loan.previous if loan.previous and Side.BORROWER in sides else None,
        "following": Loan.objects.filter(previous=loan).first() if Side.BORROWER in sides else None,
    }
    return render(request, "loans/loan.html", context)


@require_safe
@for_members
def loan_print(request: HttpRequest, desk: Desk, number: int) -> HttpResponse:
    """The request on one page of A4."""
    return render(request, "loans/print.html", described(own_loan(desk, number)))


@require_POST
@for_members
def loan_act(request: HttpRequest, desk: Desk, number: int) -> HttpResponse:
    """Carry out what a form of the page says."""
    loan, step = own_loan(desk, number), step_of(request.POST)
    side = next((side for side in sides_of(desk, loan) if side == request.POST.get("side")), None)
    if step is None or side is None:
        raise Http404(number)
    try:
        if step.action is Action.FORWARD:
            lender = get_object_or_404(Library, pk=row_id(request.POST.get("lender", "")))
            loan = forward(loan.pk, lender, request.user, step.seen or State(loan.state), timezone.now())
        elif step.action is Action.SEND:
            loan = send_draft(loan.pk, request.user, timezone.now())
        else:
            loan = act(loan.pk, Actor(side, LoanEvent.Way.ACCOUNT, request.user), step, timezone.now())
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Recorded: %(action)s.") % {"action": _label(step.action)})
    return redirect("loan", loan.pk)


@require_POST
@for_members
def loan_revoke(request: HttpRequest, desk: Desk, number: int) -> HttpResponse:
    """Revoke the link by which the lender answers without an account."""
    loan = own_loan(desk, number)
    if not (desk.sees_all or Side.BORROWER in sides_of(desk, loan)):
        raise Http404(number)
    if revoke_links(loan, timezone.now()):
        note(request.user, "loan.link_revoked", loan)
        messages.success(request, _("The link in the e-mail no longer works."))
    return redirect("loan", loan.pk)


def _next_libraries(loan: Loan) -> list[tuple[int, str]]:
    """The libraries to ask next: those in the queue, then all others that hold the book. (key, name with rank)"""
    asked_before = {loan.lender_id, *_chain(loan)}
    book = book_of(loan.book)
    found = choice(book, loan.borrower, request_of(loan).kind, timezone.localdate()).lenders if book else ()
    language = get_language() or "ja"
    by_key = {lender.candidate.library: lender for lender in found if lender.candidate.library not in asked_before}
    order = [pk for pk in loan.queue if pk in by_key] + [pk for pk in by_key if pk not in loan.queue]
    return [(pk, f"{by_key[pk].candidate.name} ({RANKS[by_key[pk].rank].name(language)})") for pk in order[:MOST_NEXT]]


def _chain(loan: Loan) -> Iterator[int]:
    """The lenders that were asked earlier: this request repeats requests to them."""
    previous = loan.previous
    for _step in range(MOST_NEXT):
        if previous is None:
            return
        yield previous.lender_id
        previous = previous.previous


def _label(action: Action) -> str:
    return ACTIONS[action].name(get_language() or "ja")


def sides_of(desk: Desk, loan: Loan) -> list[Side]:
    """Return for which of the two libraries the person acts."""
    keys = {Side.BORROWER: loan.borrower_id, Side.LENDER: loan.lender_id}
    return [side for side, key in keys.items() if key in desk.keys]


def described(loan: Loan, *, persons: bool = True) -> dict[str, Any]:
    """Return the context with all that is known of a request. persons: whether the history names people."""
    asked = request_of(loan)
    names: dict[str, str] = {Side.BORROWER: name_of(asked.borrower), Side.LENDER: name_of(asked.lender)}
    state = shown_state(loan, asked.kind, timezone.now())
    return {
        "loan": loan,
        "asked": asked,
        "kind": KINDS[asked.kind],
        "state": state,
        "state_name": state_name(state),
        "what": what_lines(asked),
        "where": where_lines(asked),
        "how": how_lines(asked),
        "borrower": party_lines(asked.borrower),
        "lender": party_lines(asked.lender),
        "names": names,
        "sides": SIDES,
        "events": [event_line(event, names, persons=persons) for event in loan.events.all()],
        "now": timezone.now(),
    }
