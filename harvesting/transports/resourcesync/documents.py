"""Reads ResourceSync documents (Sitemaps with rs:md and rs:ln; ResourceSync 1.1, section 7) as streams. No network.

A document is read twice: first completely, so that a broken one is refused before any of it is used, then entry by
entry. Only one entry is in memory at a time. Elements are found by their local names, because the namespace of
Sitemaps is often misspelt.
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
MAX_ENTRIES = 1_000_000  # of one document; the protocol allows 50,000 (section 7)
MAX_ELEMENTS = 2_000  # of one entry; at most a few links are useful
MAX_LOC_LENGTH = 4_096  # sitemaps.org allows 2,048
ROOTS = {"urlset": "url", "sitemapindex": "sitemap"}
NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})
_XML_CODES = {"xml.E001": "xml.malformed", "xml.E002": "xml.forbidden"}
_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)
_W3C_DATE = re.compile(r"(\d{4})(-\d{2})?(-\d{2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An rs:ln. href: absolute. attributes: all others, as sent (hash, length, type, profile, pri …)."""

    rel: str
    href: str
    attributes: Mapping[str, str] = NO_ATTRIBUTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A <url> or <sitemap>. loc: absolute, "" if it is missing or unusable. attributes: of its rs:md."""

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
    """What a document states about itself, and what was found by reading it completely.

    capability: "" for a plain Sitemap. attributes: of its rs:md, as sent (at, from, until, completed …).
    count: of its entries. oldest, latest: of the dates of its entries, None if they have none.
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
class _RootInfo:
    """The name of the root and its own rs:md and rs:ln, filled while the document is read."""

    name: str = ""
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    links: list[Link] = field(default_factory=list)


def read_head(stream: IO[bytes], url: str, content_type: str = "") -> Head:
    """Read a document completely. url: its address. Rewinds the stream before and after.

    TransportError "rs.not_resourcesync" (facts: found), "xml.malformed", "xml.forbidden" or "rs.too_many_entries".
    """
    root_info, count = _RootInfo(), 0
    times: list[datetime] = []
    stream.seek(0)
    for entry in _read(stream, url, content_type, root_info):
        count += 1
        modified = last_modified(entry)
        if modified:
            times = [modified, modified] if not times else [min(times[0], modified), max(times[1], modified)]
    stream.seek(0)
    return Head(
        url=url,
        is_index=root_info.name == "sitemapindex",
        capability=root_info.attributes.get("capability", "").strip(),
        attributes=root_info.attributes,
        links=tuple(root_info.links),
        count=count,
        oldest=times[0] if times else None,
        latest=times[1] if times else None,
    )


def read_entries(stream: IO[bytes], url: str) -> Iterator[Entry]:
    """Yield the entries of a document that `read_head` has accepted, in order."""
    stream.seek(0)
    return _read(stream, url, "", _RootInfo())


def parse_datetime(value: str) -> datetime | None:
    """Parse a W3C Datetime, also a year or month alone, and return it in UTC; None if it is unreadable.

    Without an offset it is UTC.
    """
    value = value.strip()
    date_only = _W3C_DATE.fullmatch(value)
    try:
        if date_only:
            year, month, day = (int((part or "-1").lstrip("-")) for part in date_only.groups())
            return datetime(year, month, day, tzinfo=UTC)
        date = datetime.fromisoformat(value)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def last_modified(entry: Entry) -> datetime | None:
    """When the resource changed: the datetime of rs:md, else lastmod, which sources before version 1.1 use."""
    return parse_datetime(entry.attributes.get("datetime", "")) or parse_datetime(entry.lastmod)


def datestamp_of(entry: Entry) -> str:
    """Return the time of `last_modified` as sent, unparsed; "" if there is none."""
    return entry.attributes.get("datetime", "").strip() or entry.lastmod


