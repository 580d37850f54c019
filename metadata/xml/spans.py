"""Where in a payload a finding speaks of: spans of characters to mark. Pure; reads text, parses nothing.

A payload may be broken, so the place is found by searching, in time that grows with the text only.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from metadata.issue import Issue

MOST = 20  # spans
AROUND = 80  # characters before and behind the column of a syntax error in a long line

_LINE_AND_COLUMN = re.compile(r"([0-9]{1,9}):([0-9]{1,9})\Z")
_MARC = re.compile(r"([0-9]{3})(?:\$.*)?\Z")
_NAME = re.compile(r"[\w.-]+\Z")
_MARC_TAG = r'<(?:[\w.-]+:)?(datafield|controlfield)(?=\s)[^<>]*\stag="%s"[^<>]*>'
_TAG = r"<(?:[\w.-]+:)?(%s)(?=[\s/>])[^<>]*>"
_END = r"</(?:[\w.-]+:)?%s\s*>"


class Span(NamedTuple):
    """Characters from start to end (not included)."""

    start: int
    end: int


class Piece(NamedTuple):
    """A piece of a text, and whether it is marked."""

    text: str
    marked: bool


def pieces(text: str, issue: Issue) -> list[Piece]:
    """The whole text in pieces, those marked that the finding speaks of; one piece where the place is not found."""
    found, at = [], 0
    for span in spans(text, issue):
        if span.start > at:
            found.append(Piece(text[at : span.start], marked=False))
        found.append(Piece(text[span.start : span.end], marked=True))
        at = span.end
    if at < len(text) or not found:
        found.append(Piece(text[at:], marked=False))
    return found


def spans(text: str, issue: Issue) -> list[Span]:
    """What to mark, in order and apart from each other; MOST at most, none where the place is not found."""
    position = _LINE_AND_COLUMN.match(issue.field)
    if position:
        return _around(text, int(position[1]), int(position[2]))
    elements = list(_apart(_elements(text, issue.field)))
    if not issue.value:
        return elements[:MOST]
    bearing = [each for each in elements if issue.value in unescape(text[each.start : each.end])]
    return (bearing or list(_apart(_literal(text, issue.value))))[:MOST]


def _around(text: str, line: int, column: int) -> list[Span]:
    """The line of a syntax error; of a long line what stands around the column."""
    start = 0
    for _step in range(line - 1):
        following = text.find("\n", start)
        if following < 0:
            break
        start = following + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    if end - start > 2 * AROUND:
        middle = min(start + column, end)
        start, end = max(start, middle - AROUND), min(end, middle + AROUND)
    return [Span(start, end)] if end > start else []


def _elements(text: str, field: str) -> Iterator[Span]:
    """The elements that a field names by its last step; of MARC the fields with the tag."""
    marc = _MARC.match(field)
    if marc:
        starts = re.finditer(_MARC_TAG % marc[1], text)
        return _whole(text, starts, {name: _ends(text, name) for name in ("datafield", "controlfield")})
    name = _local_name(field)
    if not name:
        return iter(())
    starts = re.finditer(_TAG % re.escape(name), text)
    return _whole(text, starts, {name: _ends(text, name)})


def _local_name(field: str) -> str:
    """The element of "dcndl:Item/@rdf:about", "dcterms:subject[NDC9]" or "titleInfo/title", without its prefix."""
    steps = [each for each in field.partition("[")[0].split("/") if each and not each.startswith("@")]
    name = steps[-1].rpartition(":")[2].strip("<>") if steps else ""
    return name if _NAME.match(name) else ""


def _ends(text: str, name: str) -> list[int]:
    return [each.end() for each in re.finditer(_END % re.escape(name), text)]


def _whole(text: str, starts: Iterator[re.Match[str]], ends: dict[str, list[int]]) -> Iterator[Span]:
    """Each element from its start tag to the next end tag of its name; alone where there is none."""
    for start in starts:
        closing = ends[start[1]]
        place = bisect_left(closing, start.end())
        empty = text[start.end() - 2] == "/" or place == len(closing)
        yield Span(start.start(), start.end() if empty else closing[place])


def _literal(text: str, value: str) -> Iterator[Span]:
    """Where the value itself stands, as it is or as XML writes it."""
    written = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for each in dict.fromkeys((value, written)):
        at = text.find(each)
        while at >= 0:
            yield Span(at, at + len(each))
            at = text.find(each, at + len(each))


def _apart(found: Iterator[Span]) -> Iterator[Span]:
    """Without those that begin inside the one before."""
    end = -1
    for span in found:
        if span.start >= end:
            yield span
            end = span.end
