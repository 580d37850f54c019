"""The cookie of clients that have seen a results page: signed, valid in one network, and only for a short time.

It says nothing about the reader. A cookie that anybody could write, or that a thousand machines could share, would buy
every program the priority that it gives while the site is busy.
"""

import time
from functools import lru_cache

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from core.http.client_address import Address, Network, network
from core.http.clients import client_of

COOKIE = "reader"
AGE = 2 * 60 * 60  # seconds; renewed by every page of results after half of it
CONTENT = "1"
RENEWAL = 10 * 60  # seconds after which `new_cookie` signs anew for the same network


def is_reader(request: HttpRequest, age: int = AGE) -> bool:
    """Whether the client has seen a results page in the last `age` seconds, from the network that it is in now."""
    cookie = request.COOKIES.get(COOKIE)
    if not cookie:
        return False  # at once, because a flood has none
    try:
        return _signer(request).unsign(cookie, max_age=age) == CONTENT
    except BadSignature:
        return False


def set_reader_cookie(request: HttpRequest, response: HttpResponseBase) -> None:
    """Mark the client as one that has seen a results page, unless it was marked a short time ago."""
    if not is_reader(request, AGE // 2):
        _set(response, _signer(request))


def new_cookie(address: Address | None) -> str:
    """Return the value of the header Set-Cookie that marks a client with this address."""
    return _header(_network(address), int(time.monotonic() / RENEWAL))


@lru_cache(maxsize=4096)
def _header(client_network: Network | None, _period: int) -> str:
    response = HttpResponse()
    _set(response, _signer_for(client_network))
    return response.cookies[COOKIE].OutputString()


def _set(response: HttpResponseBase, signer: TimestampSigner) -> None:
    response.set_cookie(
        COOKIE,
        signer.sign(CONTENT),
        max_age=AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _signer(request: HttpRequest) -> TimestampSigner:
    return _signer_for(_network(client_of(request)))


def _signer_for(client_network: Network | None) -> TimestampSigner:
    """The network is part of the key, not of the cookie."""
    return TimestampSigner(salt=f"aggregator.reader {client_network or ''}")


def _network(address: Address | None) -> Network | None:
    return network(address) if address else None
