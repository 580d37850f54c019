"""Token buckets: the sustained rate and the burst that each of many keys may use. Pure; the clock is a parameter."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

MAX_KEYS = 50_000  # beyond that, the least recently used are forgotten, which gives them a full bucket


class TokenBuckets:
    """A bucket for each key, full at first. rate: tokens added per second. burst: capacity of a bucket."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic, most_keys: int = MAX_KEYS
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._most_keys = most_keys
        self._levels: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # tokens left, and when
        self._lock = threading.Lock()

    def take(self, key: Hashable, tokens: float = 1.0) -> float:
        """Take tokens and return 0; if there are too few, take none and return the seconds until there are enough."""
        with self._lock:
            now = self._clock()
            left, since = self._levels.pop(key, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._rate)
            granted = left >= tokens
            self._levels[key] = (left - tokens if granted else left, now)
            if len(self._levels) > self._most_keys:
                self._levels.popitem(last=False)
        return 0.0 if granted else (tokens - left) / self._rate

    def left(self, key: Hashable) -> float:
        """The tokens of a key after its last `take`; a full bucket if it never took any."""
        with self._lock:
            return self._levels.get(key, (self._burst, 0.0))[0]
