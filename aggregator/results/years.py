"""The years of a result as decades and as bars of a histogram. Works on numbers alone."""

from collections import Counter
from collections.abc import Mapping

import msgspec

from core.plots.scale import Slot, length, slot

FEWEST = 6  # the drawing has room for at least this many bars, so that a few bars do not become too wide
BARS = 10  # most bars in a drawing: a bar of 256 / 10 pixels is still wide enough for a finger
WIDTH, HEIGHT = 256, 72  # of the drawing, in SVG units
GAP = 2
TIP = 60  # room that half of the text above a bar needs


class Span(msgspec.Struct, frozen=True, gc=False):
    """The years from first to last, both included; 0 = open."""

    first: int
    last: int

    def __contains__(self, year: int) -> bool:
        return self.first <= year and (not self.last or year <= self.last)

    def meets(self, other: "Span") -> bool:
        """Return whether the spans have a year in common."""
        return (not self.last or other.first <= self.last) and (not other.last or self.first <= other.last)


class Bar(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One bar. slot: the area around it that can be clicked. All lengths in units of the drawing."""

    span: Span
    count: int
    slot: Slot
    height: float

    @property
    def y(self) -> float:
        return HEIGHT - self.height

    @property
    def tip(self) -> float:
        """Where the text above the bar begins, is centred or ends, so that it stays inside the drawing."""
        return {"start": self.slot.x, "end": self.slot.end}.get(self.tip_anchor, self.slot.middle)

    @property
    def tip_anchor(self) -> str:
        middle = self.slot.middle
        return "start" if middle < TIP else "end" if middle > WIDTH - TIP else "middle"

    @property
    def bar_x(self) -> float:
        return self.slot.x + GAP / 2

    @property
    def bar_width(self) -> float:
        return self.slot.width - GAP


def decade(year: int) -> Span:
    """Return the decade of a year."""
    return Span(year // 10 * 10, year // 10 * 10 + 9)


def decades(years: Mapping[int, int]) -> dict[Span, int]:
    """Return decade -> hits, the newest first."""
    counts: Counter[Span] = Counter()
    for year in sorted(years, reverse=True):
        counts[decade(year)] += years[year]
    return dict(counts)


def within_decade(chosen: Span) -> Span | None:
    """Return the decade that contains the chosen years; None if they are in no single decade, or if none are chosen."""
    return decade(chosen.first) if chosen.first and decade(chosen.first) == decade(chosen.last) else None


def bars(years: Mapping[int, int], chosen: Span) -> tuple[Bar, ...]:
    """Return a bar for each year of the chosen decade; without one, for each of the last decades, and one bar for all
    earlier decades. () if there would be only one bar.
    """
    opened = within_decade(chosen)
    spans = [Span(year, year) for year in range(opened.first, opened.last + 1)] if opened else _decades_to(years)
    counts = {span: sum(count for year, count in years.items() if year in span) for span in spans}
    most = max(counts.values(), default=0)
    if len(spans) < 2 or not most:
        return ()
    return tuple(
        Bar(
            span=span,
            count=count,
            slot=slot(place, max(len(spans), FEWEST), WIDTH),
            height=length(count, most, HEIGHT),
        )
        for place, (span, count) in enumerate(counts.items())
    )


def _decades_to(years: Mapping[int, int]) -> list[Span]:
    """Return every decade from the first to the last with hits; early ones that do not fit become one span."""
    if not years:
        return []
    starts = range(decade(min(years)).first, decade(max(years)).first + 1, 10)
    if len(starts) <= BARS:
        return [decade(year) for year in starts]
    shown = starts[-BARS + 1 :]
    return [Span(0, shown[0] - 1), *(decade(year) for year in shown)]
