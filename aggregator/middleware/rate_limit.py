"""Middleware before all searches: a budget for every network and API key, and a limit on concurrent searches.

The budgets are counted in Redis, for all processes and machines together (RATE_LIMIT_URL). The limit on concurrent
searches protects the processors of this machine, so each process counts for itself.
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
from aggregator.middleware.rate_budget import Budgets
from aggregator.middleware.reader_cookie import is_reader, set_reader_cookie
from aggregator.middleware.refusals import busy, collecting, too_many
from aggregator.observability import request_counts
from aggregator.query import costly_paths
from core.http.client_address import parse_networks
from core.http.concurrency import ConcurrencyLimit
from core.http.rate_limit import Counts

logger = logging.getLogger(__name__)

# The cost of a request, counted in searches. Suggestions are cheap, and typing one word requests several; a book's
# page asks for availability several times. Collecting all records is welcome: no cost.
COSTS = {
    costly_paths.SEARCH: 1.0,
    costly_paths.SUGGEST: 0.1,
    costly_paths.AVAILABILITY: 0.2,
    costly_paths.LIVE: 0.1,  # a page asks for news several times; questions that are sent have a budget of their own
    costly_paths.THUMBNAIL: 0.1,
    costly_paths.COLLECT: 0.0,
}
# Seconds that a request may wait for its turn. Suggestions do not wait, since the next keystroke asks again;
# harvesters may wait long, since some give up at the first refusal.
PATIENCE = {
    costly_paths.SEARCH: 0.3,
    costly_paths.SUGGEST: 0.0,
    costly_paths.AVAILABILITY: 0.3,
    costly_paths.LIVE: 0.3,
    costly_paths.THUMBNAIL: 0.3,
    costly_paths.COLLECT: 5.0,
}
# How many clients with the cookie of `reader_cookie` may wait, and for how many seconds: people rather than programs.
WAITING_READERS, READERS_PATIENCE = 2, 3.0
COLLECTORS = 2  # concurrent requests of harvesters: one can use the database while the other uses the processor
REFUSALS: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    costly_paths.SEARCH: busy,
    costly_paths.SUGGEST: busy,
    costly_paths.AVAILABILITY: busy,
    costly_paths.LIVE: busy,
    costly_paths.THUMBNAIL: busy,
    costly_paths.COLLECT: collecting,
}
REPORT_SECONDS = 60.0


class RateLimitMiddleware:
    """Refuses searches with 429 (over budget) or 503 (too many at once); does not touch other requests."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        proxies = parse_networks(settings.TRUSTED_PROXIES)
        counts = Counts(settings.RATE_LIMIT_URL)
        self._budgets = Budgets(settings.SEARCH_RATE, settings.SEARCH_BURST, proxies, counts)
        self._limits = {
            costly_paths.SEARCH: ConcurrencyLimit(
                int(settings.SEARCH_SLOTS), PATIENCE[costly_paths.SEARCH], WAITING_READERS, READERS_PATIENCE
            ),
            costly_paths.SUGGEST: ConcurrencyLimit(1, PATIENCE[costly_paths.SUGGEST]),
            costly_paths.AVAILABILITY: ConcurrencyLimit(1, PATIENCE[costly_paths.AVAILABILITY]),
            costly_paths.LIVE: ConcurrencyLimit(1, PATIENCE[costly_paths.LIVE]),
            costly_paths.THUMBNAIL: ConcurrencyLimit(1, PATIENCE[costly_paths.THUMBNAIL]),
            costly_paths.COLLECT: ConcurrencyLimit(COLLECTORS, PATIENCE[costly_paths.COLLECT]),
        }
        self._refused = RefusalLog()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        kind = costly_paths.kind(request.path_info)
        if not kind:
            return self._get_response(request)
        verdict = self._budgets.take(request, holder_of(request), COSTS[kind])
        if not verdict.is_counted:
            request_counts.count_unlimited()
        response = self._refusal(request, verdict.wait) if verdict.wait else self._inside(request, kind)
        for name, value in verdict.headers.items():
            response[name] = value
        return response

    def _refusal(self, request: HttpRequest, wait: float) -> HttpResponse:
        self._refused.count(429)
        return too_many(request, wait)

    def _inside(self, request: HttpRequest, kind: str) -> HttpResponseBase:
        limit = self._limits[kind]
        if not limit.enter(is_reader(request)):
            self._refused.count(503)
            response = REFUSALS[kind](request)
            response.refused_by = limit  # type: ignore[attr-defined]  # for aggregator.early_refusals
            if costly_paths.is_results_page(request.path_info):
                set_reader_cookie(request, response)
            return response
        try:
            return self._get_response(request)
        finally:
            limit.leave()


class RefusalLog:
    """Logs how many requests were refused: the first at once, then at most once a minute."""

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
