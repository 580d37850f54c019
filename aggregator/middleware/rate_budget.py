"""Budgets of searches per client: the client's network, or the holder of an API key. No database access."""

import math
from typing import NamedTuple

from django.http import HttpRequest

from aggregator.access.api_keys import Holder
from core.http.client_address import Network, client, network
from core.http.token_bucket import TokenBuckets

MINUTE = 60.0


class Verdict(NamedTuple):
    """The result of `Budgets.take`.

    wait: seconds until the client has budget again, 0 if it has now. headers: RateLimit headers of the response."""

    wait: float = 0.0
    headers: dict[str, str] = {}


class Budgets:
    """A token bucket for every network, and one for every API key, of the size set for that key.

    An address that is not globally routable is this machine, the local network, or a proxy that was not named as
    trusted, behind which all readers would share one budget. Such addresses have no budget; the limit on concurrent
    searches (`core.http.concurrency`) protects the site from them.
    """

    def __init__(self, rate: float, burst: float, proxies: tuple[Network, ...]) -> None:
        self._proxies = proxies
        self._burst = burst
        self._rate = rate
        self._of_networks = TokenBuckets(rate, burst) if rate else None
        self._of_keys: dict[int, TokenBuckets] = {}  # buckets by the size of the budget

    def take(self, request: HttpRequest, holder: Holder | None, cost: float) -> Verdict:
        """Take the cost of a request from the client's budget. A request without cost gets no RateLimit headers."""
        if not cost:
            return Verdict()
        if holder is not None:
            buckets = self._of_keys.setdefault(holder.budget, TokenBuckets(holder.budget / MINUTE, holder.budget))
            wait = buckets.take(holder.number, cost)
            return Verdict(wait, _headers("key", holder.budget, MINUTE, buckets.left(holder.number), wait))
        remote, forwarded = request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", "")
        address = client(remote, forwarded, self._proxies)
        if self._of_networks is None or address is None or not address.is_global:
            return Verdict()
        client_network = network(address)
        wait = self._of_networks.take(client_network, cost)
        window = self._burst / self._rate
        return Verdict(wait, _headers("network", self._burst, window, self._of_networks.left(client_network), wait))


def _headers(policy: str, limit: float, window: float, left: float, wait: float) -> dict[str, str]:
    """Return the RateLimit headers of the IETF draft, in its latest form and in the one that most clients read."""
    whole, remaining = int(limit), max(int(left), 0)
    reset = math.ceil(wait) if wait else math.ceil((limit - left) * window / limit)
    return {
        "RateLimit-Policy": f'"{policy}";q={whole};w={math.ceil(window)}',
        "RateLimit": f'"{policy}";r={remaining};t={reset}',
        "RateLimit-Limit": str(whole),
        "RateLimit-Remaining": str(remaining),
        "RateLimit-Reset": str(reset),
    }
