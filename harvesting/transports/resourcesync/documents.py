"""Reading ResourceSync documents (Sitemaps with rs:md and rs:ln) as streams. Asks nobody; decides nothing.

A document is read twice: once whole, so that a broken one is refused before anything of it is used, then entry by
entry. Both hold one entry in memory. ResourceSync 1.1, section 7; elements are known by their local names, because
the namespace of Sitemaps is often misspelt.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import IO, Any
from urllib.parse import urljoin

from lxml import etree

from harvesting.types import TransportError
from metadata.xml.parsing import PARSER_OPTIONS, XmlError, refuse_doctype

CHUNK = 128 * 1024
MOST_ENTRIES = 1_000_000  # of one document; the protocol allows 50,000 (section 7)
MOST_ELEMENTS = 2_000  # of one entry: a few links at most are useful
LONGEST_LOC = 4_096  # sitemaps.org allows 2,048
ROOTS = {"urlset": "url", "sitemapindex": "sitemap"}
NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})
_XML_CODES = {"xml.E001": "xml.malformed", "xml.E002": "xml.forbidden"}
_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)
_W3C_DATE = re.compile(r"(\d{4})(-\d{2})?(-\d{2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """rs:ln. href is absolute; attributes: all others, as sent (hash, length, type, profile, pri …)."""

    rel: str
    href: str
    attributes: Mapping[str, str] = NO_ATTRIBUTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """<url> or <sitemap>. loc is absolute, "" if it is missing or unusable; attributes: those of its rs:md."""

    loc: str
    lastmod: str = ""
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    links: tuple[Link, ...] = ()

    @property
    def type(self) -> str:
        """The media type in lower case, without its parameters."""
        return self.attributes.get("type", "").partition(";")[0].strip().lower()

    @property
    def deleted(self) -> bool:
        return self.attributes.get("change", "").strip().lower() == "deleted"

    def linked(self, rel: str) -> tuple[Link, ...]:
        return tuple(link for link in self.links if link.rel == rel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a document says of itself, and what reading it whole has shown.

    capability: "" for a plain Sitemap. at, from_, until, completed: as sent. count: of its entries.
    oldest, latest: of the moments that its entries name, None without any.
    """

    url: str
    is_index: bool = False
    capability: str = ""
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    links: tuple[Link, ...] = ()
    count: int = 0
    oldest: datetime | None = None
    latest: datetime | None = None

    def linked(self, rel: str) -> tuple[Link, ...]:
        return tuple(link for link in self.links if link.rel == rel)


@dataclass(slots=True)
class _Top:
    """The root's own rs:md and rs:ln, filled while the document is read."""

    name: str = ""
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    links: list[Link] = field(default_factory=list)


def read_head(stream: IO[bytes], url: str, content_type: str = "") -> Head:
    """Read a document whole. url: where it came from. The stream is at its start before and after.

    TransportError "rs.not_resourcesync" (facts: found), "xml.malformed", "xml.forbidden" or "rs.too_many_entries".
    """
    top, count = _Top(), 0
    times: list[datetime] = []
    stream.seek(0)
    for entry in _read(stream, url, content_type, top):
        count += 1
        when = moment_of(entry)
        if when:
            times = [when, when] if not times else [min(times[0], when), max(times[1], when)]
    stream.seek(0)
    return Head(
        url=url,
        is_index=top.name == "sitemapindex",
        capability=top.attributes.get("capability", "").strip(),
        attributes=top.attributes,
        links=tuple(top.links),
        count=count,
        oldest=times[0] if times else None,
        latest=times[1] if times else None,
    )


def read_entries(stream: IO[bytes], url: str) -> Iterator[Entry]:
    """The entries of a document that `read_head` has accepted, in their order."""
    stream.seek(0)
    return _read(stream, url, "", _Top())


def moment(value: str) -> datetime | None:
    """A W3C Datetime in UTC, also a bare year or month; None if unreadable. Without an offset it is UTC."""
    value = value.strip()
    short = _W3C_DATE.fullmatch(value)
    try:
        if short:
            year, month, day = (int((part or "-1").lstrip("-")) for part in short.groups())
            return datetime(year, month, day, tzinfo=UTC)
        when = datetime.fromisoformat(value)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def moment_of(entry: Entry) -> datetime | None:
    """When it changed: rs:md datetime, else lastmod, as sources without 1.1 write it (section 7)."""
    return moment(entry.attributes.get("datetime", "")) or moment(entry.lastmod)


def datestamp_of(entry: Entry) -> str:
    """The same as text, as sent."""
    return entry.attributes.get("datetime", "").strip() or entry.lastmod


def not_resourcesync(start: bytes, url: str, content_type: str = "") -> TransportError:
    """Facts: what stands there instead, as a page title where it has one, else its first characters."""
    title = _TITLE.search(start)
    words = b" ".join((title.group(1) if title else start[:120]).split()).decode("utf-8", "replace")
    found = f"{content_type.partition(';')[0].strip() or 'no Content-Type'}, “{words[:120]}”"
    return TransportError(
        f"{url} is no ResourceSync document: {found}", "rs.not_resourcesync", permanent=True, url=url, found=found
    )


