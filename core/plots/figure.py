"""A plot with what stands around it: its name, the unit, the legend. Pure; templates/plots/columns.html draws it."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.plots import PERCENT
from core.plots.columns import Columns, Datum, columns


@dataclass(frozen=True, slots=True)
class Series:
    """One of the things that are counted. kind: its CSS class, which is its colour."""

    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Plot:
    """Columns with axes and a legend. across: what stands along the horizontal axis; unit: what is counted."""

    name: str
    across: str
    unit: str
    series: tuple[Series, ...]
    drawn: Columns

    @property
    def is_stacked(self) -> bool:
        return len(self.series) > 1


def plot(name: str, across: str, unit: str, series: Sequence[Series], data: Sequence[Datum]) -> Plot | None:
    """Return a plot of the data; None if there is nothing to draw. A few columns do not fill the width."""
    if not any(datum.total for datum in data):
        return None
    return Plot(name, across, unit, tuple(series), columns(data, fewest=8))


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A row of a ranking. percent: the length of its bar. kind: its CSS class."""

    label: str
    count: int
    percent: float
    url: str = ""
    kind: str = "series-0"


def share(count: float, most: float) -> float:
    """Return the length of a bar in percent of the longest one; a count above zero is visible."""
    return round(max(0.6, PERCENT * count / most), 1) if count > 0 and most > 0 else 0.0
