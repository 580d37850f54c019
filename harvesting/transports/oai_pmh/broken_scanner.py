"""Finding the records of an OAI-PMH page that is not well-formed: places in bytes, no parsing. Pure.

Linear: every byte is looked at a fixed number of times, whatever stands there. The bytes are UTF-8.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import unescape

# A record of the protocol begins with its header; a <record> inside metadata (MARCXML) does not.
_PREFIX = rb"(?:[^\s<>/:=!?\"'&]++:)?"
_NAME_END = rb"(?=[\s/>])"
_MARK = re.compile(
    rb"<!--|<!\[CDATA\[|<\?|<(/?)" + _PREFIX + rb"(record|OAI-PMH|ListRecords|ListIdentifiers|GetRecord)" + _NAME_END
)
_TAG_REST = re.compile(rb"[^<>\"']*+(?:(?:\"[^\"<]*+\"|'[^'<]*+')[^<>\"']*+)*+>")
_HEADER = re.compile(rb"<" + _PREFIX + rb"header" + _NAME_END)
_TOKEN = re.compile(rb"<" + _PREFIX + rb"resumptionToken" + _NAME_END)
_END = re.compile(rb"</" + _PREFIX + rb"OAI-PMH\s*>")
_LIST_END = re.compile(rb"</" + _PREFIX + rb"(?:ListRecords|ListIdentifiers|GetRecord)\s*>")
_RECORD_END = re.compile(rb"</" + _PREFIX + rb"record\s*>")
_ATTRIBUTE = re.compile(rb"([\w-]+)\s*=\s*[\"']([^\"'<]*)[\"']")
_CLOSERS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_SPACE = re.compile(rb"\s*+")
_TAG_END = re.compile(rb"\s*+>")

MOST_NESTED = 3  # records inside one record; more is a missing end tag


class Span(NamedTuple):
    """A record's bytes. complete: it has its own end tag."""

    start: int
    end: int
    complete: bool


class RawToken(NamedTuple):
    """resumptionToken as it stands in the bytes."""

    text: str
    attributes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Scan:
    """Where things stand in a page. opening: the tags of the envelope and its list, which all records stand in.

    records: every start tag that a header follows, with the end tag that belongs to it. end: behind the last one.
    """

    opening: tuple[bytes, ...]
    names: tuple[bytes, ...]
    start: int
    records: tuple[Span, ...]
    end: int
    token: RawToken | None


def scan(data: bytes) -> Scan | None:
    """The places of the records; None where there is no list in an envelope."""
    walk = _Walk(data)
    walk.run()
    if "OAI-PMH" not in walk.opened or walk.list_start < 0:
        return None
    last = walk.starts[-1][0] if walk.starts else walk.list_start
    end, token = _tail(data, last)
    spans = tuple(
        Span(start, closed if 0 <= closed <= end else _next(walk.starts, index, end), 0 <= closed <= end)
        for index, (start, closed) in enumerate(walk.starts)
    )
    tags = tuple(walk.opened.values())
    return Scan(tags, tuple(_name(tag) for tag in tags), walk.list_start, spans, end, token)


def envelope_end(data: bytes) -> int:
    """Behind the envelope's end tag, -1 where the page breaks off before it."""
    at = data.rfind(b"OAI-PMH")
    while at >= 0:
        begin = data.rfind(b"<", 0, at)
        if begin >= 0 and (found := _END.match(data, begin)):
            return found.end()
        at = data.rfind(b"OAI-PMH", 0, begin) if begin > 0 else -1
    return -1


def text_of(data: bytes, name: bytes) -> str:
    """The text of the first such element, whatever surrounds it; "" if there is none."""
    found = re.search(rb"<" + _PREFIX + name + rb"(?:\s[^<>]*)?>([^<]*)<", data)
    return _plain(found.group(1)) if found else ""


def element_at(data: bytes, position: int, start: int) -> str:
    """The name of the element whose tag or text stands at a position, "" where that cannot be told."""
    at = data.rfind(b"<", start, position)
    found = re.match(rb"<([^\s<>/!?\"'&=]{1,80})", data[at : at + 90]) if at >= 0 else None
    return found.group(1).decode("utf-8", "replace") if found else ""