def not_resourcesync_error(start: bytes, url: str, content_type: str = "") -> TransportError:
    """The error for a body that is not a ResourceSync document; the facts give its title or its first characters."""
    title = _TITLE.search(start)
    beginning = b" ".join((title.group(1) if title else start[:120]).split()).decode("utf-8", "replace")
    found = f"{content_type.partition(';')[0].strip() or 'no Content-Type'}, “{beginning[:120]}”"
    return TransportError(
        f"{url} is no ResourceSync document: {found}", "rs.not_resourcesync", permanent=True, url=url, found=found
    )


def _read(stream: IO[bytes], url: str, content_type: str, root_info: _RootInfo) -> Iterator[Entry]:
    """Feed the pull parser in chunks and yield the entries; an entry is removed from the document after reading."""
    parser = etree.XMLPullParser(events=("start", "end"), **PARSER_OPTIONS)
    entry_reader = _EntryReader(url, root_info)
    start = b""
    try:
        while chunk := stream.read(CHUNK):
            start = start or chunk[:20_000]
            parser.feed(chunk)
            yield from entry_reader.finished_entries(parser)
        parser.close()
        yield from entry_reader.finished_entries(parser)
    except etree.XMLSyntaxError as error:
        if root_info.name not in ROOTS:
            raise not_resourcesync_error(start, url, content_type) from error
        line, column = error.position
        raise _xml_error(XmlError("xml.E001", line, column, (error.msg or "").partition(", line ")[0]), url) from error
    except XmlError as error:
        raise _xml_error(error, url) from error
    if root_info.name not in ROOTS:
        raise not_resourcesync_error(start, url, content_type)


class _EntryReader:
    """The state of one pass over a document: its current depth and the size of the current entry."""

    def __init__(self, url: str, root_info: _RootInfo) -> None:
        self._url = url
        self._top = root_info
        self._depth = self._elements = self._entries = 0
        self._root: etree._Element | None = None

    def finished_entries(self, parser: "etree.XMLPullParser") -> Iterator[Entry]:
        events: Any = parser.read_events()  # the type stubs of lxml allow for other events than these two
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
            self._root, self._top.name = element, _local_name(element)
        self._depth += 1
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise XmlError("xml.E001", 0, 0, f"more than {MAX_ELEMENTS} elements in one entry")

    def _close(self, element: etree._Element) -> Entry | None:
        """Read a child of the root that is complete. Return the entry, None for any other element."""
        _refuse_entities(element)
        name, entry = _local_name(element), None
        if name == "md":
            self._top.attributes = _attributes(element)
        elif name == "ln":
            self._top.links.extend(_links([element], self._url))
        elif name == ROOTS.get(self._top.name):
            entry = _entry(element, self._url)
            self._count()
        element.clear()
        # Remove only the elements before this one: the parser is ahead and may be inside a later element.
        while self._root is not None and element.getprevious() is not None:
            del self._root[0]
        self._elements = 0
        return entry

    def _count(self) -> None:
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise TransportError(
                f"{self._url} has more than {MAX_ENTRIES} entries",
                "rs.too_many_entries",
                permanent=True,
                url=self._url,
                most=MAX_ENTRIES,
            )


def _entry(element: etree._Element, url: str) -> Entry:
    loc = lastmod = ""
    attributes = NO_ATTRIBUTES
    for child in element:
        name = _local_name(child)
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
        if _local_name(element) == "ln" and element.get("href"):
            attributes = dict(_attributes(element))
            rel, href = attributes.pop("rel", ""), attributes.pop("href")
            for rel_name in rel.split() or [""]:
                yield Link(rel=rel_name, href=_absolute(url, href), attributes=attributes)


def _attributes(element: etree._Element) -> dict[str, str]:
    """The attributes by local name, because some sources add a prefix, which section 7 forbids."""
    return {str(name).rpartition("}")[2]: str(value).strip() for name, value in element.attrib.items()}


def _absolute(base: str, reference: str) -> str:
    """Return the absolute URL of a reference, "" if it is not an http(s) URL."""
    reference = reference.strip()
    if not reference or len(reference) > MAX_LOC_LENGTH:
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


def _local_name(element: etree._Element) -> str:
    tag = element.tag
    return tag[tag.rfind("}") + 1 :] if isinstance(tag, str) else ""


def _xml_error(error: XmlError, url: str) -> TransportError:
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
