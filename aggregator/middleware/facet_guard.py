"""Many facet conditions at once: a way that people go step by step, and programs by following every link.

A results page hands out a cookie that says nothing but "has seen a results page" (or was told to come back, see
`limits`). Who has it may narrow as far as they like. Who comes without it straight to a deep page (a program; a reader
with a link that was sent to them) is led to a page with one button: cheap to make, without JavaScript, readable by a
screen reader.
"""

from collections.abc import Callable
from urllib.parse import parse_qsl

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from aggregator.query.costly_paths import conditions, is_results_page

COOKIE = "reader"
COOKIE_AGE = 30 * 24 * 60 * 60
ASK = "/continue"  # behind the address of the results
OPEN_CONDITIONS = 3  # that need no cookie


class SeeOther(HttpResponseRedirect):
    """303: what comes next is asked for by GET."""

    status_code = 303


class FacetGuardMiddleware:
    """Sends strangers on deep results pages to `ask`; gives the cookie to all others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_results_page(request.path_info) or COOKIE in request.COOKIES:
            return self._get_response(request)
        query = request.META.get("QUERY_STRING", "")
        if conditions(parse_qsl(query)) > OPEN_CONDITIONS:
            return SeeOther(f"{request.path}{ASK}?{query}")  # in the same language
        response = self._get_response(request)
        if response.status_code == 200:
            greet(response)
        return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """One button, which leads to the search of this very query string."""
    if request.method == "POST":
        response = SeeOther(f"{request.path.removesuffix(ASK)}?{request.META.get('QUERY_STRING', '')}")
        greet(response)
        return response
    return render(request, "search/ask.html", {"search": f"?{request.META.get('QUERY_STRING', '')}"})


def greet(response: HttpResponse) -> None:
    """Give the cookie that says that its bearer has been here."""
    secure = settings.SESSION_COOKIE_SECURE
    response.set_cookie(COOKIE, "1", max_age=COOKIE_AGE, httponly=True, samesite="Lax", secure=secure)
