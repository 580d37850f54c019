"""A map of Japan as 47 tiles, one for each prefecture: neighbours are neighbours, areas are not to scale.

The geometry was drawn for this program and has its licence; no map data of others is in it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap

from django.utils.translation import get_language

from aggregator.catalogue.library_lists import PlaceCount

UNIT = 60  # width and height of a usual tile, in the coordinates of the drawing
_GAP = 4
COLUMNS, ROWS = 12, 13.2
# JIS code of a prefecture -> column and row of its tile, and the tile's width and height where they are not 1 unit
_TILES: Mapping[str, tuple[float, ...]] = {
    "01": (10, 0, 2, 2),
    "02": (10, 2.3, 2),
    "05": (10, 3.3), "03": (11, 3.3), "06": (10, 4.3), "04": (11, 4.3),
    "17": (6, 5.3), "16": (7, 5.3), "15": (8, 5.3, 2), "07": (10, 5.3, 2),
    "18": (6, 6.3), "21": (7, 6.3), "20": (8, 6.3), "10": (9, 6.3), "09": (10, 6.3), "08": (11, 6.3),
    "35": (1, 7.3, 1, 2), "32": (2, 7.3), "31": (3, 7.3), "28": (4, 7.3, 1, 2), "26": (5, 7.3), "25": (6, 7.3),
    "23": (7, 7.3), "19": (8, 7.3), "11": (9, 7.3), "13": (10, 7.3), "12": (11, 7.3, 1, 2),
    "34": (2, 8.3), "33": (3, 8.3), "27": (5, 8.3), "29": (6, 8.3), "24": (7, 8.3), "22": (8, 8.3, 2),
    "14": (10, 8.3), "30": (5.7, 9.3),
    "38": (3.4, 9.6), "37": (4.4, 9.6), "39": (3.4, 10.6), "36": (4.4, 10.6),
    "42": (0, 9.6), "41": (1, 9.6), "40": (2, 9.6), "43": (1, 10.6), "44": (2, 10.6),
    "46": (1, 11.6), "45": (2, 11.6), "47": (0, 12.2),
}  # fmt: skip
WIDTH, HEIGHT = COLUMNS * UNIT, round(ROWS * UNIT)


@dataclass(frozen=True, slots=True)
class Tile:
    """The place of a prefecture in the drawing. x, y: its upper left corner. middle, centre: x and y of its middle."""

    code: str
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> int:
        return self.x + self.width // 2

    @property
    def centre(self) -> int:
        return self.y + self.height // 2


def _tile(code: str, column: float, row: float, width: float = 1, height: float = 1) -> Tile:
    x, y = round(column * UNIT) + _GAP // 2, round(row * UNIT) + _GAP // 2
    return Tile(code, x, y, round(width * UNIT) - _GAP, round(height * UNIT) - _GAP)


TILES: Mapping[str, Tile] = {
    tile.code: tile for tile in starmap(_tile, ((code, *place) for code, place in _TILES.items()))
}


@dataclass(frozen=True, slots=True)
class DrawnTile:
    """A tile with its prefecture, and how dark it is drawn. name: without 都, 府, 県."""

    tile: Tile
    count: PlaceCount
    shade: int
    name: str

    @property
    def long(self) -> bool:
        """Whether the name needs smaller letters to fit into the tile."""
        return self.tile.width < UNIT and len(self.name) > (7 if self.name.isascii() else 2)


def map_tiles(counts: Iterable[PlaceCount]) -> list[DrawnTile]:
    """Return the drawing for these prefectures."""
    prefectures = list(counts)
    most = max((count.libraries for count in prefectures), default=0)
    language = get_language() or ""
    return [
        DrawnTile(TILES[count.place.code], count, shade(count.libraries, most), _short(count.place.name(language)))
        for count in prefectures
    ]


def _short(name: str) -> str:
    """The name without 都, 府, 県."""
    return name[:-1] if name[-1] in "都府県" and name != "北海道" else name


def shade(count: int, most: int) -> int:
    """Return how dark a tile with this count is drawn: 0 for none, 3 for about as many as the largest count."""
    if not count:
        return 0
    share = count / most
    return 3 if share > 0.5 else 2 if share > 0.15 else 1
