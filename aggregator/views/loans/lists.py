"""The lists of requests, the same as CSV, and the figures."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from aggregator.loan_desk.figures import figures, total
from aggregator.loan_desk.lists import PAGE, csv_header, csv_rows, loans_of, rows, states
from aggregator.loan_desk.members import Desk
from aggregator.loans.states import Side
from aggregator.views.loans.guard import for_members
from core.spreadsheet import as_csv

SIDES = {"made": Side.BORROWER, "received": Side.LENDER}


@require_safe
@for_members
def loans_made(request: HttpRequest, desk: Desk) -> HttpResponse:
    """What the person's libraries have requested."""
    return _list(request, desk, "made")


@require_safe
@for_members
def loans_received(request: HttpRequest, desk: Desk) -> HttpResponse:
    """What was requested of the person's libraries."""
    return _list(request, desk, "received")


@require_safe
@for_members
def loans_csv(request: HttpRequest, desk: Desk, which: str) -> HttpResponse:
    """A list as CSV, narrowed as the page is."""
    side, now = SIDES[which], timezone.now()
    loans = loans_of(desk, side, _state(request), now)
    content = as_csv(csv_header(), csv_rows(rows(loans.iterator(chunk_size=500), side, now)))
    response = HttpResponse(content, "text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="loans-{which}.csv"'
    return response


@require_safe
@for_members
def loan_figures(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Filled, days, by library: of the last twelve months."""
    now = timezone.now()
    parts = [
        (_("Requested by us"), total(desk, Side.BORROWER, now), figures(desk, Side.BORROWER, now)),
        (_("Received by us"), total(desk, Side.LENDER, now), figures(desk, Side.LENDER, now)),
    ]
    return render(request, "loans/figures.html", {"parts": parts})


def _list(request: HttpRequest, desk: Desk, which: str) -> HttpResponse:
    side, now, state = SIDES[which], timezone.now(), _state(request)
    pages = Paginator(loans_of(desk, side, state, now), PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "which": which,
        "rows": list(rows(page.object_list, side, now)),
        "page": page,
        "state": state,
        "states": states(),
        "query": urlencode({"state": state}) if state else "",
        "all": desk.sees_all and not desk.libraries,
    }
    return render(request, "loans/list.html", context)


def _state(request: HttpRequest) -> str:
    state = request.GET.get("state", "")
    if state not in dict(states()):
        raise Http404(state)
    return state
