"""Stops crawlers from following every combination of facets and from searching other catalogues; people pass
after one click.

A results page sets the cookie of `reader_cookie`, which says nothing but "has seen a results page" (or was refused one
while the site was busy, see `rate_limit`). Clients with the cookie may use any number of facet conditions. A client
without it that asks for many conditions, or for the page of the live search (a program, or a reader who was sent a
link), is redirected to a page with one button, which is cheap to make, needs no JavaScript and works with a screen
reader.
"""

from collections.abc import Callable
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from aggregator.middleware.reader_cookie import is_reader, set_reader_cookie
from aggregator.query.costly_paths import condition_count, is_live_page, is_results_page

ASK = "/continue"  # appended to the address of the results page
FREE_CONDITIONS = 3  # facet conditions that need no cookie


class SeeOther(HttpResponseRedirect):
    """303: the client follows with GET, whatever method it used."""

    status_code = 303


class FacetGuardMiddleware:
    """Stops crawlers from following every combination of facet conditions.

    A client without the cookie is redirected from a search with many conditions, and from the live search, to the
    one-button page `ask`. A page of results that is shown sets the cookie.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if is_live_page(request.path_info) and not is_reader(request):
            return SeeOther(f"{request.path}{ASK}?{query}")
        if not is_results_page(request.path_info):
            return self._get_response(request)
        if condition_count(parse_qsl(query)) > FREE_CONDITIONS and not is_reader(request):
            return SeeOther(f"{request.path}{ASK}?{query}")  # request.path keeps the language prefix
        response = self._get_response(request)
        if response.status_code == 200:
            set_reader_cookie(request, response)
        return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The page with one button, which leads to the search with the same query string."""
    if request.method == "POST":
        response = SeeOther(f"{request.path.removesuffix(ASK)}?{request.META.get('QUERY_STRING', '')}")
        set_reader_cookie(request, response)
        return response
    path = request.path.removesuffix(ASK)
    context = {"search": f"?{request.META.get('QUERY_STRING', '')}", "is_live": is_live_page(path)}
    return render(request, "search/ask.html", context)
