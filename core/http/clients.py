"""The address of the client of a request, behind the proxies that TRUSTED_PROXIES names."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from core.http.client_address import Address, Network, client, parse_networks


def client_of(request: HttpRequest) -> Address | None:
    """Return the address, None if the server does not know it (a Unix socket)."""
    return client_in(request.META)


def client_in(environ: Mapping[str, Any]) -> Address | None:
    """Return the address of the client of a request with these variables of WSGI."""
    remote, forwarded = environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", "")
    return client(remote, forwarded, _trusted(tuple(settings.TRUSTED_PROXIES)))


@lru_cache(maxsize=8)
def _trusted(entries: tuple[str, ...]) -> tuple[Network, ...]:
    return parse_networks(entries)
