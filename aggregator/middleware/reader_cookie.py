"""The cookie of clients that have seen a results page: signed, valid in one network, and only for a short time.

It says nothing about the reader. A cookie that anybody could write, or that a thousand machines could share, would buy
every program the priority that it gives while the site is busy.
"""

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core.http.client_address import network
from core.http.clients import client_of

COOKIE = "reader"
AGE = 2 * 60 * 60  # seconds; renewed by every page of results after half of it
CONTENT = "1"


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
    if is_reader(request, AGE // 2):
        return
    response.set_cookie(
        COOKIE,
        _signer(request).sign(CONTENT),
        max_age=AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _signer(request: HttpRequest) -> TimestampSigner:
    """The network is part of the key, not of the cookie."""
    address = client_of(request)
    return TimestampSigner(salt=f"aggregator.reader {network(address) if address else ''}")
