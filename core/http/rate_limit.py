"""Rate limits: how much each of many clients may use in a window of time, counted by the library limits. No Django.

The counts are in Redis, one for all processes and machines, or in the memory of this process. While Redis is away,
nothing is counted: everybody is let through, and the log says so.
"""

import logging
import math
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass

from limits import RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

HOUR = 3600  # seconds: the longest window of a limit for single pages
UNITS = 10  # counted for a cost of 1, so that the smallest cost is a tenth
TIMEOUT = 0.25  # seconds in which Redis has to answer
PAUSE = 5.0  # seconds for which Redis is not asked again after it did not answer
REPORT_SECONDS = 60.0  # between two lines in the log
LEAST_WAIT = 1.0


@dataclass(frozen=True, slots=True)
class Taken:
    """wait: seconds until the client may try again, 0 if the cost was granted. left: what remains in the window.

    is_counted: whether the counts could be reached.
    """

    wait: float
    left: float
    is_counted: bool = True


class Counts:
    """Where the counts of several limits are kept. url: of a Redis or Valkey server; "" = in this process."""

    def __init__(self, url: str) -> None:
        options = {"socket_timeout": TIMEOUT, "socket_connect_timeout": TIMEOUT}
        self.storage = (
            RedisStorage(url, wrap_exceptions=True, retry=Retry(NoBackoff(), 0), **options)  # type: ignore[arg-type]
            if url
            else MemoryStorage()
        )
        # MemoryStorage starts a timer that another thread may have put in the place of its own: it is used in turns.
        self.turn = nullcontext() if url else threading.Lock()
        self._lock = threading.Lock()
        self._away_until = self._next_report = -math.inf
        self._let_through = 0

    def is_away(self) -> bool:
        """Whether the counts were unreachable a moment ago. Asking again would delay every request."""
        return time.monotonic() < self._away_until

    def report(self, error: StorageError) -> None:
        """Remember that the counts cannot be reached."""
        self._away_until = time.monotonic() + PAUSE
        logger.debug("rate limits: %s", error)

    def let_through(self) -> None:
        """Report a request that was not counted, together with others, once a minute."""
        with self._lock:
            self._let_through += 1
            if time.monotonic() < self._next_report:
                return
            number, self._let_through = self._let_through, 0
            self._next_report = time.monotonic() + REPORT_SECONDS
        logger.error("Redis does not answer: %d requests were let through without counting since the last line", number)


class RateLimit:
    """At most `amount` within `seconds`, for each key; what was used counts for less as it gets older.

    name: tells the counts of this limit from those of others.
    """

    def __init__(self, counts: Counts, name: str, amount: float, seconds: float) -> None:
        window = max(1, math.ceil(seconds))
        self.amount, self.window = amount * window / seconds, window
        self._counts = counts
        self._item = RateLimitItemPerSecond(max(1, round(self.amount * UNITS)), window, namespace=name)
        self._limiter = SlidingWindowCounterRateLimiter(counts.storage)

    def take(self, key: str, cost: float = 1.0) -> Taken:
        """Take the cost; if too little is left, take nothing and return how long to wait."""
        if not self._counts.is_away():
            try:
                with self._counts.turn:
                    granted = self._limiter.hit(self._item, key, cost=round(cost * UNITS))
                    reset, left = self._limiter.get_window_stats(self._item, key)
                return Taken(0.0 if granted else max(LEAST_WAIT, reset - time.time()), left / UNITS)
            except StorageError as error:
                self._counts.report(error)
        self._counts.let_through()
        return Taken(0.0, self.amount, is_counted=False)
