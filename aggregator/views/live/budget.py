"""How many questions to other catalogues the readers of one network may cause."""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.http import HttpRequest

from aggregator.middleware.rate_budget import spend_budget
from core.http.rate_limit import Counts, RateLimit

AT_ONCE = 600  # questions: sixty searches of ten catalogues
SECONDS = 600  # in which they come back


def spender(request: HttpRequest) -> Callable[[], bool]:
    """Return a function that takes one question from the budget of the reader's network, and whether it was granted."""
    return lambda: not spend_budget(request, _limit())


@cache
def _limit() -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "live", AT_ONCE, SECONDS)
