"""Excerpts of stored payloads for people to read: the places of issues marked, long parts left out. No database access.

Characters that could mislead a reader are written out: control characters, and those that reverse the direction of
text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metadata.issue import Issue
from metadata.xml.spans import Span, spans

SHOWN_WHOLE = 30_000  # characters; of a longer text, only the beginning and the surroundings of the marks are shown
AROUND = 3_000  # characters before and after a mark
MOST_MARKS = 20
LARGEST = 2 * 1024 * 1024  # bytes of a payload that are examined

# C0 except tab and line breaks, C1, and characters that change the direction of text or have no width.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the text. kind: "" plain text, "mark" the place of an issue, "cut" something is left out here."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The shown pieces of a payload. left_out: how many bytes or characters are not shown."""

    pieces: Sequence[Piece]
    left_out: int = 0

    @property
    def has_marks(self) -> bool:
        return any(piece.kind == "mark" for piece in self.pieces)


def excerpt(payload: bytes, issues: Iterable[Issue] = ()) -> Excerpt:
    """The payload in pieces, with the places of these issues marked."""
    text = payload[:LARGEST].decode("utf-8", "replace")
    marks = _without_overlaps(span for issue in issues for span in spans(text, issue))[:MOST_MARKS]
    pieces: list[Piece] = []
    for begin, end in _windows(len(text), marks):
        pieces += [Piece("", "cut")] if pieces else []
        pieces += _between(text, begin, end, marks)
    seen = sum(end - begin for begin, end in _windows(len(text), marks))
    return Excerpt(pieces, max(len(payload) - LARGEST, 0) + len(text) - seen)


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


def _between(text: str, begin: int, end: int, marks: Sequence[Span]) -> Iterator[Piece]:
    """The pieces of the text between two positions."""
    position = begin
    for mark in marks:
        if mark.start >= end or mark.end <= begin:
            continue
        first, last = max(mark.start, position), min(mark.end, end)
        if first > position:
            yield Piece(show_invisible(text[position:first]))
        yield Piece(show_invisible(text[first:last]), "mark")
        position = last
    if position < end:
        yield Piece(show_invisible(text[position:end]))
