"""Detects the protocol of an address with at most three requests, from the beginnings of the responses."""

import re
from urllib.parse import urljoin

from harvesting.http.fetch import Fetched, Fetcher
from harvesting.transports.registry import TRANSPORTS, UNKNOWN, for_files
from harvesting.types import TransportError

MAX_BYTES = 8 * 1024 * 1024
EXAMINED = 64 * 1024  # bytes at the beginning; a declaration, comments and a doctype may precede the root element

_ROOT = re.compile(rb"<(?:([\w.-]+):)?([A-Za-z][\w.-]*)(?=[\s/>])([^>]*)")
_BEFORE = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)
_WITHOUT_RECORDS = frozenset({b"html", b"HTML", b"urlset", b"sitemapindex"})  # web pages and sitemaps


def guess(fetcher: Fetcher, base_url: str) -> str:
    """Return the protocol of an address; "" for a web page, an error or a response that is too large.

    Raises TransportError if the address cannot be reached.
    """
    protocol = ""
    kinds = [kind for kind in TRANSPORTS.values() if kind.detection.greeting]
    for kind in kinds:
        protocol = protocol_of_response(_fetch(fetcher, base_url, dict(kind.detection.greeting)))
        if protocol and protocol != for_files().name:
            return protocol
    protocol = protocol_of_response(_fetch(fetcher, base_url)) or protocol
    return protocol or _described_elsewhere(fetcher, base_url)


def _described_elsewhere(fetcher: Fetcher, base_url: str) -> str:
    """Return the protocol whose providers describe themselves at a path that exists on this server; "" if none does."""
    for kind in TRANSPORTS.values():
        path = kind.detection.well_known
        if path and protocol_of_response(_fetch(fetcher, urljoin(base_url, path))) == kind.name:
            return kind.name
    return ""


def protocol_of_response(fetched: Fetched | None) -> str:
    """Return the protocol that a response shows; "" for a web page, an error status or no response."""
    if fetched is None:
        return ""
    protocol = protocol_of(fetched.body[:EXAMINED])
    any_status = TRANSPORTS.get(protocol, UNKNOWN).detection.any_status
    return protocol if any_status or 200 <= fetched.status < 300 else ""


def protocol_of(start: bytes) -> str:
    """Return the protocol that the beginning of a body shows; "" for a web page or nothing.

    What no other transport recognises is a file.
    """
    text = _BEFORE.sub(b"", start).lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if not text:
        return ""
    match = _ROOT.search(text) if b"<" in text[:200] else None
    root = match.group(2) if match else b""
    for kind in TRANSPORTS.values():
        if kind.detection.recognises(root, start):
            return kind.name
    return "" if root in _WITHOUT_RECORDS else for_files().name


def _fetch(fetcher: Fetcher, url: str, parameters: dict[str, str] | None = None) -> Fetched | None:
    """Fetch a URL; None if the response is too large. Raises TransportError if the address cannot be reached."""
    try:
        return fetcher.fetch(url, parameters or {}, max_bytes=MAX_BYTES)
    except TransportError as error:
        if error.code == "net.too_large":
            return None
        raise
