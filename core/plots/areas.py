"""A stacked area chart with rounded outlines, over equally wide intervals: a landscape. Pure."""

from collections.abc import Sequence

WIDTH = 1000  # units, stretched to the width of the page

type Line = list[float]


def areas(series: Sequence[Sequence[float]], height: int) -> tuple[str, ...]:
    """Return the area of each series as an SVG path; the areas are stacked, the first series at the bottom. The highest
    total reaches the upper edge.

    All series have the same number of counts, at least one; each count is plotted at the middle of its interval.
    """
    number = len(series[0])
    most = max(map(sum, zip(*series, strict=True))) or 1
    xs = [0.0, *(round(WIDTH * (place + 0.5) / number, 1) for place in range(number)), float(WIDTH)]
    lower: Line = [0.0] * number
    paths = []
    for counts in series:
        upper = [before + count for before, count in zip(lower, counts, strict=True)]
        paths.append(_between(xs, _ys(lower, most, height), _ys(upper, most, height)))
        lower = upper
    return tuple(paths)


def _ys(values: Line, most: float, height: int) -> Line:
    """From the upper edge; the first and the last value also stand at the edges."""
    return [round(height - height * value / most, 1) for value in (values[0], *values, values[-1])]


def _between(xs: Line, lower: Line, upper: Line) -> str:
    """Return the path along the upper line and back along the lower one."""
    there = f"M{_number(xs[0])} {_number(upper[0])}{_curve(xs, upper)}"
    back = f"L{_number(xs[-1])} {_number(lower[-1])}{_curve(xs[::-1], lower[::-1])}"
    return f"{there}{back}Z"


def _curve(xs: Line, ys: Line) -> str:
    """Return a curve through the points that is horizontal in each of them, so that it never leaves their range."""
    pieces = []
    for x, y, next_x, next_y in zip(xs, ys, xs[1:], ys[1:], strict=False):
        if y == next_y:
            pieces.append(f"H{_number(next_x)}")
        else:
            middle = _number(round((x + next_x) / 2, 1))
            pieces.append(f"C{middle} {_number(y)} {middle} {_number(next_y)} {_number(next_x)} {_number(next_y)}")
    return "".join(pieces)


def _number(value: float) -> str:
    return f"{value:g}" if value < 100_000 else str(value)
