"""Good records out of a broken XML document, one by one and strictly; the broken ones as bytes. Pure.

Only where the document itself is whole: what is left when the records are taken out must be well-formed with its end.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lxml import etree

from metadata.xml.parsing import XmlError, parse

LARGEST = 64 * 1024 * 1024  # bytes of a document that is taken apart
MOST_COPIED = 512 * 1024 * 1024  # bytes that parsing each record in its surroundings may cost

MOST_BROKEN = 1000  # records; a document with more of them is broken as a whole


class Piece(NamedTuple):
    """One record of the document. element: None where it is broken, error then says how. raw: as it stands there."""

    raw: bytes
    element: etree._Element | None = None
    error: XmlError | None = None


class Kind(NamedTuple):
    """How records are found in bytes. start: where one begins; name: local name of its element, for its end."""

    start: re.Pattern[bytes]
    name: bytes
    tags: tuple[str, ...]


def kind(name: str, tags: tuple[str, ...], first_child: str = "") -> Kind:
    """Records are the elements of this local name; with first_child only those that begin with it."""
    inner = rb"\s*(?:<!--[^>]*-->\s*)?<(?:[\w.-]+:)?" + first_child.encode() + rb"[\s>/]" if first_child else b""
    start = re.compile(rb"<(?:[\w.-]+:)?" + name.encode() + rb"(?:\s[^<>]*)?>" + inner)
    return Kind(start, name.encode(), tags)


def salvage(body: bytes, sought: Kind, encoding: str = "") -> list[Piece]:
    """The records in their order. XmlError where the document itself is broken or cut. Bytes like ASCII's only."""
    if len(body) > LARGEST or b"\0" in body[:4]:
        raise XmlError("xml.E001", 0, 0, "cannot be taken apart")
    hidden = list(_comments(body))
    starts = list(_visible((match.start() for match in sought.start.finditer(body)), hidden))
    if not starts:
        raise XmlError("xml.E001", 0, 0, "no record")
    end = re.compile(rb"</(?:[\w.-]+:)?" + sought.name + rb"\s*>")
    spans = _spans(body, starts, end)
    before, after = body[: spans[0][0]], body[spans[-1][1] :]
    between = b"".join(body[one[1] : two[0]] for one, two in pairwise(spans))
    parse(before + between + after, encoding)  # the frame must be sound, or it was cut
    if (len(before) + len(after)) * len(spans) > MOST_COPIED:
        raise XmlError("xml.E001", 0, 0, "too many records to take apart")
    pieces: list[Piece] = []
    broken = 0
    for span in spans:
        pieces.append(_piece(body, span, (before, after), sought, encoding))
        broken += pieces[-1].element is None
        if broken > MOST_BROKEN:
            raise XmlError("xml.E001", 0, 0, "too many broken records")
    return pieces


def _comments(body: bytes) -> Iterator[tuple[int, int]]:
    """Where comments are. By hand: a pattern would look for the end of each that has none, to the end of the body."""
    start = body.find(b"<!--")
    while start >= 0:
        end = body.find(b"-->", start + 4)
        if end < 0:
            return  # not well-formed; the frame is refused
        yield start, end + 3
        start = body.find(b"<!--", end + 3)


def _visible(starts: Iterator[int], hidden: list[tuple[int, int]]) -> Iterator[int]:
    """The places that are in no comment."""
    rest = iter(hidden)
    current = next(rest, None)
    for start in starts:
        while current and current[1] <= start:
            current = next(rest, None)
        if not current or start < current[0]:
            yield start


def _spans(body: bytes, starts: list[int], end: re.Pattern[bytes]) -> list[tuple[int, int]]:
    """From each start to the last end before the next; up to the next start where the end is missing."""
    spans = []
    for start, limit in zip(starts, [*starts[1:], len(body)], strict=True):
        ends = [match.end() for match in end.finditer(body, start, limit)]
        if not ends and limit == len(body):
            raise XmlError("xml.E001", 0, 0, "the last record has no end")
        spans.append((start, ends[-1] if ends else limit))
    return spans


def _piece(body: bytes, span: tuple[int, int], frame: tuple[bytes, bytes], sought: Kind, encoding: str) -> Piece:
    start, end = span
    raw = body[start:end]
    try:
        root = parse(frame[0] + raw + frame[1], encoding)
    except XmlError as error:
        line = error.line + body.count(b"\n", len(frame[0]), start)
        return Piece(raw, error=XmlError(error.code, line, error.column, error.reason))
    element = next(iter(root.iter(*sought.tags)), None)
    return Piece(raw, element) if element is not None else Piece(raw, error=XmlError("xml.E001", 0, 0, "no record"))
