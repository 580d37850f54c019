"""Columns beside each other, each of one or several parts upon each other. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.plots import PERCENT
from core.plots.scale import Slot, Tick, length, slot, ticks, top_of

HEIGHT = 200
GAP = 0.18  # of the width of a place is left free between two columns
LEAST_PART = 1.0
NARROW = 10.0  # percent: a column on which a label of a decade does not fit on a small screen
SHORT = 7  # characters of a label that fits below a wider column
MOST_WRITTEN = 14  # characters of a label; longer names would lie on each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Datum:
    """The counts of one column. counts: in the order of the series, from the bottom up. text: the counts in words.
    url: where the column leads, "" = nowhere.
    """

    label: str
    counts: tuple[int, ...]
    text: str = ""
    url: str = ""

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle. series: its place among the series, from 0. x, width: in percent."""

    series: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """A drawn column. named: whether its label is written below it; with many columns only some are. is_spare: whether
    it is left out on a narrow screen.
    """

    datum: Datum
    slot: Slot
    parts: tuple[Part, ...]
    named: bool
    is_spare: bool

    @property
    def middle(self) -> float:
        """The middle of the column."""
        return self.slot.middle

    @property
    def written(self) -> str:
        """The label as it is written below the column: the beginning of a long name."""
        label = self.datum.label
        return label if len(label) <= MOST_WRITTEN else f"{label[: MOST_WRITTEN - 1].rstrip()}…"

    @property
    def label_anchor(self) -> str:
        """How the label lies at `label_x`: at the edges of the drawing it does not extend beyond a narrow column."""
        if self.slot.width > NARROW and len(self.datum.label) <= SHORT:
            return "middle"
        return "start" if self.slot.x <= 0 else "end" if self.slot.end >= PERCENT - self.slot.width / 2 else "middle"

    @property
    def label_x(self) -> float:
        return {"start": self.slot.x, "end": PERCENT}.get(self.label_anchor, self.middle)

    @property
    def is_right(self) -> bool:
        """Whether a text about the column must extend to the left, because it stands in the right half."""
        return self.middle > PERCENT / 2


@dataclass(frozen=True, slots=True)
class Columns:
    """A plot of columns. ticks: of the vertical axis."""

    columns: tuple[Column, ...]
    ticks: tuple[Tick, ...]
    height: int = HEIGHT


def columns(data: Sequence[Datum], names: int = 6, fewest: int = 1) -> Columns:
    """Draw the columns from left to right. names: how many labels there is room for; on a narrow screen every second
    one is left out. fewest: the drawing has room for at least this many columns, so that a few do not become too wide.
    """
    most = max((datum.total for datum in data), default=0)
    top, _step = top_of(most)
    number = max(len(data), fewest)
    every = max(1, -(-len(data) // names))
    drawn = tuple(
        _column(datum, slot(place, number, PERCENT), top, divmod(len(data) - 1 - place, every))
        for place, datum in enumerate(data)
    )
    return Columns(drawn, ticks(most, HEIGHT) if most else ())


def _column(datum: Datum, place: Slot, top: int, from_right: tuple[int, int]) -> Column:
    """Draw one column.

    from_right: how many labels stand right of this column, and how many columns lie between the nearest and it."""
    gap = place.width * GAP
    x, width, y = round(place.x + gap / 2, 2), round(place.width - gap, 2), float(HEIGHT)
    parts = []
    for series, count in enumerate(datum.counts):
        if height := min(y, length(count, top, HEIGHT, LEAST_PART)):
            y = round(y - height, 1)
            parts.append(Part(series, x, y, width, height))
    labels, unnamed = from_right
    return Column(datum, place, tuple(parts), named=not unnamed, is_spare=labels % 2 == 1)
