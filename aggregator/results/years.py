"""The years of a result as decades, and as the bars of a histogram. Knows numbers and spans; no page, no database."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

FEWEST = 6  # places for bars: a single one is no block that fills the page
BARS = 10  # as many as leave each bar wide enough for a finger: 256 / 10 pixels
WIDTH, HEIGHT = 256, 72  # of the drawing, in its own units
GAP = 2
LEAST = 2  # of a bar that stands for one hit among thousands


@dataclass(frozen=True, slots=True)
class Span:
    """From the one year to the other, both included; 0 = open."""

    first: int
    last: int

    def __contains__(self, year: int) -> bool:
        return self.first <= year and (not self.last or year <= self.last)

    def meets(self, other: "Span") -> bool:
        """Whether they have a year in common."""
        return (not self.last or other.first <= self.last) and (not other.last or self.first <= other.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar and the ground that is clicked, in units of the drawing."""

    span: Span
    count: int
    x: float
    width: float
    height: float

    @property
    def end(self) -> float:
        return self.x + self.width

    @property
    def y(self) -> float:
        return HEIGHT - self.height

    @property
    def bar_x(self) -> float:
        return self.x + GAP / 2

    @property
    def bar_width(self) -> float:
        return self.width - GAP


def decade(year: int) -> Span:
    """The ten years that a year belongs to."""
    return Span(year // 10 * 10, year // 10 * 10 + 9)


def decades(years: Mapping[int, int]) -> dict[Span, int]:
    """Hits by decade, the newest first."""
    counts: Counter[Span] = Counter()
    for year in sorted(years, reverse=True):
        counts[decade(year)] += years[year]
    return dict(counts)


def within_decade(chosen: Span) -> Span | None:
    """The decade that a choice of years lies in, None for a longer one."""
    return decade(chosen.first) if chosen.first and decade(chosen.first) == decade(chosen.last) else None


def bars(years: Mapping[int, int], chosen: Span) -> tuple[Bar, ...]:
    """The years of the decade that was chosen; else the last decades, and all before them as one. () if one is all."""
    opened = within_decade(chosen)
    spans = [Span(year, year) for year in range(opened.first, opened.last + 1)] if opened else _decades_to(years)
    counts = {span: sum(count for year, count in years.items() if year in span) for span in spans}
    most = max(counts.values(), default=0)
    if len(spans) < 2 or not most:
        return ()
    width = round(WIDTH / max(len(spans), FEWEST), 2)
    return tuple(
        Bar(span=span, count=count, x=round(place * width, 2), width=width, height=_height(count, most))
        for place, (span, count) in enumerate(counts.items())
    )


def _decades_to(years: Mapping[int, int]) -> list[Span]:
    """Every decade from the first with a hit to the last, in order; those that do not fit in front as one."""
    if not years:
        return []
    starts = range(decade(min(years)).first, decade(max(years)).first + 1, 10)
    if len(starts) <= BARS:
        return [decade(year) for year in starts]
    shown = starts[-BARS + 1 :]
    return [Span(0, shown[0] - 1), *(decade(year) for year in shown)]


def _height(count: int, most: int) -> float:
    return round(max(LEAST, HEIGHT * count / most), 1) if count else 0
