"""Middleware for CORS (Fetch standard): lets pages of other sites read this site's data in a browser.

Only the interfaces for programs are open. They use no session, so every client gets the same answer. Pages with
sessions send no CORS headers, so that browsers do not let other sites read them.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aggregator.query.costly_paths import is_data_interface

METHODS = "GET, HEAD, POST, OPTIONS"
HEADERS = "Accept, Accept-Language, Authorization, Content-Type, If-Modified-Since, If-None-Match"
EXPOSED = (
    "Content-Disposition, ETag, Link, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, "
    "RateLimit-Reset"
)
MAX_AGE = 24 * 60 * 60  # seconds; browsers shorten it, some to two hours


class CorsMiddleware:
    """Adds the CORS headers. Answers preflight requests itself, so it stands before all middleware that costs time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_interface = is_data_interface(request.path_info)
        if is_interface and request.method == "OPTIONS":
            return _preflight()
        response = self._get_response(request)
        if is_interface or _redirects_to_interface(request, response):
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = EXPOSED
        return response


def _preflight() -> HttpResponse:
    response = HttpResponse(status=204)
    response["Allow"] = METHODS
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Allow-Methods"] = METHODS
    response["Access-Control-Allow-Headers"] = HEADERS
    response["Access-Control-Max-Age"] = str(MAX_AGE)
    return response


def _redirects_to_interface(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether the response redirects to an interface, as a permanent link does that was requested as data."""
    return response.status_code in (302, 303) and is_data_interface(response.get("Location", ""))
