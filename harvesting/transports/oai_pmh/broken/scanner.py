"""Finds the positions of the records in an OAI-PMH page that is not well-formed, without parsing it. Pure functions.

Runs in linear time whatever the input: every byte is read a fixed number of times. The bytes are UTF-8.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import unescape

# An OAI-PMH record begins with its header; a <record> inside metadata (MARCXML) does not.
_PREFIX = rb"(?:[^\s<>/:=!?\"'&]++:)?"
_NAME_END = rb"(?=[\s/>])"
_MARKUP = re.compile(
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
_WHITE_SPACE = re.compile(rb"\s*+")
_TAG_END = re.compile(rb"\s*+>")

MAX_NESTED = 3  # records nested in one record; more indicate a missing end tag


class Span(NamedTuple):
    """The position of a record. complete: it has an end tag of its own."""

    start: int
    end: int
    complete: bool


class RawToken(NamedTuple):
    """The resumptionToken element as found in the bytes."""

    text: str
    attributes: dict[str, str]


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The positions of the parts of a page.

    opening: the start tags of the envelope and the list, which contain all records. names: of these tags.
    start: of the content of the list. end: after the last record.
    records: every <record> start tag that is followed by a header, with its end tag.
    token: the last resumptionToken, None if the page has none.
    """

    opening: tuple[bytes, ...]
    names: tuple[bytes, ...]
    start: int
    records: tuple[Span, ...]
    end: int
    token: RawToken | None


def scan(data: bytes) -> PageLayout | None:
    """Find the records of a page. None if there is no list in an envelope."""
    scanner = _Scanner(data)
    scanner.scan_all()
    if "OAI-PMH" not in scanner.opened_tags or scanner.list_start < 0:
        return None
    last_start = scanner.record_starts[-1][0] if scanner.record_starts else scanner.list_start
    end, token = _find_end(data, last_start)
    spans = tuple(
        Span(
            start,
            record_end if 0 <= record_end <= end else _next_start(scanner.record_starts, index, end),
            0 <= record_end <= end,
        )
        for index, (start, record_end) in enumerate(scanner.record_starts)
    )
    tags = tuple(scanner.opened_tags.values())
    return PageLayout(tags, tuple(_tag_name(tag) for tag in tags), scanner.list_start, spans, end, token)


def envelope_end(data: bytes) -> int:
    """Return the position after the envelope's end tag, -1 if the page breaks off before it."""
    name_at = data.rfind(b"OAI-PMH")
    while name_at >= 0:
        tag_start = data.rfind(b"<", 0, name_at)
        if tag_start >= 0 and (match := _END.match(data, tag_start)):
            return match.end()
        name_at = data.rfind(b"OAI-PMH", 0, tag_start) if tag_start > 0 else -1
    return -1


def text_of(data: bytes, name: bytes) -> str:
    """Return the text of the first element with this name, wherever it is; "" if there is none."""
    match = re.search(rb"<" + _PREFIX + name + rb"(?:\s[^<>]*)?>([^<]*)<", data)
    return _unescaped(match.group(1)) if match else ""


def element_at(data: bytes, position: int, start: int) -> str:
    """Return the name of the element whose tag or text is at a position, "" if it cannot be determined.

    start: where the search, backwards from `position`, for the tag ends.
    """
    tag_start = data.rfind(b"<", start, position)
    match = re.match(rb"<([^\s<>/!?\"'&=]{1,80})", data[tag_start : tag_start + 90]) if tag_start >= 0 else None
    return match.group(1).decode("utf-8", "replace") if match else ""


