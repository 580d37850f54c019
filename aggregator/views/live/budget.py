"""Limits the requests to live sources that the readers of one network can cause."""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.http import HttpRequest

from aggregator.middleware.rate_budget import spend_budget
from core.http.rate_limit import Counts, RateLimit

AT_ONCE = 600  # requests: sixty searches in ten live sources
SECONDS = 600  # the time in which a used-up budget is full again


def spender(request: HttpRequest) -> Callable[[], bool]:
    """Return a function that takes one request from the budget of the reader's network, and False if none is left."""
    return lambda: not spend_budget(request, _limit())


@cache
def _limit() -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "live", AT_ONCE, SECONDS)