class _Walk:
    """One pass over the marks, with the end tags paired to the innermost open start tag."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._open: list[int] = []  # indexes into `starts`, -1 for a record that is none of the protocol's
        self._unclosed: set[bytes] = set()
        self.opened: dict[str, bytes] = {}
        self.list_start = -1
        self.starts: list[tuple[int, int]] = []

    def run(self) -> None:
        position = 0
        while match := _MARK.search(self._data, position):
            mark = match.group()
            if mark in _CLOSERS:
                position = self._behind(mark, match.end())
            elif match.group(2) == b"record":
                position = self._record(match)
            else:
                position = self._outer(match)

    def _behind(self, mark: bytes, position: int) -> int:
        """Behind a comment, CDATA section or instruction; an unclosed one is taken for text, and looked for once."""
        closer = _CLOSERS[mark]
        end = -1 if mark in self._unclosed else self._data.find(closer, position)
        if end < 0:
            self._unclosed.add(mark)
            return position
        return end + len(closer)

    def _record(self, match: re.Match[bytes]) -> int:
        if match.group(1):
            index = self._open.pop() if self._open else -1
            end = _TAG_END.match(self._data, match.end())
            if index >= 0 and end:
                self.starts[index] = (self.starts[index][0], end.end())
            return end.end() if end else match.end()
        rest = _TAG_REST.match(self._data, match.end())
        if rest is None or rest.group().endswith(b"/>"):
            return match.end()
        if self._is_followed_by_header(rest.end()):
            self._open.append(len(self.starts))
            self.starts.append((match.start(), -1))
        else:
            self._open.append(-1)
        return rest.end()

    def _is_followed_by_header(self, position: int) -> bool:
        data = self._data
        position = _SPACE.match(data, position).end()  # type: ignore[union-attr]  # it matches nothing, too
        while data.startswith(b"<!--", position) and b"<!--" not in self._unclosed:
            behind = self._behind(b"<!--", position + 4)
            position = _SPACE.match(data, behind).end()  # type: ignore[union-attr]
        return _HEADER.match(data, position) is not None

    def _outer(self, match: re.Match[bytes]) -> int:
        rest = _TAG_REST.match(self._data, match.end())
        if rest is None:
            return match.end()
        name = match.group(2).decode()
        if not match.group(1) and self.list_start < 0:
            tag = self._data[match.start() : rest.end()]
            self.opened.setdefault(name, tag)
            if name != "OAI-PMH" and not tag.endswith(b"/>"):
                self.list_start = rest.end()
        return rest.end()


def _tail(data: bytes, last: int) -> tuple[int, RawToken | None]:
    """Where the list ends behind its last record, and the token there."""
    ended = last
    for found in _RECORD_END.finditer(data, last):
        ended = found.end()
    limit = envelope_end(data)
    closed = [each.start() for each in _LIST_END.finditer(data, ended)]
    end = closed[-1] if closed else data.rfind(b"<", 0, limit) if limit > ended else len(data)
    tokens = [each for each in _TOKEN.finditer(data, ended) if each.start() < end]
    if not tokens:
        return end, None
    found = tokens[-1]
    return found.start(), _raw_token(data[found.start() : end])


def _raw_token(data: bytes) -> RawToken:
    tag, _, rest = data.partition(b">")
    attributes = {name.decode(): _plain(value) for name, value in _ATTRIBUTE.findall(tag)}
    text = "" if tag.endswith(b"/") else _plain(rest.partition(b"<")[0])
    return RawToken(text, attributes)


def _next(starts: list[tuple[int, int]], index: int, end: int) -> int:
    return starts[index + 1][0] if index + 1 < len(starts) else end


def _name(tag: bytes) -> bytes:
    found = re.match(rb"<([^\s/>]+)", tag)
    return found.group(1) if found else b""


def _plain(value: bytes) -> str:
    entities = {"&quot;": '"', "&apos;": "'"}
    return unescape(value.decode("utf-8", "replace"), entities).strip()
