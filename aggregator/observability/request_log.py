"""The outermost middleware: gives every request an id, times and counts it, and writes a line to the access log.

For the reader's privacy the line names the client's network (/24 or /48) instead of the address, the route instead of
the path, which may be a one-time link, and no query string.
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
from aggregator.observability.routes import route_of
from aggregator.query.costly_paths import without_language
from core.http.client_address import client, is_in, network, parse_networks
from core.log_context import log_fields

OTHER = "other"
# Parts of the site by address; the first pattern that matches wins. The most frequent come first.
_KINDS = (
    ("page", re.compile(r"/books/[^/.]*\Z")),
    ("data", re.compile(r"/books/")),
    ("search", re.compile(r"/(?:search|feeds/)")),
    ("suggest", re.compile(r"/suggest\Z")),
    ("static", re.compile(r"/static/|/favicon\.ico\Z|/robots\.txt\Z")),
    ("oai", re.compile(r"/(?:oai|api/oaipmh)\Z")),
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
    """X-Request-ID: taken from a trusted proxy, else generated. It is in every log line and in the response."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._proxies = parse_networks(settings.TRUSTED_PROXIES)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        trusted = self._is_proxy(request)
        if not trusted:
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)  # any client could send it
        request_id = self._request_id(request, trusted)
        with log_fields(request=request_id):
            response = self._get_response(request)
            seconds = time.perf_counter() - started
            count(kind(request.path_info), response.status_code, seconds)
            if logger.isEnabledFor(logging.INFO):
                self._log(request, response, seconds)
        response[HEADER] = request_id
        return response

    def _request_id(self, request: HttpRequest, trusted: bool) -> str:
        header = request.META.get("HTTP_X_REQUEST_ID", "")
        return header if trusted and _NUMBER.fullmatch(header) else uuid4().hex

    def _is_proxy(self, request: HttpRequest) -> bool:
        address = client(request.META.get("REMOTE_ADDR", ""), "", ())
        return is_in(address, self._proxies)

    def _log(self, request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
        forwarded = request.headers.get("X-Forwarded-For", "")
        address = client(request.META.get("REMOTE_ADDR", ""), forwarded, self._proxies)
        route = route_of(request)
        facts = {
            "method": request.method,
            "route": route,
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
            "network": str(network(address)) if address else "",
        }
        logger.info("%s %s %d", request.method, route, response.status_code, extra={"about": facts})


def kind(path: str) -> str:
    """Return the part of the site that an address belongs to: one of KINDS."""
    plain = without_language(path)
    return next((name for name, pattern in _KINDS if pattern.match(plain)), OTHER)
