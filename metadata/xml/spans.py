"""Finds the characters of a payload that an issue refers to, to mark them on a page. Pure; does not parse.

A payload may be broken, so places are found by searching, in time that is linear in the length of the text.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from metadata.issue import Issue

MAX_SPANS = 20  # marked in one text
CONTEXT = 80  # characters shown on both sides of a syntax error in a long line

_LINE_AND_COLUMN = re.compile(r"([0-9]{1,9}):([0-9]{1,9})\Z")
_MARC = re.compile(r"([0-9]{3})(?:\$.*)?\Z")
_NAME = re.compile(r"[\w.-]+\Z")
_NAMED_CHARACTERS = re.compile(r"(?:U\+[0-9A-F]{4,6} ?)+ \((.*)\)\Z", re.DOTALL)
_MARC_TAG = r'<(?:[\w.-]+:)?(datafield|controlfield)(?=\s)[^<>]*\stag="%s"[^<>]*>'
_TAG = r"<(?:[\w.-]+:)?(%s)(?=[\s/>])[^<>]*>"
_END = r"</(?:[\w.-]+:)?%s\s*>"
_CONDITION = re.compile(r"\[[^\]]*\]")


class Span(NamedTuple):
    """Characters from start to end (not included)."""

    start: int
    end: int


class Piece(NamedTuple):
    """A piece of a text, and whether it is marked."""

    text: str
    marked: bool


def pieces(text: str, issue: Issue) -> list[Piece]:
    """Return the whole text in pieces, some of them marked; a single piece if the place of the issue is not found."""
    result, end = [], 0
    for span in spans(text, issue):
        if span.start > end:
            result.append(Piece(text[end : span.start], marked=False))
        result.append(Piece(text[span.start : span.end], marked=True))
        end = span.end
    if end < len(text) or not result:
        result.append(Piece(text[end:], marked=False))
    return result


def spans(text: str, issue: Issue) -> list[Span]:
    """Return the spans to mark, in order and not overlapping; at most MAX_SPANS, none if the place is not found."""
    position = _LINE_AND_COLUMN.match(issue.field)
    if position:
        return _around(text, int(position[1]), int(position[2]))
    elements = list(_without_overlaps(_elements(text, issue.field)))
    if not issue.value:
        return elements[:MAX_SPANS]
    value = received(issue.value)
    matching = [span for span in elements if value in unescape(text[span.start : span.end])]
    return (matching or list(_without_overlaps(_literal(text, value))))[:MAX_SPANS]


def received(value: str) -> str:
    """The value of an issue as it stands in the payload: the characters that an issue names before it are left out."""
    named = _NAMED_CHARACTERS.match(value)
    return named[1] if named else value


def _around(text: str, line: int, column: int) -> list[Span]:
    """The line of a syntax error; of a long line only the part around the column."""
    start = 0
    for _ in range(line - 1):
        following = text.find("\n", start)
        if following < 0:
            break
        start = following + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    if end - start > 2 * CONTEXT:
        middle = min(start + column, end)
        start, end = max(start, middle - CONTEXT), min(end, middle + CONTEXT)
    return [Span(start, end)] if end > start else []


def _elements(text: str, field: str) -> Iterator[Span]:
    """The elements named by the last step of `field`; for MARC the fields with the tag."""
    marc = _MARC.match(field)
    if marc:
        starts = re.finditer(_MARC_TAG % marc[1], text)
        return _element_spans(text, starts, {name: _ends(text, name) for name in ("datafield", "controlfield")})
    name = _local_name(field)
    if not name:
        return iter(())
    starts = re.finditer(_TAG % re.escape(name), text)
    return _element_spans(text, starts, {name: _ends(text, name)})


def _local_name(field: str) -> str:
    """The element in "dcndl:Item/@rdf:about", "dcterms:subject[NDC9]" or "titleInfo/title", without its prefix."""
    steps = [step for step in _CONDITION.sub("", field).split("/") if step and not step.startswith("@")]
    name = steps[-1].rpartition(":")[2].strip("<>") if steps else ""
    return name if _NAME.match(name) else ""


def _ends(text: str, name: str) -> list[int]:
    return [match.end() for match in re.finditer(_END % re.escape(name), text)]


def _element_spans(text: str, starts: Iterator[re.Match[str]], ends: dict[str, list[int]]) -> Iterator[Span]:
    """Elements from their start tag to the next end tag with the name; only the start tag if there is none."""
    for start in starts:
        closing = ends[start[1]]
        index = bisect_left(closing, start.end())
        empty = text[start.end() - 2] == "/" or index == len(closing)
        yield Span(start.start(), start.end() if empty else closing[index])


def _literal(text: str, value: str) -> Iterator[Span]:
    """Occurrences of the value, as it is or escaped as in XML."""
    escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for form in dict.fromkeys((value, escaped)):
        start = text.find(form)
        while start >= 0:
            yield Span(start, start + len(form))
            start = text.find(form, start + len(form))


def _without_overlaps(candidates: Iterator[Span]) -> Iterator[Span]:
    """The spans without those that begin inside the previous one."""
    end = -1
    for span in candidates:
        if span.start >= end:
            yield span
            end = span.end
