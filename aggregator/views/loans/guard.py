"""Lets only members of a library, and staff, into the pages of interlibrary loan."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.views.decorators.cache import never_cache

from aggregator.loan_desk.members import Desk, desk_of
from aggregator.models import Loan

DESK = "loan_desk"  # key in request.META
type DeskView = Callable[..., HttpResponseBase]


def for_members(view: DeskView) -> DeskView:
    """A decorator that calls the view with the desk of the user: view(request, desk, …). Forbids caching."""

    @wraps(view)
    def wrapper(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
        desk = desk_for(request)
        if desk.is_open:
            return view(request, desk, *arguments, **named)
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.get_full_path(), resolve_url(settings.LOGIN_URL))

    return never_cache(wrapper)


def desk_for(request: HttpRequest) -> Desk:
    """Return the desk (a user with their libraries) for an HTTP request. Looked up once for the view and the menu."""
    desk: Desk | None = request.META.get(DESK)
    if desk is None:
        desk = request.META[DESK] = desk_of(request.user)
    return desk


def own_loan(desk: Desk, number: int) -> Loan:
    """Return a loan request. Raises Http404 also if it exists but the person may not see it."""
    loan = desk.loans().filter(pk=number).select_related("borrower", "lender", "previous").first()
    if loan is None:
        raise Http404(number)
    return loan
