"""Budgets of searches per client: the client's network, or the holder of an API key. No database access."""

import math
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from aggregator.access.api_keys import Holder
from core.http.client_address import Network, client, network
from core.http.clients import client_of
from core.http.rate_limit import Counts, RateLimit

MINUTE = 60.0


class Verdict(NamedTuple):
    """The result of `Budgets.take`.

    wait: seconds until the client has budget again, 0 if it has now. headers: RateLimit headers of the response.
    is_counted: whether the counts could be reached."""

    wait: float = 0.0
    headers: dict[str, str] = {}
    is_counted: bool = True


class Budgets:
    """A limit for every network, and one for every API key, of the size set for that key.

    An address that is not globally routable is this machine, the local network, or a proxy that was not named as
    trusted, behind which all readers would share one budget. Such addresses have no budget; the limit on concurrent
    searches (`core.http.concurrency`) protects the site from them.
    """

    def __init__(self, rate: float, burst: float, proxies: tuple[Network, ...], counts: Counts) -> None:
        self._proxies = proxies
        self._counts = counts
        self._of_networks = RateLimit(counts, "network", burst, burst / rate) if rate else None
        self._of_keys: dict[int, RateLimit] = {}  # limits by the size of the budget

    def take(self, request: HttpRequest, holder: Holder | None, cost: float) -> Verdict:
        """Take the cost of a request from the client's budget. A request without cost gets no RateLimit headers."""
        if not cost:
            return Verdict()
        if holder is not None:
            return _verdict("key", self._of_key(holder.budget), str(holder.number), cost)
        remote, forwarded = request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", "")
        address = client(remote, forwarded, self._proxies)
        if self._of_networks is None or address is None or not address.is_global:
            return Verdict()
        return _verdict("network", self._of_networks, hashed(network(address)), cost)

    def _of_key(self, budget: int) -> RateLimit:
        return self._of_keys.setdefault(budget, RateLimit(self._counts, "key", budget, MINUTE))


def spend_budget(request: HttpRequest, limit: RateLimit) -> float:
    """Count the request in the limit of its network. Return how many seconds the client has to wait, 0 for none.

    For pages with a budget of their own. Addresses that are not globally routable have none (see `Budgets`).
    """
    address = client_of(request)
    if address is None or not address.is_global:
        return 0.0
    return limit.take(hashed(network(address))).wait


def hashed(client_network: Network) -> str:
    """The key of a network in the counts, which does not reveal it."""
    return salted_hmac("aggregator.middleware.rate_budget", str(client_network), algorithm="sha256").hexdigest()


def _verdict(policy: str, limit: RateLimit, key: str, cost: float) -> Verdict:
    taken = limit.take(key, cost)
    if not taken.is_counted:
        return Verdict(is_counted=False)
    return Verdict(taken.wait, _headers(policy, limit.amount, limit.window, taken.left, taken.wait))


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
