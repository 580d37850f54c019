"""Scales of plots: round numbers for an axis, the length of a bar, the places of bars beside each other. Pure."""

import math
from dataclasses import dataclass

import msgspec

LINES = 4  # of an axis, about
LEAST = 2.0  # length of the shortest bar of a count above zero, so that it can be seen
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of an axis. y: from the upper edge of the drawing."""

    value: int
    y: float


class Slot(msgspec.Struct, frozen=True, gc=False):
    """The place of a bar among others."""

    x: float
    width: float

    @property
    def end(self) -> float:
        return round(self.x + self.width, 2)

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 2)


def length(count: float, most: float, full: float, least: float = LEAST) -> float:
    """Return the length of a bar; `full` is that of `most`. Only a count of zero has no length."""
    return round(max(least, full * count / most), 1) if count > 0 and most > 0 else 0.0


def slot(place: int, number: int, width: float) -> Slot:
    """Return the place of one of a number of bars that share the width."""
    wide = width / number
    return Slot(round(place * wide, 3), round(wide, 3))


def top_of(most: float) -> tuple[int, int]:
    """Return the number at the upper edge of an axis for counts up to `most`, and the step from line to line.

    Both are whole numbers of one digit and zeros; there are at most about LINES lines.
    """
    if most <= LINES:
        return max(1, math.ceil(most)), 1
    power = 10 ** math.floor(math.log10(most / LINES))
    step = next(power * factor for factor in _STEPS if power * factor * LINES >= most)
    return math.ceil(most / step) * step, step


def ticks(most: float, height: float) -> tuple[Tick, ...]:
    """Return the lines of a vertical axis for counts up to `most`, without that of zero, from the bottom up."""
    top, step = top_of(most)
    return tuple(Tick(value, round(height - height * value / top, 1)) for value in range(step, top + 1, step))
