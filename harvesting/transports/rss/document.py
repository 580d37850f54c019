"""Reads one document of a feed (RSS 1.0, RSS 2.0 or Atom): once to check that it is complete, then item by item.

No network access. A document that is broken as a whole is a TransportError; a broken item is a rejected record.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import IO, Any

from harvesting.transports.documents.elements import Elements, fingerprint_of, local_name, peek
from harvesting.transports.documents.entries import content_identifier
from harvesting.transports.documents.feed_items import (
    ENTRY,
    ITEM,
    RSS1_ITEM,
    TAGS,
    absolute_link,
    read_item,
)
from harvesting.transports.documents.salvage import MAX_DOCUMENT_BYTES, SalvagedRecord, record_pattern, salvage
from harvesting.types import HarvestedRecord, Observation, TransportError
from metadata.issue import Issue
from metadata.vocabularies.namespaces import ATOM, RDF, RSS
from metadata.xml.parsing import XmlError, text

INSPECTED_BYTES = 64 * 1024  # in which the start, and the end, of the feed is looked for
_FEED = re.compile(rb"<\?xml\b|<(?:rss|(?:[\w.-]+:)?RDF|(?:[\w.-]+:)?feed)[\s>]")
_HTML = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_PAGE_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)
_END = re.compile(rb"</(?:rss|(?:[\w.-]+:)?RDF|(?:[\w.-]+:)?feed)\s*>")
_RAW_LINK = re.compile(rb"<(?:[\w.-]+:)?link(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[)?\s*([^<>\]]+)")
_ROOTS = {"rss": ITEM, f"{{{RDF}}}RDF": RSS1_ITEM, f"{{{ATOM}}}feed": ENTRY}
_BOMS = (b"\xff\xfe", b"\xfe\xff")
_ATOM_LINK = f"{{{ATOM}}}link"


class FeedDocument:
    """A document at a URL.

    encoding: used instead of the declared one, "" = as declared. charset: of the HTTP header.
    title, links (rel → URL), observations, fingerprint: of the document. size: the number of `records`.
    unidentified: the number of broken items whose link is unreadable. If there are any, a record that is absent
    from the feed must not be treated as deleted.
    """

    def __init__(self, stream: IO[bytes], url: str, encoding: str = "", charset: str = "") -> None:
        self.title = ""
        self.links: dict[str, str] = {}
        self.observations: list[Observation] = []
        self.unidentified = 0
        self._stream, self._url, self._encoding = stream, url, encoding
        self._base = self._applied_base = url  # for relative links
        self._salvaged: list[SalvagedRecord] = []
        self.fingerprint = fingerprint_of(stream)
        self._start = self._find_start()
        self._root = self._peek(charset)
        self._positions = self._read_once(charset)
        self.size = len(self._positions)

    @property
    def content(self) -> str:
        """A hash of the items' links, by which a repeated page is recognised."""
        return hashlib.blake2b("\n".join(self._positions).encode(), digest_size=16).hexdigest()

    @property
    def is_atom(self) -> bool:
        return _ROOTS.get(self._root) == ENTRY

    def records(self) -> Iterator[HarvestedRecord]:
        """Yield the items; of several with the same link only the newest, or the last if they have no dates."""
        for position, record in enumerate(self._all_items()):
            if self._positions.get(record.identifier) == position:
                yield record

    def _find_start(self) -> int:
        """Return where the feed begins: some programs print warnings and blank lines before it (omeka/Omeka#541)."""
        start = self._stream.read(INSPECTED_BYTES)
        if start.startswith(_BOMS):
            return 0
        text_start = start.removeprefix(b"\xef\xbb\xbf")
        match = _FEED.search(start)
        page = _HTML.search(start)
        if match is None or (page and page.start() < match.start()):
            raise self._not_feed(start)
        if text_start[: match.start() - (len(start) - len(text_start))].strip():
            shown = text_start[:100].decode("utf-8", "replace")
            self.observations.append(Observation(code="rss.leading_bytes", facts={"url": self._url, "start": shown}))
        return match.start()

    def _not_feed(self, start: bytes) -> TransportError:
        title = _PAGE_TITLE.search(start)
        found = b" ".join((title[1] if title else start[:120]).split()).decode("utf-8", "replace")[:120]
        return TransportError(
            f"no feed at {self._url}", "rss.not_feed", permanent=False, url=self._url, found=found or "(empty)"
        )

    def _peek(self, charset: str) -> str:
        """Return the tag of the root, which must be that of a feed; "?" if it is not readable as declared."""
        try:
            root = peek(self._stream_at_start(), self._encoding).root
        except XmlError as error:
            if not charset or self._encoding:
                raise self._broken(error) from error
            root = "?"  # it may be readable in the encoding that HTTP names
        if root != "?" and root not in _ROOTS:
            raise TransportError(
                f"no feed at {self._url}", "rss.not_feed", permanent=False, url=self._url, found=f"<{root[:100]}>"
            )
        return root

    def _read_once(self, charset: str) -> dict[str, int]:
        """Read the document strictly as declared, else in the encoding of the HTTP header, else item by item."""
        try:
            return self._index_items()
        except XmlError as error:
            damage = error
        if damage.forbidden:
            raise self._broken(damage)
        if charset and not self._encoding and self._try_encoding(charset):
            self.observations.append(Observation(code="rss.charset", facts={"url": self._url, "charset": charset[:40]}))
            return self._index_items()
        return self._salvage(damage)

    def _try_encoding(self, charset: str) -> bool:
        self._encoding = charset
        try:
            self._peek("")
            self._index_items(observe=False)
        except (XmlError, TransportError):
            self._encoding = ""
            return False
        return True

    def _index_items(self, *, observe: bool = True) -> dict[str, int]:
        """Return the position of the item to use for each link. XmlError if the document is not well-formed."""
        positions, repeated = self._newest_items()
        if (
            self._base != self._applied_base
        ):  # the channel's address came after the items, so relative links are known only now
            positions, repeated = self._newest_items()
        if repeated and observe:
            self.observations.append(Observation(code="rss.repeated", facts={"url": self._url, "count": repeated}))
        return positions

    def _newest_items(self) -> tuple[dict[str, int], int]:
        newest: dict[str, tuple[str, int]] = {}
        repeated = 0
        for position, record in enumerate(self._all_items()):
            earlier = newest.get(record.identifier)
            repeated += earlier is not None
            if earlier is None or record.datestamp >= earlier[0] or not record.datestamp:
                newest[record.identifier] = (record.datestamp, position)
        return {link: position for link, (_date, position) in newest.items()}, repeated

    def _salvage(self, damage: XmlError) -> dict[str, int]:
        """Recover the items of a broken document; the broken ones stay as bytes."""
        self._stream.seek(self._start)
        body = self._stream.read(MAX_DOCUMENT_BYTES + 1)
        ends = list(_END.finditer(body))
        if not ends:
            raise self._broken(damage, "rss.cut")
        if body[ends[-1].end() :].strip():
            self.observations.append(Observation(code="rss.trailing_bytes", facts={"url": self._url}))
            body = body[: ends[-1].end()]
        tag = _ROOTS.get(self._root, ITEM)
        try:
            self._salvaged = salvage(body, record_pattern(tag.rpartition("}")[2], (tag,)), self._encoding)
        except XmlError as error:
            raise self._broken(damage) from error
        self._read_channel_of(self._salvaged)
        broken = [record for record in self._salvaged if record.error]
        self.unidentified = sum(not self._raw_link(record.raw) for record in broken)
        if broken:
            facts: dict[str, str | int] = {"url": self._url, "count": len(broken), "reason": damage.reason[:200]}
            self.observations.append(
                Observation(code="rss.broken_items", facts=facts, incomplete=bool(self.unidentified))
            )
        return self._index_items()

    def _broken(self, error: XmlError, code: str = "") -> TransportError:
        """The error for a document that cannot be used at all."""
        if code or not error.forbidden:
            self._stream.seek(max(self._start, self._stream.seek(0, 2) - INSPECTED_BYTES))
            has_end = _END.search(self._stream.read())
            code = "xml.malformed" if has_end or self._is_utf16() else "rss.cut"
        else:
            code = "xml.forbidden"
        return TransportError(
            f"{self._url}: {error}",
            code,
            permanent=code == "xml.forbidden",
            url=self._url,
            line=error.line,
            column=error.column,
            reason=error.reason,
        )

    def _is_utf16(self) -> bool:
        """Whether the document is in UTF-16, in which the bytes of the end tag differ."""
        self._stream.seek(0)
        return self._stream.read(2) in _BOMS

    def _all_items(self) -> Iterator[HarvestedRecord]:
        """Yield all items in document order, including repeated ones."""
        if self._salvaged:
            self._applied_base = self._base
            for salvaged in self._salvaged:
                yield self._read_salvaged(salvaged)
            return
        elements = Elements(self._stream_at_start(), TAGS, self._encoding)
        channel_read = False
        for element in elements:
            if not channel_read:
                self._read_channel(elements.root)
                self._applied_base = self._base
                channel_read = True
            yield read_item(element, self._applied_base)
        self._read_channel(elements.root)  # elements of the channel after the items

    def _read_salvaged(self, salvaged: SalvagedRecord) -> HarvestedRecord:
        if salvaged.element is not None:
            return read_item(salvaged.element, self._base)
        error = salvaged.error or XmlError("xml.E001", 0, 0, "")
        issue = Issue(code=error.code, field=f"{error.line}:{error.column}", value=error.reason)
        link = absolute_link(self._raw_link(salvaged.raw), self._base)
        return HarvestedRecord(
            identifier=link or content_identifier(salvaged.raw), payload=salvaged.raw, issues=(issue,)
        )

    def _raw_link(self, raw: bytes) -> str:
        match = _RAW_LINK.search(raw)
        return match[1].decode("utf-8", "replace").replace("&amp;", "&").strip() if match else ""

    def _read_channel_of(self, salvaged: list[SalvagedRecord]) -> None:
        element = next((record.element for record in salvaged if record.element is not None), None)
        if element is not None:
            self._read_channel(element.getroottree().getroot())

    def _read_channel(self, root: Any) -> None:
        """Read the title, address and links of the channel, as far as it has been parsed."""
        channel = root if root.tag == f"{{{ATOM}}}feed" else next(iter(root.iterfind("{*}channel")), None)
        if channel is None:
            return
        for child in channel:
            name = local_name(child.tag)
            if name == "title" and not self.title:
                self.title = text(child)[:200]
            elif child.tag == _ATOM_LINK:
                rel = child.get("rel", "alternate").strip().lower()
                self._add_link(rel, child.get("href", ""))
            elif child.tag in {"link", f"{{{RSS}}}link"} and text(child):
                self._add_link("alternate", text(child))
        self._base = self.links.get("alternate") or self._url

    def _add_link(self, rel: str, href: str) -> None:
        link = absolute_link(href, self._url)
        if link:
            self.links.setdefault(rel, link)

    def _stream_at_start(self) -> IO[bytes]:
        self._stream.seek(self._start)
        return self._stream
