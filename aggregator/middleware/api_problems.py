"""Middleware that makes every error under /api/ a problem document (RFC 9457), whichever part of the site refused."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _

from aggregator.provision.api.problems import DOCUMENTATION, MEDIA_TYPE, problem
from aggregator.query.costly_paths import is_ndl_face, without_language

_PATH_START = "/api/"
_KINDS = {400: "parameter", 403: "not-found", 404: "not-found", 405: "method", 503: "unavailable"}


class ApiProblemMiddleware:
    """Replaces error pages at addresses of the JSON interface by problem documents."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        path = without_language(request.path_info)
        if response.status_code < 400 or not path.startswith(_PATH_START) or path == DOCUMENTATION or is_ndl_face(path):
            return response
        if response.get("Content-Type", "") == MEDIA_TYPE:
            return response
        with override(get_language_from_request(request)):
            answer = problem(_KINDS.get(response.status_code, "error"), _("See the documentation: /api/docs"))
        for name in ("Allow", "Retry-After", "Vary"):
            if name in response:
                answer[name] = response[name]
        return answer
