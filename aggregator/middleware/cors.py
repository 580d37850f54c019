"""The middleware that lets pages of other sites read our data in a browser: CORS. Knows HTTP; no data.

Open to everybody are the doors for programs, which know no session: whoever asks there gets what all get. Pages with
sessions say nothing, so that browsers keep other sites out of them.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aggregator.query.costly_paths import is_door

METHODS = "GET, HEAD, POST, OPTIONS"
HEADERS = "Accept, Accept-Language, Authorization, Content-Type, If-Modified-Since, If-None-Match"
EXPOSED = (
    "Content-Disposition, ETag, Link, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, "
    "RateLimit-Reset"
)
REMEMBERED = 24 * 60 * 60  # seconds; browsers ask again after two hours at most, whatever is said


class CorsMiddleware:
    """Before all that costs something: a preflight is answered at once."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        door = is_door(request.path_info)
        if door and request.method == "OPTIONS":
            return _preflight()
        response = self._get_response(request)
        if door or _leads_to_one(request, response):
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = EXPOSED
        return response


def _preflight() -> HttpResponse:
    response = HttpResponse(status=204)
    response["Allow"] = METHODS
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Allow-Methods"] = METHODS
    response["Access-Control-Allow-Headers"] = HEADERS
    response["Access-Control-Max-Age"] = str(REMEMBERED)
    return response


def _leads_to_one(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether it only sends on to a door: a permanent link that was asked for data."""
    return response.status_code in (302, 303) and is_door(response.get("Location", ""))
