"""Reads links outside ResourceSync documents: HTTP Link headers, HTML heads and robots.txt. Pure functions."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from harvesting.transports.resourcesync.documents import Link

HEAD_BYTES = 128 * 1024  # of a web page, in which <link> elements are looked for
MAX_HEADER_LENGTH = 16 * 1024
MAX_SITEMAPS = 20
# Second-level domains under which organisations register; a registered domain then has three parts.
SECOND_LEVEL_DOMAINS = frozenset(
    {"ac", "ad", "co", "com", "ed", "edu", "go", "gov", "gr", "lg", "ne", "net", "or", "org"}
)

_HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*("[^"]*"|[^\s;,"]+)')
_TAG = re.compile(rb"<link\b([^<>]{1,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_SITEMAP_LINE = re.compile(r"^\s*(?:sitemap|resourcesync)\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


def header_links(value: str, base: str) -> Iterator[Link]:
    """Yield the links of a Link header (RFC 8288); rel in lower case, href absolute."""
    for target, parameters in _HEADER_LINK.findall(value[:MAX_HEADER_LENGTH]):
        attributes = {name.lower(): text.strip('"') for name, text in _PARAMETER.findall(parameters)}
        yield from _links(target, attributes, base)


def html_links(page: bytes, base: str) -> Iterator[Link]:
    """Yield the <link> elements of a web page's head."""
    for tag in _TAG.findall(page[:HEAD_BYTES]):
        attributes = {
            name.lower(): text.strip("\"'") for name, text in _ATTRIBUTE.findall(tag.decode("utf-8", "replace"))
        }
        yield from _links(attributes.pop("href", ""), attributes, base)


def robots_sitemaps(robots: bytes, base: str) -> tuple[str, ...]:
    """Return the URLs in the Sitemap lines of a robots.txt, without duplicates (ResourceSync 1.1, section 6.3.4)."""
    urls = (urljoin(base, line) for line in _SITEMAP_LINE.findall(robots.decode("utf-8", "replace")))
    return tuple(dict.fromkeys(urls))[:MAX_SITEMAPS]


def registered_domain(url: str) -> str:
    """Return the registered domain of a URL's host, as far as it can be told by its name; an IP address unchanged.

    Lists and resources are fetched only within it, so that a provider cannot send this harvester to other hosts.
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
    parts = host.split(".")
    if ":" in host or parts[-1].isdigit():
        return host
    return ".".join(
        parts[-3:] if len(parts) > 2 and len(parts[-1]) == 2 and parts[-2] in SECOND_LEVEL_DOMAINS else parts[-2:]
    )


def _links(target: str, attributes: dict[str, str], base: str) -> Iterator[Link]:
    rel = attributes.pop("rel", "").lower()
    try:
        href = urljoin(base, target.strip())
    except ValueError:
        return
    if href.startswith(("http://", "https://")):
        for rel_name in rel.split():
            yield Link(rel=rel_name, href=href, attributes=attributes)
