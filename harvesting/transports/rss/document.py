"""One document of a feed: RSS 1.0, RSS 2.0 or Atom. Read once to see that it is whole, then given out item by item.

Asks nobody. A document that is broken as a whole is a TransportError; a broken item is a rejected record.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import IO, Any

from harvesting.transports.documents.elements import Elements, fingerprint_of, local, peek
from harvesting.transports.documents.feed_items import ENTRY, ITEM, RSS1_ITEM, TAGS, complete, nameless, read_item
from harvesting.transports.documents.salvage import LARGEST, Piece, kind, salvage
from harvesting.types import HarvestedRecord, Observation, TransportError
from metadata.issue import Issue
from metadata.vocabularies.namespaces import ATOM, RDF, RSS
from metadata.xml.parsing import XmlError, text

LOOKED_AT = 64 * 1024  # bytes before the feed begins
_FEED = re.compile(rb"<\?xml\b|<(?:rss|(?:[\w.-]+:)?RDF|(?:[\w.-]+:)?feed)[\s>]")
_HTML = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_PAGE_TITLE = re.compile(rb"<title[^>]*>([^<]*)", re.IGNORECASE)
_END = re.compile(rb"</(?:rss|(?:[\w.-]+:)?RDF|(?:[\w.-]+:)?feed)\s*>")
_RAW_LINK = re.compile(rb"<(?:[\w.-]+:)?link(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[)?\s*([^<>\]]+)")
_ROOTS = {"rss": ITEM, f"{{{RDF}}}RDF": RSS1_ITEM, f"{{{ATOM}}}feed": ENTRY}
_BOMS = (b"\xff\xfe", b"\xfe\xff")
_ATOM_LINK = f"{{{ATOM}}}link"


class Feed:
    """A document at a URL. encoding: to be believed instead of the declared one. charset: what HTTP said.

    title, links (rel → URL), notices, fingerprint: of the document; size: records that `records` gives.
    nameless: broken items of which not even the link could be made out, so that absence says nothing.
    """

    def __init__(self, stream: IO[bytes], url: str, encoding: str = "", charset: str = "") -> None:
        self.title = ""
        self.links: dict[str, str] = {}
        self.observations: list[Observation] = []
        self.nameless = 0
        self._stream, self._url, self._encoding = stream, url, encoding
        self._base = self._used_base = url  # what relative links start from
        self._pieces: list[Piece] = []
        self.fingerprint = fingerprint_of(stream)
        self._start = self._find_start()
        self._root = self._peek(charset)
        self._winners = self._read_once(charset)
        self.size = len(self._winners)

    @property
    def content(self) -> str:
        """A hash of the links on it: pages that differ in nothing else are one page."""
        return hashlib.blake2b("\n".join(self._winners).encode(), digest_size=16).hexdigest()

    @property
    def is_atom(self) -> bool:
        return _ROOTS.get(self._root) == ENTRY

    def records(self) -> Iterator[HarvestedRecord]:
        """Every item, of several with one link the newest or else the last."""
        for position, record in enumerate(self._all()):
            if self._winners.get(record.identifier) == position:
                yield record

    def _find_start(self) -> int:
        """Where the feed begins. Programs print their complaints and blank lines before it (omeka/Omeka#541)."""
        start = self._stream.read(LOOKED_AT)
        if start.startswith(_BOMS):
            return 0
        plain = start.removeprefix(b"\xef\xbb\xbf")
        match = _FEED.search(start)
        page = _HTML.search(start)
        if match is None or (page and page.start() < match.start()):
            raise self._not_feed(start)
        if plain[: match.start() - (len(start) - len(plain))].strip():
            shown = plain[:100].decode("utf-8", "replace")
            self.observations.append(Observation(code="rss.leading_bytes", facts={"url": self._url, "start": shown}))
        return match.start()

    def _not_feed(self, start: bytes) -> TransportError:
        title = _PAGE_TITLE.search(start)
        found = b" ".join((title[1] if title else start[:120]).split()).decode("utf-8", "replace")[:120]
        return TransportError(
            f"no feed at {self._url}", "rss.not_feed", permanent=False, url=self._url, found=found or "(empty)"
        )

    def _peek(self, charset: str) -> str:
        """The tag of the root, which must be that of a feed."""
        try:
            root = peek(self._rewound(), self._encoding).root
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
        """Strictly as declared; then in the encoding that HTTP names; then item by item."""
        try:
            return self._survey()
        except XmlError as error:
            damage = error
        if damage.forbidden:
            raise self._broken(damage)
        if charset and not self._encoding and self._readable_in(charset):
            self.observations.append(Observation(code="rss.charset", facts={"url": self._url, "charset": charset[:40]}))
            return self._survey()
        return self._taken_apart(damage)

    def _readable_in(self, charset: str) -> bool:
        self._encoding = charset
        try:
            self._peek("")
            self._survey(telling=False)
        except (XmlError, TransportError):
            self._encoding = ""
            return False
        return True

    def _survey(self, *, telling: bool = True) -> dict[str, int]:
        """For each link the place of the item that counts. XmlError where the document is not well-formed."""
        winners, repeated = self._count()
        if self._base != self._used_base:  # the channel's address stands behind the items: only now links are complete
            winners, repeated = self._count()
        if repeated and telling:
            self.observations.append(Observation(code="rss.repeated", facts={"url": self._url, "count": repeated}))
        return winners

    def _count(self) -> tuple[dict[str, int], int]:
        newest: dict[str, tuple[str, int]] = {}
        repeated = 0
        for position, record in enumerate(self._all()):
            earlier = newest.get(record.identifier)
            repeated += earlier is not None
            if earlier is None or record.datestamp >= earlier[0] or not record.datestamp:
                newest[record.identifier] = (record.datestamp, position)
        return {link: position for link, (_date, position) in newest.items()}, repeated

    def _taken_apart(self, damage: XmlError) -> dict[str, int]:
        """What can be saved of a broken document; the broken items stay as bytes."""
        self._stream.seek(self._start)
        body = self._stream.read(LARGEST + 1)
        ends = list(_END.finditer(body))
        if not ends:
            raise self._broken(damage, "rss.cut")
        if body[ends[-1].end() :].strip():
            self.observations.append(Observation(code="rss.trailing_bytes", facts={"url": self._url}))
            body = body[: ends[-1].end()]
        tag = _ROOTS.get(self._root, ITEM)
        try:
            self._pieces = salvage(body, kind(tag.rpartition("}")[2], (tag,)), self._encoding)
        except XmlError as error:
            raise self._broken(damage) from error
        self._learn_frame(self._pieces)
        broken = [each for each in self._pieces if each.error]
        self.nameless = sum(not self._raw_link(each.raw) for each in broken)
        if broken:
            facts: dict[str, str | int] = {"url": self._url, "count": len(broken), "reason": damage.reason[:200]}
            self.observations.append(Observation(code="rss.broken_items", facts=facts, incomplete=bool(self.nameless)))
        return self._survey()

    def _broken(self, error: XmlError, code: str = "") -> TransportError:
        """The document as a whole cannot be used."""
        if code or not error.forbidden:
            self._stream.seek(max(self._start, self._stream.seek(0, 2) - LOOKED_AT))
            whole = _END.search(self._stream.read())
            code = "xml.malformed" if whole or self._is_wide() else "rss.cut"
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

    def _is_wide(self) -> bool:
        """Whether it is in UTF-16, where the end cannot be looked for as bytes."""
        self._stream.seek(0)
        return self._stream.read(2) in _BOMS

    def _all(self) -> Iterator[HarvestedRecord]:
        """All items in their order, repeated ones too."""
        if self._pieces:
            self._used_base = self._base
            for piece in self._pieces:
                yield self._read_piece(piece)
            return
        elements = Elements(self._rewound(), TAGS, self._encoding)
        known = False
        for element in elements:
            if not known:
                self._learn(elements.root)
                self._used_base = self._base
                known = True
            yield read_item(element, self._used_base)
        self._learn(elements.root)  # what stands behind the items

    def _read_piece(self, piece: Piece) -> HarvestedRecord:
        if piece.element is not None:
            return read_item(piece.element, self._base)
        error = piece.error or XmlError("xml.E001", 0, 0, "")
        issue = Issue(code=error.code, field=f"{error.line}:{error.column}", value=error.reason)
        link = complete(self._raw_link(piece.raw), self._base)
        return HarvestedRecord(identifier=link or nameless(piece.raw), payload=piece.raw, issues=(issue,))

    def _raw_link(self, raw: bytes) -> str:
        match = _RAW_LINK.search(raw)
        return match[1].decode("utf-8", "replace").replace("&amp;", "&").strip() if match else ""

    def _learn_frame(self, pieces: list[Piece]) -> None:
        sound = next((each.element for each in pieces if each.element is not None), None)
        if sound is not None:
            self._learn(sound.getroottree().getroot())

    def _learn(self, root: Any) -> None:
        """Title, address and links of the channel, as far as they have been read."""
        channel = root if root.tag == f"{{{ATOM}}}feed" else next(iter(root.iterfind("{*}channel")), None)
        if channel is None:
            return
        for child in channel:
            name = local(child.tag)
            if name == "title" and not self.title:
                self.title = text(child)[:200]
            elif child.tag == _ATOM_LINK:
                rel = child.get("rel", "alternate").strip().lower()
                self._learn_link(rel, child.get("href", ""))
            elif child.tag in {"link", f"{{{RSS}}}link"} and text(child):
                self._learn_link("alternate", text(child))
        self._base = self.links.get("alternate") or self._url

    def _learn_link(self, rel: str, sent: str) -> None:
        link = complete(sent, self._url)
        if link:
            self.links.setdefault(rel, link)

    def _rewound(self) -> IO[bytes]:
        self._stream.seek(self._start)
        return self._stream
