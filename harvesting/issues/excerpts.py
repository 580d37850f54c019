"""Excerpts of stored payloads for people to read: numbered lines, indented and in coloured parts, with the places of
issues marked and long parts left out. No database access.

Characters that could mislead a reader are written out: control characters, and those that reverse the direction of
text.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metadata.issue import Issue
from metadata.xml import layout
from metadata.xml.spans import Span, spans

SHOWN_WHOLE = 30_000  # characters; of a longer text, only the beginning and the surroundings of the marks are shown
AROUND = 3_000  # characters before and after a mark
MOST_MARKS = 20
INDENT = "  "
LARGEST = 2 * 1024 * 1024  # bytes of a payload that are examined

# C0 except tab and line breaks, C1, and characters that change the direction of text or have no width.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line. kind: that of metadata.xml.layout.Part. mark: the number of the marked place that it
    belongs to, 0 = it is not marked. is_first: it is the first piece of that place.
    """

    text: str
    kind: str = ""
    mark: int = 0
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is shown. number: its number in the whole text. is_cut: something is left out before it."""

    number: int
    indent: str
    pieces: Sequence[Piece]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The shown lines of a payload. left_out: how many bytes or characters are not shown. marks: the numbers of the
    marked places.
    """

    lines: Sequence[Line]
    left_out: int = 0
    marks: Sequence[int] = ()


def excerpt(payload: bytes, issues: Iterable[Issue] = ()) -> Excerpt:
    """The payload in lines, with the places of these issues marked."""
    text = payload[:LARGEST].decode("utf-8", "replace")
    marks = _without_overlaps(span for issue in issues for span in spans(text, issue))[:MOST_MARKS]
    windows = _windows(len(text), marks)
    seen = sum(end - begin for begin, end in windows)
    left_out = max(len(payload) - LARGEST, 0) + len(text) - seen
    return Excerpt(list(_lines(text, windows, marks)), left_out, range(1, len(marks) + 1))


def show_invisible(text: str) -> str:
    """The text with invisible characters written out, for example ⟦U+202E⟧."""
    return _INVISIBLE.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def _without_overlaps(places: Iterable[Span]) -> list[Span]:
    """The spans in order; of overlapping ones the first."""
    separate: list[Span] = []
    for span in sorted(set(places)):
        if not separate or span.start >= separate[-1].end:
            separate.append(span)
    return separate


def _windows(length: int, marks: Sequence[Span]) -> list[tuple[int, int]]:
    """The parts of a text that are shown as (begin, end), in order and without overlaps."""
    if length <= SHOWN_WHOLE:
        return [(0, length)]
    around = [(mark.start - AROUND, min(mark.end, mark.start + AROUND) + AROUND) for mark in marks]
    wanted = [(0, AROUND), *((max(0, begin), min(length, end)) for begin, end in around)]
    windows = [wanted[0]]
    for begin, end in wanted[1:]:
        if begin <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((begin, end))
    return windows


def _lines(text: str, windows: Sequence[tuple[int, int]], marks: Sequence[Span]) -> Iterator[Line]:
    """The lines, or pieces of lines, in each window."""
    laid_out = layout.lines(text)
    for place, (begin, end) in enumerate(windows):
        is_cut = place > 0
        for number, line in enumerate(laid_out, 1):
            if line.start < end and line.end > begin:
                pieces = _pieces(text, layout.parts(text, line.start, min(line.end, end)), begin, marks)
                yield Line(number, INDENT * line.depth, list(pieces), is_cut)
                is_cut = False


def _pieces(text: str, parts: Iterable[layout.Part], begin: int, marks: Sequence[Span]) -> Iterator[Piece]:
    """The parts from a position on, divided at the edges of the marks."""
    for part in parts:
        position = max(part.start, begin)
        while position < part.end:
            number, edge = _mark_at(position, marks)
            stop = min(edge, part.end)
            is_first = number > 0 and position == max(marks[number - 1].start, begin)
            yield Piece(show_invisible(text[position:stop]), part.kind, number, is_first)
            position = stop


def _mark_at(position: int, marks: Sequence[Span]) -> tuple[int, int]:
    """The number of the mark at a position (0 = none), and where that changes."""
    place = bisect_right(marks, position, key=lambda mark: mark.start)
    if place and marks[place - 1].end > position:
        return place, marks[place - 1].end
    return 0, marks[place].start if place < len(marks) else sys.maxsize
