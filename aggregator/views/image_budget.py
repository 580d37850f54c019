"""Limits the requests for covers and images at other machines that the readers of one network can cause.

Only what has to be fetched is counted; what this site has cached can be looked at without end.
"""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.http import HttpRequest

from aggregator.middleware.rate_budget import spend_budget
from core.http.rate_limit import Counts, RateLimit

AT_ONCE = 1200  # pictures: sixty pages of results, or three books of 400 pages
SECONDS = 600  # the time in which a used-up budget is full again
PAUSE = "10"  # seconds after which a refused client may ask again: by then there is budget for a page of results


def spender(request: HttpRequest) -> Callable[[], bool]:
    """Return a function that takes one picture from the budget of the reader's network, and False if none is left."""
    return lambda: not spend_budget(request, _limit())


@cache
def _limit() -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "images", AT_ONCE, SECONDS)
