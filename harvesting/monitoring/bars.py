"""Bars for small charts: numbers in, geometry and words out. Pure; templates print it as SVG with a table beside it.

Everything is in units of the drawing, whose height is HEIGHT; nothing is styled here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

HEIGHT, STEP, GAP = 100, 12, 2
WIDEST, DRAWN = 22, 780  # pixels of a column, and of the whole
THINNEST = 1.5  # of a part that is not nothing: it must be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: what it is called, where it leads, and its parts (class, word, number) from the bottom up."""

    label: str
    url: str = ""
    parts: tuple[tuple[str, str, float], ...] = ()
    text: str = ""  # the numbers as people read them; "" = the sum


@dataclass(frozen=True, slots=True)
class Rect:
    """A part of a column where it is drawn."""

    kind: str
    x: int
    y: float
    width: int
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A column where it is drawn: an area over the whole height to point at, and its parts."""

    column: Column
    x: int
    rects: tuple[Rect, ...]

    @property
    def title(self) -> str:
        return f"{self.column.label}: {self.column.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """name: of the drawing, for those who do not see it. top: what the upper edge means, in words."""

    name: str
    top: str
    bars: tuple[Bar, ...] = ()
    legend: tuple[tuple[str, str], ...] = field(default=())

    @property
    def width(self) -> int:
        return max(1, len(self.bars)) * STEP

    @property
    def drawn(self) -> int:
        """How wide it is drawn, in pixels: few columns stay narrow."""
        return min(DRAWN, max(1, len(self.bars)) * WIDEST)

    @property
    def height(self) -> int:
        return HEIGHT

    @property
    def step(self) -> int:
        return STEP


def chart(name: str, columns: Sequence[Column], top: float = 0.0, top_text: str = "") -> Chart:
    """A chart of these columns, from left to right. top: what the full height means, 0 = the highest column."""
    highest = top or max((_sum(each) for each in columns), default=0.0) or 1.0
    bars = tuple(_bar(each, place, highest) for place, each in enumerate(columns))
    legend = {kind: word for each in columns for kind, word, number in each.parts if number}
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
