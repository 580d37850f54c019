"""A new request: the form, filled in from the book and the lender's copies; and a draft that is changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from msgspec import structs

from aggregator.catalogue.books import Book
from aggregator.libraries.numbers import library_pk
from aggregator.libraries.successors import present_library
from aggregator.loan_desk.acting import Refused
from aggregator.loan_desk.asking import MOST_QUEUED, Order, ask, change_draft, send_draft
from aggregator.loan_desk.forms import RequestForm, initial_of
from aggregator.loan_desk.members import Desk
from aggregator.loan_desk.offers import book_of, choice, request_for, with_holding_of
from aggregator.loan_desk.packing import request_of
from aggregator.loan_desk.parties import Condition, conditions_of
from aggregator.loans.lenders import EXCLUSIONS, RANKS, Choice
from aggregator.loans.request import LoanRequest
from aggregator.loans.states import Kind, Side, State
from aggregator.models import Library, Loan
from aggregator.views.loans.guard import for_members, own_loan
from aggregator.views.loans.pages import sides_of
from core.http.row_ids import row_id

MOST_SHOWN = 30  # libraries that can be asked, in the order of asking


@dataclass(frozen=True, slots=True)
class Place:
    """A library that can be asked, as the form shows it. chosen: first; queued: to be asked next."""

    pk: int
    name: str
    rank: str
    asked: Any
    chosen: bool
    queued: bool
    conditions: Sequence[Condition] = ()


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def loan_new(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The form for a book that a library holds; POST makes the request, or a draft of it."""
    if not desk.libraries:
        raise PermissionDenied
    values = request.POST if request.method == "POST" else request.GET
    book = book_of(values.get("book", "")[:300])
    lender = _library(values.get("library", ""))
    if book is None or not book.number or lender is None:
        raise Http404
    borrower = next((own for own in desk.libraries if str(own.pk) == values.get("borrower")), desk.libraries[0])
    filled = request_for(book, lender)
    form = RequestForm(request.POST or None, initial=initial_of(_with_kind(filled, values.get("kind", ""))))
    found = choice(book, borrower, Kind.LOAN if form["kind"].value() == "loan" else Kind.COPY, timezone.localdate())
    queue = tuple(filter(None, map(row_id, request.POST.getlist("queue"))))[:MOST_QUEUED]
    if request.method == "POST" and form.is_valid():
        order = Order(borrower, lender, form.request(filled), queue, book.public_id)
        try:
            loan = _ask(request, order, book, found)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("loan", loan.pk)
    context = {
        "form": form,
        "book": book,
        "borrower": borrower,
        "own": desk.libraries,
        "lender": lender,
        "places": _places(found, lender.pk, queue),
        "reason": _reason(found, lender.pk),
    }
    return render(request, "loans/form.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@for_members
def loan_edit(request: HttpRequest, desk: Desk, number: int) -> HttpResponse:
    """Change a draft, or send it."""
    loan = own_loan(desk, number)
    if Side.BORROWER not in sides_of(desk, loan) or loan.state != State.DRAFT:
        raise Http404(number)
    asked = request_of(loan)
    form = RequestForm(request.POST or None, initial=initial_of(asked))
    if request.method == "POST" and form.is_valid():
        try:
            change_draft(loan.pk, form.request(asked), timezone.now())
            if request.POST.get("do") == "send":
                send_draft(loan.pk, request.user, timezone.now())
                messages.success(request, _("The request has been sent."))
        except Refused as refusal:
            messages.error(request, str(refusal))
        return redirect("loan", loan.pk)
    context = {
        "form": form,
        "loan": loan,
        "lender": loan.lender,
        "borrower": loan.borrower,
        "own": [loan.borrower],
        "conditions": conditions_of([loan.lender_id]).get(loan.lender_id, ()),
    }
    return render(request, "loans/form.html", context, status=422 if form.errors else 200)


def _ask(request: HttpRequest, order: Order, book: Book, found: Choice) -> Loan:
    """Make the request that the form says. Raises Refused.

    If the chosen lender is not the one whose call number the form shows, the chosen lender's call number is taken.
    """
    chosen = _library(request.POST.get("lender", "")) or order.lender
    if chosen.pk not in {lender.candidate.library for lender in found.lenders}:
        raise Refused(_reason(found, chosen.pk) or _("This library does not hold the book."))
    asked = with_holding_of(order.request, book, chosen) if chosen.pk != order.lender.pk else order.request
    send = request.POST.get("do") == "send"
    loan = ask(replace(order, lender=chosen, request=asked), request.user, timezone.now(), send=send)
    messages.success(request, _("The request has been sent.") if send else _("The draft has been saved."))
    return loan


def _library(text: str) -> Library | None:
    """Return the library with this number or key, or the one that it was merged into."""
    pk = library_pk(text) or row_id(text)
    found = Library.objects.filter(pk=pk).select_related("merged_into").first()
    return present_library(found) if found else None


def _with_kind(filled: LoanRequest, kind: str) -> LoanRequest:
    return structs.replace(filled, kind=Kind(kind)) if kind in list(Kind) else filled


def _places(found: Choice, chosen: int, queue: tuple[int, ...]) -> list[Place]:
    """The libraries in the order of asking; the chosen one is among them if it can be asked at all."""
    language = get_language() or "ja"
    lenders = found.lenders[:MOST_SHOWN] + tuple(
        lender for lender in found.lenders[MOST_SHOWN:] if lender.candidate.library == chosen
    )
    conditions = conditions_of([lender.candidate.library for lender in lenders])
    return [
        Place(
            lender.candidate.library,
            lender.candidate.name,
            RANKS[lender.rank].name(language),
            lender.candidate.asked,
            lender.candidate.library == chosen,
            lender.candidate.library in queue,
            conditions.get(lender.candidate.library, ()),
        )
        for lender in lenders
    ]


def _reason(found: Choice, lender: int) -> str:
    """Why nothing can be requested of this library, "" if it can."""
    language = get_language() or "ja"
    return next((EXCLUSIONS[why].name(language) for one, why in found.excluded if one.library == lender), "")
