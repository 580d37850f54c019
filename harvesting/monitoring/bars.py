"""Geometry of small bar charts. Pure; templates draw it as SVG, with a table of the numbers beside it.

Lengths are in SVG units unless stated otherwise; a drawing is HEIGHT units high. Colours are in the style sheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

HEIGHT, STEP, GAP = 100, 12, 2  # height of the drawing, distance from column to column, gap between two columns
WIDEST, DRAWN = 22, 780  # largest width in pixels, of a column and of the whole chart
THINNEST = 1.5  # least height of a part above zero, so that it can be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a chart. url: where it links to. parts: (CSS class, label, number) from the bottom up."""

    label: str
    url: str = ""
    parts: tuple[tuple[str, str, float], ...] = ()
    text: str = ""  # the numbers as people read them, for the title and the table


@dataclass(frozen=True, slots=True)
class Rect:
    """The rectangle of a part of a column. kind: its CSS class."""

    kind: str
    x: int
    y: float
    width: int
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A column with its position and the rectangles of its parts. Its title appears over the whole height."""

    column: Column
    x: int
    rects: tuple[Rect, ...]

    @property
    def title(self) -> str:
        return f"{self.column.label}: {self.column.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart ready to draw. name: for screen readers. top: the label of the upper edge. legend: (CSS class, label)."""

    name: str
    top: str
    bars: tuple[Bar, ...] = ()
    legend: tuple[tuple[str, str], ...] = field(default=())

    @property
    def width(self) -> int:
        return max(1, len(self.bars)) * STEP

    @property
    def drawn(self) -> int:
        """The width on the page in pixels, limited so that a chart of few columns stays narrow."""
        return min(DRAWN, max(1, len(self.bars)) * WIDEST)

    @property
    def height(self) -> int:
        return HEIGHT

    @property
    def step(self) -> int:
        return STEP


def chart(name: str, columns: Sequence[Column], top: float = 0.0, top_text: str = "") -> Chart:
    """Lay out a chart of these columns, from left to right. top: the number at full height, 0 = the highest column."""
    highest = top or max((_sum(column) for column in columns), default=0.0) or 1.0
    bars = tuple(_bar(column, place, highest) for place, column in enumerate(columns))
    legend = {kind: word for column in columns for kind, word, number in column.parts if number}
    return Chart(name=name, top=top_text or f"{highest:,.0f}", bars=bars, legend=tuple(legend.items()))


def _bar(column: Column, place: int, highest: float) -> Bar:
    x, y = place * STEP, float(HEIGHT)
    rects = []
    for kind, _word, number in column.parts:
        height = min(y, max(THINNEST, round(HEIGHT * number / highest, 1))) if number else 0.0
        y = round(y - height, 1)
        if height:
            rects.append(Rect(kind, x + GAP // 2, y, STEP - GAP, height))
    return Bar(column, x, tuple(rects))


def _sum(column: Column) -> float:
    return sum(number for _kind, _word, number in column.parts)