def _read(stream: IO[bytes], url: str, content_type: str, top: _Top) -> Iterator[Entry]:
    """Feed the pull parser piece by piece, and let go of every entry that has been read."""
    parser = etree.XMLPullParser(events=("start", "end"), **PARSER_OPTIONS)
    reading = _Reading(url, top)
    start = b""
    try:
        while chunk := stream.read(CHUNK):
            start = start or chunk[:20_000]
            parser.feed(chunk)
            yield from reading.take(parser)
        parser.close()
        yield from reading.take(parser)
    except etree.XMLSyntaxError as error:
        if top.name not in ROOTS:
            raise not_resourcesync(start, url, content_type) from error
        line, column = error.position
        raise _broken(XmlError("xml.E001", line, column, (error.msg or "").partition(", line ")[0]), url) from error
    except XmlError as error:
        raise _broken(error, url) from error
    if top.name not in ROOTS:
        raise not_resourcesync(start, url, content_type)


class _Reading:
    """The state of one pass: which entry is open, and how much it holds."""

    def __init__(self, url: str, top: _Top) -> None:
        self._url = url
        self._top = top
        self._depth = self._elements = self._entries = 0
        self._root: etree._Element | None = None

    def take(self, parser: "etree.XMLPullParser") -> Iterator[Entry]:
        events: Any = parser.read_events()  # the stubs know more kinds of events than the two asked for
        for event, element in events:
            if event == "start":
                self._open(element)
                continue
            self._depth -= 1
            if self._depth == 1:
                entry = self._close(element)
                if entry:
                    yield entry

    def _open(self, element: etree._Element) -> None:
        if self._root is None:
            refuse_doctype(element.getroottree())
            self._root, self._top.name = element, _local(element)
        self._depth += 1
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise XmlError("xml.E001", 0, 0, f"more than {MOST_ELEMENTS} elements in one entry")

    def _close(self, element: etree._Element) -> Entry | None:
        """A child of the root is complete."""
        _refuse_entities(element)
        name, entry = _local(element), None
        if name == "md":
            self._top.attributes = _attributes(element)
        elif name == "ln":
            self._top.links.extend(_links([element], self._url))
        elif name == ROOTS.get(self._top.name):
            entry = _entry(element, self._url)
            self._count()
        element.clear()
        # Only what stands before it: the parser is further on already, and may be inside a later one.
        while self._root is not None and element.getprevious() is not None:
            del self._root[0]
        self._elements = 0
        return entry

    def _count(self) -> None:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise TransportError(
                f"{self._url} has more than {MOST_ENTRIES} entries",
                "rs.too_many_entries",
                permanent=True,
                url=self._url,
                most=MOST_ENTRIES,
            )


def _entry(element: etree._Element, url: str) -> Entry:
    loc = lastmod = ""
    attributes = NO_ATTRIBUTES
    for child in element:
        name = _local(child)
        if name == "loc":
            loc = loc or "".join((child.text or "").split())
        elif name == "lastmod":
            lastmod = lastmod or (child.text or "").strip()
        elif name == "md":
            attributes = attributes or _attributes(child)
    return Entry(
        loc=_absolute(url, loc), lastmod=lastmod[:40], attributes=attributes, links=tuple(_links(element, url))
    )


def _links(elements: "etree._Element | list[etree._Element]", url: str) -> Iterator[Link]:
    for element in elements:
        if _local(element) == "ln" and element.get("href"):
            attributes = dict(_attributes(element))
            rel, href = attributes.pop("rel", ""), attributes.pop("href")
            for each in rel.split() or [""]:
                yield Link(rel=each, href=_absolute(url, href), attributes=attributes)


def _attributes(element: etree._Element) -> dict[str, str]:
    """By local name: some sources give them the prefix that section 7 forbids."""
    return {str(name).rpartition("}")[2]: str(value).strip() for name, value in element.attrib.items()}


def _absolute(base: str, reference: str) -> str:
    """ "" for what is no URL of the web."""
    reference = reference.strip()
    if not reference or len(reference) > LONGEST_LOC:
        return ""
    try:
        joined = urljoin(base, reference)
    except ValueError:
        return ""
    return joined if joined.startswith(("http://", "https://")) else ""


def _refuse_entities(element: etree._Element) -> None:
    for entity in element.iter(etree.Entity):
        line: Any = entity.sourceline
        raise XmlError("xml.E001", line or 0, 0, f"Entity {entity.text} not defined")


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag[tag.rfind("}") + 1 :] if isinstance(tag, str) else ""


def _broken(error: XmlError, url: str) -> TransportError:
    code = _XML_CODES.get(error.code, "xml.malformed")
    return TransportError(
        f"{url}: {error}",
        code,
        permanent=code == "xml.forbidden",
        url=url,
        line=error.line,
        column=error.column,
        reason=error.reason,
    )
