"""The middleware that lets the JSON interface fail in its own form only, whoever refused. Knows HTTP."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _

from aggregator.provision.api.problems import DOCUMENTATION, MEDIA_TYPE, problem
from aggregator.query.costly_paths import without_language

_START = "/api/"
_KINDS = {400: "parameter", 403: "not-found", 404: "not-found", 405: "method", 503: "unavailable"}


class ApiProblemMiddleware:
    """Makes a problem of every error page that stands at an address of the interface."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        path = without_language(request.path_info)
        if response.status_code < 400 or not path.startswith(_START) or path == DOCUMENTATION:
            return response
        if response.get("Content-Type", "") == MEDIA_TYPE:
            return response
        with override(get_language_from_request(request)):
            told = problem(_KINDS.get(response.status_code, "error"), _("See the documentation: /api/docs"))
        for name in ("Allow", "Retry-After", "Vary"):
            if name in response:
                told[name] = response[name]
        return told
