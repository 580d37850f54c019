"""A stored payload as text for reading: the places of findings marked, what is too long cut. Pure.

What would fool a reader is made visible: control characters, and those that turn the direction of text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metadata.issue import Issue
from metadata.xml.spans import Span, spans

SHOWN_WHOLE = 30_000  # characters; of more, the beginning and what stands around the marks
AROUND = 3_000  # characters before and behind a mark
MOST_MARKS = 20
LARGEST = 2 * 1024 * 1024  # bytes that are looked at

# C0 but for tab and line breaks, C1, and what turns the direction of the text around it or cannot be seen.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the text. kind: "" as it is, "mark" a place of a finding, "cut" something was left out here."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a payload. left_out: bytes or characters that are not."""

    pieces: Sequence[Piece]
    left_out: int = 0

    @property
    def has_marks(self) -> bool:
        return any(each.kind == "mark" for each in self.pieces)


def shown(payload: bytes, issues: Iterable[Issue] = ()) -> Shown:
    """The payload in pieces, with the places that these findings speak of."""
    text = payload[:LARGEST].decode("utf-8", "replace")
    marks = _apart(span for each in issues for span in spans(text, each))[:MOST_MARKS]
    pieces: list[Piece] = []
    for begin, end in _windows(len(text), marks):
        pieces += [Piece("", "cut")] if pieces else []
        pieces += _between(text, begin, end, marks)
    seen = sum(end - begin for begin, end in _windows(len(text), marks))
    return Shown(pieces, max(len(payload) - LARGEST, 0) + len(text) - seen)


def visible(text: str) -> str:
    """The text with what nobody would see written out: ⟦U+202E⟧."""
    return _UNSEEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def _apart(found: Iterable[Span]) -> list[Span]:
    """In order; where two meet, the first stands."""
    apart: list[Span] = []
    for span in sorted(set(found)):
        if not apart or span.start >= apart[-1].end:
            apart.append(span)
    return apart


def _windows(length: int, marks: Sequence[Span]) -> list[tuple[int, int]]:
    """The parts of a text that are shown, in order and apart from each other."""
    if length <= SHOWN_WHOLE:
        return [(0, length)]
    around = [(each.start - AROUND, min(each.end, each.start + AROUND) + AROUND) for each in marks]
    wanted = [(0, AROUND), *((max(0, begin), min(length, end)) for begin, end in around)]
    windows = [wanted[0]]
    for begin, end in wanted[1:]:
        if begin <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((begin, end))
    return windows


def _between(text: str, begin: int, end: int, marks: Sequence[Span]) -> Iterator[Piece]:
    place = begin
    for mark in marks:
        if mark.start >= end or mark.end <= begin:
            continue
        first, last = max(mark.start, place), min(mark.end, end)
        if first > place:
            yield Piece(visible(text[place:first]))
        yield Piece(visible(text[first:last]), "mark")
        place = last
    if place < end:
        yield Piece(visible(text[place:end]))
