"""Links that stand outside ResourceSync documents: HTTP Link headers, HTML heads, robots.txt. Pure."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from harvesting.transports.resourcesync.documents import Link

HEAD_BYTES = 128 * 1024  # of a page: <link> stands in its head
LONGEST_HEADER = 16 * 1024
MOST_SITEMAPS = 20
# Second-level domains under which others register: the host's owner is told by three parts then.
SHARED = frozenset({"ac", "ad", "co", "com", "ed", "edu", "go", "gov", "gr", "lg", "ne", "net", "or", "org"})

_HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*("[^"]*"|[^\s;,"]+)')
_TAG = re.compile(rb"<link\b([^<>]{1,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_SITEMAP_LINE = re.compile(r"^\s*(?:sitemap|resourcesync)\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


def header_links(value: str, base: str) -> Iterator[Link]:
    """The links of a Link header (RFC 8288); rel in lower case, href absolute."""
    for target, parameters in _HEADER_LINK.findall(value[:LONGEST_HEADER]):
        found = {name.lower(): text.strip('"') for name, text in _PARAMETER.findall(parameters)}
        yield from _links(target, found, base)


def html_links(page: bytes, base: str) -> Iterator[Link]:
    """The <link> elements of a page's head."""
    for tag in _TAG.findall(page[:HEAD_BYTES]):
        found = {name.lower(): text.strip("\"'") for name, text in _ATTRIBUTE.findall(tag.decode("utf-8", "replace"))}
        yield from _links(found.pop("href", ""), found, base)


def sitemaps(robots: bytes, base: str) -> tuple[str, ...]:
    """What the Sitemap lines of a robots.txt name (ResourceSync 1.1, section 6.3.4), each once."""
    found = (urljoin(base, line) for line in _SITEMAP_LINE.findall(robots.decode("utf-8", "replace")))
    return tuple(dict.fromkeys(found))[:MOST_SITEMAPS]


def owner(url: str) -> str:
    """The domain that the host's owner has registered, as far as a name tells; an address stays as it is.

    Lists and resources are followed only inside it: a provider speaks for its own hosts, and must not be able to
    send this harvester to anybody else's.
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
    parts = host.split(".")
    if ":" in host or parts[-1].isdigit():
        return host
    return ".".join(parts[-3:] if len(parts) > 2 and len(parts[-1]) == 2 and parts[-2] in SHARED else parts[-2:])


def _links(target: str, found: dict[str, str], base: str) -> Iterator[Link]:
    rel = found.pop("rel", "").lower()
    try:
        href = urljoin(base, target.strip())
    except ValueError:
        return
    if href.startswith(("http://", "https://")):
        for each in rel.split():
            yield Link(rel=each, href=href, attributes=found)