class _Scanner:
    """One pass over the markup, in which each end tag closes the innermost open record."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._open: list[int] = []  # indexes into `record_starts`, -1 for a <record> that is not an OAI-PMH record
        self._unclosed: set[bytes] = set()
        self.opened_tags: dict[str, bytes] = {}
        self.list_start = -1
        self.record_starts: list[tuple[int, int]] = []

    def scan_all(self) -> None:
        position = 0
        while match := _MARKUP.search(self._data, position):
            mark = match.group()
            if mark in _CLOSERS:
                position = self._skip_section(mark, match.end())
            elif match.group(2) == b"record":
                position = self._scan_record(match)
            else:
                position = self._scan_outer(match)

    def _skip_section(self, mark: bytes, position: int) -> int:
        """Return the position after a comment, CDATA section or processing instruction.

        An unclosed one is treated as text; its end is searched for only once, to keep the time linear.
        """
        closer = _CLOSERS[mark]
        end = -1 if mark in self._unclosed else self._data.find(closer, position)
        if end < 0:
            self._unclosed.add(mark)
            return position
        return end + len(closer)

    def _scan_record(self, match: re.Match[bytes]) -> int:
        if match.group(1):
            index = self._open.pop() if self._open else -1
            end = _TAG_END.match(self._data, match.end())
            if index >= 0 and end:
                self.record_starts[index] = (self.record_starts[index][0], end.end())
            return end.end() if end else match.end()
        tag_rest = _TAG_REST.match(self._data, match.end())
        if tag_rest is None or tag_rest.group().endswith(b"/>"):
            return match.end()
        if self._is_followed_by_header(tag_rest.end()):
            self._open.append(len(self.record_starts))
            self.record_starts.append((match.start(), -1))
        else:
            self._open.append(-1)
        return tag_rest.end()

    def _is_followed_by_header(self, position: int) -> bool:
        data = self._data
        position = _WHITE_SPACE.match(data, position).end()  # type: ignore[union-attr]  # it always matches
        while data.startswith(b"<!--", position) and b"<!--" not in self._unclosed:
            behind = self._skip_section(b"<!--", position + 4)
            position = _WHITE_SPACE.match(data, behind).end()  # type: ignore[union-attr]
        return _HEADER.match(data, position) is not None

    def _scan_outer(self, match: re.Match[bytes]) -> int:
        tag_rest = _TAG_REST.match(self._data, match.end())
        if tag_rest is None:
            return match.end()
        name = match.group(2).decode()
        if not match.group(1) and self.list_start < 0:
            tag = self._data[match.start() : tag_rest.end()]
            self.opened_tags.setdefault(name, tag)
            if name != "OAI-PMH" and not tag.endswith(b"/>"):
                self.list_start = tag_rest.end()
        return tag_rest.end()


def _find_end(data: bytes, last_start: int) -> tuple[int, RawToken | None]:
    """Return the end of the list after its last record, and the resumptionToken there."""
    last_end = last_start
    for match in _RECORD_END.finditer(data, last_start):
        last_end = match.end()
    limit = envelope_end(data)
    list_ends = [match.start() for match in _LIST_END.finditer(data, last_end)]
    end = list_ends[-1] if list_ends else data.rfind(b"<", 0, limit) if limit > last_end else len(data)
    tokens = [match for match in _TOKEN.finditer(data, last_end) if match.start() < end]
    if not tokens:
        return end, None
    match = tokens[-1]
    return match.start(), _raw_token(data[match.start() : end])


def _raw_token(data: bytes) -> RawToken:
    tag, _, content = data.partition(b">")
    attributes = {name.decode(): _unescaped(value) for name, value in _ATTRIBUTE.findall(tag)}
    text = "" if tag.endswith(b"/") else _unescaped(content.partition(b"<")[0])
    return RawToken(text, attributes)


def _next_start(record_starts: list[tuple[int, int]], index: int, end: int) -> int:
    return record_starts[index + 1][0] if index + 1 < len(record_starts) else end


def _tag_name(tag: bytes) -> bytes:
    match = re.match(rb"<([^\s/>]+)", tag)
    return match.group(1) if match else b""


def _unescaped(value: bytes) -> str:
    entities = {"&quot;": '"', "&apos;": "'"}
    return unescape(value.decode("utf-8", "replace"), entities).strip()
