"""The address of the client of a request, behind the proxies that TRUSTED_PROXIES names."""

from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest

from core.http.client_address import Address, Network, client, parse_networks


def client_of(request: HttpRequest) -> Address | None:
    """Return the address, None if the server does not know it (a Unix socket)."""
    remote, forwarded = request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", "")
    return client(remote, forwarded, _trusted(tuple(settings.TRUSTED_PROXIES)))


@lru_cache(maxsize=8)
def _trusted(entries: tuple[str, ...]) -> tuple[Network, ...]:
    return parse_networks(entries)
