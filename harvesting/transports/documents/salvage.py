"""Recovers the well-formed records of a broken XML document; the broken records are returned as bytes. Pure functions.

The document around the records must be intact: without the records, it must be well-formed and complete.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lxml import etree

from metadata.xml.parsing import XmlError, parse

MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
MAX_PARSED_BYTES = 512 * 1024 * 1024  # in all, because the text around the records is parsed again with each record
MAX_BROKEN_RECORDS = 1000  # a document with more broken records is refused as a whole


class SalvagedRecord(NamedTuple):
    """One record of the document. raw: its bytes. element: None if it is broken; error then gives the reason."""

    raw: bytes
    element: etree._Element | None = None
    error: XmlError | None = None


class RecordPattern(NamedTuple):
    """How records are found in the bytes of a document.

    start: matches the start tag of a record. name: the local name of the record's element, for finding the end tag.
    tags: the names, with their namespaces, that the element may have.
    """

    start: re.Pattern[bytes]
    name: bytes
    tags: tuple[str, ...]


def record_pattern(name: str, tags: tuple[str, ...], first_child: str = "") -> RecordPattern:
    """Return the pattern of the elements with this local name; with first_child, only of those that begin with it."""
    inner = rb"\s*(?:<!--[^>]*-->\s*)?<(?:[\w.-]+:)?" + first_child.encode() + rb"[\s>/]" if first_child else b""
    start = re.compile(rb"<(?:[\w.-]+:)?" + name.encode() + rb"(?:\s[^<>]*)?>" + inner)
    return RecordPattern(start, name.encode(), tags)


def salvage(body: bytes, pattern: RecordPattern, encoding: str = "") -> list[SalvagedRecord]:
    """Return the records in document order. XmlError if the document around them is broken or truncated.

    The encoding must be a superset of ASCII, not UTF-16 or UTF-32.
    """
    if len(body) > MAX_DOCUMENT_BYTES or b"\0" in body[:4]:
        raise XmlError("xml.E001", 0, 0, "cannot be taken apart")
    comments = list(_comment_spans(body))
    starts = list(_outside_comments((match.start() for match in pattern.start.finditer(body)), comments))
    if not starts:
        raise XmlError("xml.E001", 0, 0, "no record")
    end = re.compile(rb"</(?:[\w.-]+:)?" + pattern.name + rb"\s*>")
    spans = _spans(body, starts, end)
    before, after = body[: spans[0][0]], body[spans[-1][1] :]
    between = b"".join(body[previous[1] : following[0]] for previous, following in pairwise(spans))
    parse(
        before + between + after, encoding
    )  # the document without its records must be well-formed, or it was truncated
    if (len(before) + len(after)) * len(spans) > MAX_PARSED_BYTES:
        raise XmlError("xml.E001", 0, 0, "too many records to take apart")
    records: list[SalvagedRecord] = []
    broken = 0
    for span in spans:
        records.append(_parse_record(body, span, (before, after), pattern, encoding))
        broken += records[-1].element is None
        if broken > MAX_BROKEN_RECORDS:
            raise XmlError("xml.E001", 0, 0, "too many broken records")
    return records


def _comment_spans(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of the comments.

    Without a regular expression, which would search to the end of the body for each comment that is not closed.
    """
    start = body.find(b"<!--")
    while start >= 0:
        end = body.find(b"-->", start + 4)
        if end < 0:
            return  # not well-formed; parsing the document around the records will fail
        yield start, end + 3
        start = body.find(b"<!--", end + 3)


def _outside_comments(starts: Iterator[int], comments: list[tuple[int, int]]) -> Iterator[int]:
    """Yield the positions that are not inside a comment."""
    remaining = iter(comments)
    current = next(remaining, None)
    for start in starts:
        while current and current[1] <= start:
            current = next(remaining, None)
        if not current or start < current[0]:
            yield start


def _spans(body: bytes, starts: list[int], end: re.Pattern[bytes]) -> list[tuple[int, int]]:
    """Return the (start, end) of the records.

    A record reaches to the last end tag before the next record, or to the next record if its end tag is missing.
    """
    spans = []
    for start, limit in zip(starts, [*starts[1:], len(body)], strict=True):
        ends = [match.end() for match in end.finditer(body, start, limit)]
        if not ends and limit == len(body):
            raise XmlError("xml.E001", 0, 0, "the last record has no end")
        spans.append((start, ends[-1] if ends else limit))
    return spans


def _parse_record(
    body: bytes, span: tuple[int, int], frame: tuple[bytes, bytes], pattern: RecordPattern, encoding: str
) -> SalvagedRecord:
    start, end = span
    raw = body[start:end]
    try:
        root = parse(frame[0] + raw + frame[1], encoding)
    except XmlError as error:
        line = error.line + body.count(b"\n", len(frame[0]), start)
        return SalvagedRecord(raw, error=XmlError(error.code, line, error.column, error.reason))
    element = next(iter(root.iter(*pattern.tags)), None)
    return (
        SalvagedRecord(raw, element)
        if element is not None
        else SalvagedRecord(raw, error=XmlError("xml.E001", 0, 0, "no record"))
    )
