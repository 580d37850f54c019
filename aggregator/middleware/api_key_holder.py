"""The middleware that knows programs by their key: who sends none stays a stranger, who sends a wrong one is told.

A key goes in the header `Authorization: Bearer …`, never in an address, which logs and other sites would see.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aggregator.access.api_keys import HOLDER, KNOWN, USES
from aggregator.provision.api.problems import unknown_key
from aggregator.query.costly_paths import is_door

_SCHEME = "Bearer "


class ApiKeyMiddleware:
    """At the doors for programs only; pages know nothing of keys."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("Authorization", "")
        if not given.startswith(_SCHEME) or not is_door(request.path_info):
            return self._get_response(request)
        holder = KNOWN.holder(given.removeprefix(_SCHEME).strip())
        if holder is None:
            return unknown_key(request)
        request.META[HOLDER] = holder
        response = self._get_response(request)
        USES.count(holder, "refused" if response.status_code == 429 else "answered")
        response["Cache-Control"] = "private, no-store"  # what one key gets is not for others
        return response
