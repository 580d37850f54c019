"""The middleware that knows programs by their key: who sends none stays a stranger, who sends a wrong one is told.

A key goes in the header `Authorization: Bearer …`, never in an address, which logs and other sites would see.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _

from aggregator.access.api_keys import KNOWN, USES, Holder
from aggregator.provision.api.problems import problem
from aggregator.query.costly_paths import is_door

_SCHEME = "Bearer "
_HOLDER = "aggregator.holder"  # in request.META


def holder_of(request: HttpRequest) -> Holder | None:
    """Whose key came with the request."""
    found: Holder | None = request.META.get(_HOLDER)
    return found


class KeyHolders:
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
        request.META[_HOLDER] = holder
        response = self._get_response(request)
        USES.count(holder, "refused" if response.status_code == 429 else "answered")
        response["Cache-Control"] = "private, no-store"  # what one key gets is not for others
        return response


def unknown_key(request: HttpRequest) -> HttpResponse:
    """401, with how to send a key."""
    with override(get_language_from_request(request)):
        response = problem(
            "key", _("This key is unknown or was revoked. Leave the header Authorization out to ask without a key.")
        )
    response["WWW-Authenticate"] = 'Bearer realm="aggregator", error="invalid_token"'
    return response
