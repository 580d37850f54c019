"""Which protocol an address speaks, found out with three requests at most. Judges beginnings; reads no record."""

import re
from urllib.parse import urljoin

from harvesting.http.fetch import Fetched, Fetcher
from harvesting.types import TransportError

OAI_PMH, RESOURCESYNC, RSS, FILE = "oai-pmh", "resourcesync", "rss", "file"
WELL_KNOWN = "/.well-known/resourcesync"  # ResourceSync 1.1, section 6.3.2
MAX_BYTES = 8 * 1024 * 1024
LOOKED_AT = 64 * 1024  # bytes; what comes before the root is a declaration, comments, a doctype

_ROOT = re.compile(rb"<(?:([\w.-]+):)?([A-Za-z][\w.-]*)(?=[\s/>])([^>]*)")
_BEFORE = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)
_BY_ROOT = {
    b"OAI-PMH": OAI_PMH,
    b"urlset": RESOURCESYNC,
    b"sitemapindex": RESOURCESYNC,
    b"rss": RSS,
    b"feed": RSS,  # Atom: the RSS transport says what it makes of it
    b"html": "",
    b"HTML": "",
}
_RSS_1 = b"http://purl.org/rss/1.0/"
_RESOURCESYNC = b"http://www.openarchives.org/rs/terms/"


def guess(fetcher: Fetcher, base_url: str) -> str:
    """The protocol, "" if the address answers with a web page or not at all.

    Raises TransportError where nothing can be reached.
    """
    identify = _asked(fetcher, base_url, {"verb": "Identify"})
    protocol = judged(identify)
    if protocol == FILE or not protocol:
        protocol = judged(_asked(fetcher, base_url)) or protocol
    if not protocol and judged(_asked(fetcher, urljoin(base_url, WELL_KNOWN))) == RESOURCESYNC:
        return RESOURCESYNC
    return protocol


def judged(fetched: Fetched | None) -> str:
    """The protocol of a response, "" for a web page or none."""
    if fetched is None:
        return ""
    start = fetched.body[:LOOKED_AT]
    protocol = protocol_of(start)
    if protocol != OAI_PMH and not 200 <= fetched.status < 300:
        return ""  # errors of OAI-PMH come with any status
    return protocol


def protocol_of(start: bytes) -> str:
    """What the beginning of a body says. XML of another kind and everything that is no text is a file."""
    text = _BEFORE.sub(b"", start).lstrip(b"\xef\xbb\xbf \t\r\n\0")
    root = _ROOT.search(text) if b"<" in text[:200] else None
    if not text or root is None:
        return FILE if text else ""
    name = root.group(2)
    if name == b"RDF":
        return RSS if _RSS_1 in start else FILE
    if name in (b"urlset", b"sitemapindex") and _RESOURCESYNC not in start:
        return ""  # a sitemap for search engines
    return _BY_ROOT.get(name, FILE)


def _asked(fetcher: Fetcher, url: str, parameters: dict[str, str] | None = None) -> Fetched | None:
    """The response, None where it is too large or refused; what cannot be reached at all is raised."""
    try:
        return fetcher.fetch(url, parameters or {}, max_bytes=MAX_BYTES)
    except TransportError as error:
        if error.code == "net.too_large":
            return None
        raise
