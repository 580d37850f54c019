"""A rectangle divided into tiles whose areas are proportional to counts (squarified treemap: Bruls, Huizing and van
Wijk, 2000). Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile. place: that of its count in the sequence given."""

    place: int
    x: float
    y: float
    width: float
    height: float


def tiles(counts: Sequence[float], width: float, height: float) -> tuple[Tile, ...]:
    """Return a tile for every count above zero, the largest first, from the upper left corner."""
    order = sorted((place for place, count in enumerate(counts) if count > 0), key=lambda place: -counts[place])
    total = sum(counts[place] for place in order)
    areas = [(place, counts[place] / total * width * height) for place in order]
    found: list[Tile] = []
    x = y = 0.0
    while areas:
        side = min(width, height)
        size = _row_size([area for _place, area in areas], side)
        row, areas = areas[:size], areas[size:]
        depth = sum(area for _place, area in row) / side
        upright = height <= width  # the row is a column at the left edge of what is left
        at = 0.0
        for place, area in row:
            along = area / depth
            found.append(_tile(place, x, y + at, depth, along) if upright else _tile(place, x + at, y, along, depth))
            at += along
        if upright:
            x, width = x + depth, width - depth
        else:
            y, height = y + depth, height - depth
    return tuple(found)


def _tile(place: int, x: float, y: float, width: float, height: float) -> Tile:
    return Tile(place, round(x, 2), round(y, 2), round(width, 2), round(height, 2))


def _row_size(areas: Sequence[float], side: float) -> int:
    """Return how many of the next areas share a row: as many as make its worst tile more like a square."""
    size = 1
    while size < len(areas) and _worst(areas[: size + 1], side) <= _worst(areas[:size], side):
        size += 1
    return size


def _worst(row: Sequence[float], side: float) -> float:
    """Return the largest ratio of the sides of a tile in the row."""
    depth = sum(row) / side
    return max(max(depth * depth / area, area / (depth * depth)) for area in row)
