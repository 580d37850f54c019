"""The middleware in front of all searches: a budget for each network, and room for few at a time. Knows settings.

Both count in this process only: with two processes there is room for twice as many, and no search waits for a network
round trip before it is refused.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from aggregator.access.api_keys import holder_of
from aggregator.middleware import facet_guard
from aggregator.middleware.rate_budget import Budgets
from aggregator.middleware.refusals import busy, collecting, too_many
from aggregator.query import costly_paths
from core.http.client_address import parse_networks
from core.http.concurrency import ConcurrencyLimit

logger = logging.getLogger(__name__)

# A suggestion is a look-up; a word that is typed asks for several. Who collects everything does what is wanted.
COSTS = {costly_paths.SEARCH: 1.0, costly_paths.SUGGEST: 0.1, costly_paths.COLLECT: 0.0}
# Seconds. The next keystroke asks again; some harvesters give up at the first refusal.
PATIENCE = {costly_paths.SEARCH: 0.3, costly_paths.SUGGEST: 0.0, costly_paths.COLLECT: 5.0}
# Who has been on a results page, or was refused there and comes back with the cookie: people, more than programs.
READERS, READERS_PATIENCE = 2, 3.0
COLLECTORS = 2  # pages of everything that are made at once: the database and the processor take turns
REFUSALS: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    costly_paths.SEARCH: busy,
    costly_paths.SUGGEST: busy,
    costly_paths.COLLECT: collecting,
}
REPORT_SECONDS = 60.0


class RateLimitMiddleware:
    """Refuses searches with 429 and 503; lets everything else through untouched."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        proxies = parse_networks(settings.TRUSTED_PROXIES)
        self._budgets = Budgets(settings.SEARCH_RATE, settings.SEARCH_BURST, proxies)
        self._gates = {
            costly_paths.SEARCH: ConcurrencyLimit(
                int(settings.SEARCH_SLOTS), PATIENCE[costly_paths.SEARCH], READERS, READERS_PATIENCE
            ),
            costly_paths.SUGGEST: ConcurrencyLimit(1, PATIENCE[costly_paths.SUGGEST]),
            costly_paths.COLLECT: ConcurrencyLimit(COLLECTORS, PATIENCE[costly_paths.COLLECT]),
        }
        self._refused = Refused()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        kind = costly_paths.kind(request.path_info)
        if not kind:
            return self._get_response(request)
        verdict = self._budgets.take(request, holder_of(request), COSTS[kind])
        response = self._refusal(request, verdict.wait) if verdict.wait else self._inside(request, kind)
        for name, value in verdict.headers.items():
            response[name] = value
        return response

    def _refusal(self, request: HttpRequest, wait: float) -> HttpResponse:
        self._refused.count(429)
        return too_many(request, wait)

    def _inside(self, request: HttpRequest, kind: str) -> HttpResponseBase:
        gate = self._gates[kind]
        if not gate.enter(facet_guard.COOKIE in request.COOKIES):
            self._refused.count(503)
            response = REFUSALS[kind](request)
            if costly_paths.is_results_page(request.path_info):
                facet_guard.greet(response)
            return response
        try:
            return self._get_response(request)
        finally:
            gate.leave()


class Refused:
    """Says in the log how many were refused: the first at once, then once a minute at most."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._next = 0.0
        self._lock = threading.Lock()

    def count(self, status: int) -> None:
        with self._lock:
            self._counts[status] += 1
            if time.monotonic() < self._next:
                return
            counts, self._counts = self._counts, Counter()
            self._next = time.monotonic() + REPORT_SECONDS
        logger.warning("searches refused since the last line: %d busy, %d over budget", counts[503], counts[429])
