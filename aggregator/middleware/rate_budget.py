"""How much the asker of one request may still ask: a network, or the holder of a key. Knows requests; no database."""

import math
from typing import NamedTuple

from django.http import HttpRequest

from aggregator.access.api_keys import Holder
from core.http.client_address import Network, client, network
from core.http.token_bucket import TokenBuckets

MINUTE = 60.0


class Verdict(NamedTuple):
    """wait: seconds until there is budget again, 0 if there is now. headers: what the asker is told about it."""

    wait: float = 0.0
    headers: dict[str, str] = {}


class Budgets:
    """A bucket for each network, and one for each key, of the size that the key has.

    An address that is not of the open internet is this machine, our own network, or a proxy that nobody named as
    trusted: all its readers would count as one. It has no budget; the room inside protects the site from it.
    """

    def __init__(self, rate: float, burst: float, proxies: tuple[Network, ...]) -> None:
        self._proxies = proxies
        self._burst = burst
        self._rate = rate
        self._of_networks = TokenBuckets(rate, burst) if rate else None
        self._of_keys: dict[int, TokenBuckets] = {}  # by the size of the budget

    def take(self, request: HttpRequest, holder: Holder | None, cost: float) -> Verdict:
        """Take the price of a request from the asker's budget; what costs nothing says nothing about it."""
        if not cost:
            return Verdict()
        if holder is not None:
            buckets = self._of_keys.setdefault(holder.budget, TokenBuckets(holder.budget / MINUTE, holder.budget))
            wait = buckets.take(holder.number, cost)
            return Verdict(wait, _told("key", holder.budget, MINUTE, buckets.left(holder.number), wait))
        remote, forwarded = request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", "")
        address = client(remote, forwarded, self._proxies)
        if self._of_networks is None or address is None or not address.is_global:
            return Verdict()
        asker = network(address)
        wait = self._of_networks.take(asker, cost)
        window = self._burst / self._rate
        return Verdict(wait, _told("network", self._burst, window, self._of_networks.left(asker), wait))


def _told(policy: str, limit: float, window: float, left: float, wait: float) -> dict[str, str]:
    """The headers of the IETF draft on rate limits, in its last form and in the one before, which most clients read."""
    whole, rest = int(limit), max(int(left), 0)
    reset = math.ceil(wait) if wait else math.ceil((limit - left) * window / limit)
    return {
        "RateLimit-Policy": f'"{policy}";q={whole};w={math.ceil(window)}',
        "RateLimit": f'"{policy}";r={rest};t={reset}',
        "RateLimit-Limit": str(whole),
        "RateLimit-Remaining": str(rest),
        "RateLimit-Reset": str(reset),
    }
