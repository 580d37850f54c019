"""The middleware around all others: each request gets a number, is timed and counted, and has its line in the log.

The line names the network that asked (/24, /48), not the address, and nothing of what was searched for.
"""

import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from aggregator.observability.request_counts import count
from aggregator.query.costly_paths import without_language
from core.http.client_address import client, is_in, network, parse_networks
from core.log_context import about

OTHER = "other"
# By how the address begins, the first that fits; the most asked for first.
_KINDS = (
    ("page", re.compile(r"/books/[^/.]*\Z")),
    ("data", re.compile(r"/books/")),
    ("search", re.compile(r"/(?:search|feeds/)")),
    ("suggest", re.compile(r"/suggest\Z")),
    ("static", re.compile(r"/static/|/favicon\.ico\Z|/robots\.txt\Z")),
    ("oai", re.compile(r"/oai\Z")),
    ("api", re.compile(r"/api/|/sru\Z|/opensearch|/openurl\Z")),
    ("resourcesync", re.compile(r"/resourcesync/|/\.well-known/|/dumps/")),
    ("sitemap", re.compile(r"/sitemap")),
    ("operation", re.compile(r"/(?:healthz|metrics)\Z")),
    ("staff", re.compile(r"/(?:manage|admin|login|logout|password|invitation|notices)")),
)
KINDS = (*(name for name, _pattern in _KINDS), OTHER)

logger = logging.getLogger("aggregator.access")
HEADER = "X-Request-ID"
_NUMBER = re.compile(r"[A-Za-z0-9_.-]{8,64}")


class RequestLogMiddleware:
    """X-Request-ID: that of a trusted proxy, else one of ours; it stands in every line of the log and in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._proxies = parse_networks(settings.TRUSTED_PROXIES)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begun = time.perf_counter()
        trusted = self._is_proxy(request)
        if not trusted:
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)  # anybody may write it
        number = self._number(request, trusted)
        with about(request=number):
            response = self._get_response(request)
            seconds = time.perf_counter() - begun
            count(kind(request.path_info), response.status_code, seconds)
            if logger.isEnabledFor(logging.INFO):
                self._tell(request, response, seconds)
        response[HEADER] = number
        return response

    def _number(self, request: HttpRequest, trusted: bool) -> str:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        return given if trusted and _NUMBER.fullmatch(given) else uuid4().hex

    def _is_proxy(self, request: HttpRequest) -> bool:
        asker = client(request.META.get("REMOTE_ADDR", ""), "", ())
        return is_in(asker, self._proxies)

    def _tell(self, request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
        forwarded = request.headers.get("X-Forwarded-For", "")
        asker = client(request.META.get("REMOTE_ADDR", ""), forwarded, self._proxies)
        facts = {
            "method": request.method,
            "path": request.path[:500],
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
            "network": str(network(asker)) if asker else "",
        }
        logger.info("%s %s %d", request.method, request.path[:500], response.status_code, extra={"about": facts})


def kind(path: str) -> str:
    """One of KINDS."""
    plain = without_language(path)
    return next((name for name, pattern in _KINDS if pattern.match(plain)), OTHER)
