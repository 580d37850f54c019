"""Middleware that identifies programs by their API key. A key is optional; an invalid one is answered with 401.

A key is sent in the header `Authorization: Bearer …`, never in an address, which logs and other sites would see.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aggregator.access.api_keys import HOLDER, USAGE, holder_of_key
from aggregator.provision.api.problems import unknown_key
from aggregator.query.costly_paths import is_data_interface

_SCHEME = "Bearer "


class ApiKeyMiddleware:
    """Applies to the interfaces for programs only; pages ignore keys."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        authorization = request.headers.get("Authorization", "")
        if not authorization.startswith(_SCHEME) or not is_data_interface(request.path_info):
            return self._get_response(request)
        holder = holder_of_key(authorization.removeprefix(_SCHEME).strip())
        if holder is None:
            return unknown_key(request)
        request.META[HOLDER] = holder
        response = self._get_response(request)
        USAGE.count(holder, "refused" if response.status_code == 429 else "answered")
        response["Cache-Control"] = "private, no-store"  # a shared cache must not give it to other clients
        return response
