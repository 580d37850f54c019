"""Token buckets: how much each of many keys may take, for long and at once. Pure; the clock is given."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST_KEYS = 50_000  # then those that took nothing for longest are forgotten, which gives them a full bucket


class TokenBuckets:
    """A bucket for each key, full at first. rate: tokens a second that flow in; burst: how many it holds."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic, most_keys: int = MOST_KEYS
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._most_keys = most_keys
        self._levels: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # tokens left, at that time
        self._lock = threading.Lock()

    def take(self, key: Hashable, tokens: float = 1.0) -> float:
        """0 when the tokens were there and are taken, else the seconds until they will be. Nothing is taken then."""
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
        """Tokens that the key has after what it took last; all of them if it never took any."""
        with self._lock:
            return self._levels.get(key, (self._burst, 0.0))[0]
