"""Detects the protocol of an address with at most three requests, from the beginnings of the responses."""

import re
from urllib.parse import urljoin

from harvesting.http.fetch import Fetched, Fetcher
from harvesting.types import TransportError

OAI_PMH, RESOURCESYNC, RSS, FILE = "oai-pmh", "resourcesync", "rss", "file"
WELL_KNOWN = "/.well-known/resourcesync"  # ResourceSync 1.1, section 6.3.2
MAX_BYTES = 8 * 1024 * 1024
EXAMINED = 64 * 1024  # bytes at the beginning; a declaration, comments and a doctype may precede the root element

_ROOT = re.compile(rb"<(?:([\w.-]+):)?([A-Za-z][\w.-]*)(?=[\s/>])([^>]*)")
_BEFORE = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)
_BY_ROOT = {
    b"OAI-PMH": OAI_PMH,
    b"urlset": RESOURCESYNC,
    b"sitemapindex": RESOURCESYNC,
    b"rss": RSS,
    b"feed": RSS,  # Atom: left to the RSS transport, which reports what it can use
    b"html": "",
    b"HTML": "",
}
_RSS_1 = b"http://purl.org/rss/1.0/"
_RESOURCESYNC = b"http://www.openarchives.org/rs/terms/"


def guess(fetcher: Fetcher, base_url: str) -> str:
    """Return the protocol of an address; "" for a web page, an error or a response that is too large.

    Raises TransportError if the address cannot be reached.
    """
    identify = _fetch(fetcher, base_url, {"verb": "Identify"})
    protocol = protocol_of_response(identify)
    if protocol == FILE or not protocol:
        protocol = protocol_of_response(_fetch(fetcher, base_url)) or protocol
    if not protocol and protocol_of_response(_fetch(fetcher, urljoin(base_url, WELL_KNOWN))) == RESOURCESYNC:
        return RESOURCESYNC
    return protocol


def protocol_of_response(fetched: Fetched | None) -> str:
    """Return the protocol that a response shows; "" for a web page, an error status or no response."""
    if fetched is None:
        return ""
    start = fetched.body[:EXAMINED]
    protocol = protocol_of(start)
    if protocol != OAI_PMH and not 200 <= fetched.status < 300:
        return ""  # only OAI-PMH is recognised whatever the status: its errors come with any
    return protocol


def protocol_of(start: bytes) -> str:
    """Return the protocol that the beginning of a body shows; "" for a web page or nothing.

    XML with another root element and everything that is not XML is a file.
    """
    text = _BEFORE.sub(b"", start).lstrip(b"\xef\xbb\xbf \t\r\n\0")
    root = _ROOT.search(text) if b"<" in text[:200] else None
    if not text or root is None:
        return FILE if text else ""
    name = root.group(2)
    if name == b"RDF":
        return RSS if _RSS_1 in start else FILE
    if name in (b"urlset", b"sitemapindex") and _RESOURCESYNC not in start:
        return ""  # an ordinary sitemap for search engines
    return _BY_ROOT.get(name, FILE)


def _fetch(fetcher: Fetcher, url: str, parameters: dict[str, str] | None = None) -> Fetched | None:
    """Fetch a URL; None if the response is too large. Raises TransportError if the address cannot be reached."""
    try:
        return fetcher.fetch(url, parameters or {}, max_bytes=MAX_BYTES)
    except TransportError as error:
        if error.code == "net.too_large":
            return None
        raise
