"""The start page: a landscape of the years, tiles of the classes, a shelf of what came lately, libraries by region.

All numbers are the daily ones; without any the page has no picture. A fixed number of queries.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from aggregator.catalogue.library_lists import PlaceCount
from aggregator.libraries.regions import PREFECTURES
from aggregator.models import Manifestation
from aggregator.presentation.prefecture_map import DrawnTile, map_tiles
from aggregator.query.parameters import within_years
from aggregator.results.facets import span_label
from aggregator.results.value_labels import main_classes
from aggregator.results.years import Span, decade
from aggregator.search.base import Query
from aggregator.statistics.figures import WholeFigures
from core.plots.areas import WIDTH, areas
from core.plots.columns import Column, Datum, columns
from core.plots.tiles import Tile, tiles
from harvesting.records.compression import unpack_record
from metadata.record import BibliographicRecord

SHELF = 12  # books on a shelf
HEIGHT = 180  # of the landscape
STEP = 5  # years that share a point of the landscape
MOST_DECADES = 16
FEWEST_DECADES = 3
UNCLASSIFIED = "class-none"  # CSS class of the books without a class
NUMBER_HEIGHT = 18  # of a tile in which its number is legible
NUMBER_WIDTH = 14  # the same; with some room for the border
INDENT = 10  # pixels from the left edge of a tile to its number
# Least width and height in pixels of the tiles on each kind of screen.
SCREENS = {"widest-tiles": (960, 260), "wide-tiles": (640, 260), "tall-tiles": (312, 420)}
KANJI, LATIN = 14, 8  # pixels that a character of a name takes


@dataclass(frozen=True, slots=True)
class Landscape:
    """The years. paths: CSS class and path of each class, in a box of width and height. columns: the decades."""

    paths: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def has_unclassified(self) -> bool:
        return any(kind == UNCLASSIFIED for kind, _path in self.paths)


@dataclass(frozen=True, slots=True)
class ShelvedBook:
    """A book on a shelf."""

    public_id: str
    record: BibliographicRecord


@dataclass(frozen=True, slots=True)
class ClassTile:
    """A class as a tile. x, width: in percent of the drawing; the tile itself has pixels. named: where its name fits:
    "beside" or "below" the number, "" if nowhere.
    """

    tile: Tile
    number: str
    name: str
    url: str
    count: int
    x: float
    width: float
    named: str

    @property
    def number_y(self) -> int:
        """The line on which the number stands: in a low tile in its middle, 0 if it has no room at all."""
        has_room = self.tile.height >= NUMBER_HEIGHT and self.tile.width >= NUMBER_WIDTH
        return min(26, round(self.tile.height / 2) + 7) if has_room else 0

    @property
    def is_narrow(self) -> bool:
        """Whether the number has to stand in the middle, because the tile would cut it at its usual place."""
        return self.tile.width < NUMBER_WIDTH + 2 * INDENT


@dataclass(frozen=True, slots=True)
class ClassTiles:
    """The tiles on one kind of screen. kind: its CSS class."""

    kind: str
    height: int
    tiles: tuple[ClassTile, ...]


def landscape(figures: WholeFigures) -> Landscape | None:
    """Return the landscape of the last decades with books; None if they are too few."""
    table = figures.table("class_year")
    latest = decade(timezone.localdate().year).first
    decades = range(max(_first_decade(table), latest - 10 * (MOST_DECADES - 1)), latest + 1, 10)
    if len(decades) < FEWEST_DECADES:
        return None
    starts = range(decades[0], latest + 10, STEP)
    series = {
        division: [_sum(years, Span(start, start + STEP - 1)) for start in starts]
        for division, years in sorted(table.items(), key=lambda item: item[0] or "~")
    }
    drawn = {division: counts for division, counts in series.items() if any(counts)}
    paths = zip(drawn, areas(list(drawn.values()), HEIGHT), strict=True)
    within = within_years(Query(), reverse("search"))
    data = [_datum(table, decade(first), within(first, first + 9)) for first in decades]
    return Landscape(
        tuple((f"class-{division}" if division else UNCLASSIFIED, path) for division, path in paths),
        columns(data, names=6).columns,
    )


def _first_decade(table: Mapping[str, Mapping[str, int]]) -> int:
    """Return the first decade of the landscape: earlier ones together have less than a hundredth of the books."""
    years: dict[int, int] = {}
    for counts in table.values():
        for year, count in counts.items():
            if year:
                years[int(year)] = years.get(int(year), 0) + count
    rest = sum(years.values()) / 100
    for first in sorted(years):
        rest -= years[first]
        if rest < 0:
            return decade(first).first
    return decade(timezone.localdate().year).first


def _datum(table: Mapping[str, Mapping[str, int]], span: Span, url: str) -> Datum:
    count = sum(_sum(years, span) for years in table.values())
    return Datum(label=span_label(span), counts=(count,), text=f"{count:,}", url=url if count else "")


def _sum(years: Mapping[str, int], span: Span) -> int:
    return sum(years.get(str(year), 0) for year in range(span.first, span.last + 1))


def class_tiles(figures: WholeFigures | None) -> tuple[ClassTiles, ...]:
    """Return the tiles of the main classes for each kind of screen; () without counts."""
    counts = figures.by("class") if figures else {}
    shown = [(number, name, url, counts.get(number, 0)) for number, name, url in main_classes(reverse("search"))]
    if not any(count for *_others, count in shown):
        return ()
    return tuple(_tiles(kind, shown, *size) for kind, size in SCREENS.items())


def _tiles(kind: str, shown: list[tuple[str, str, str, int]], width: int, height: int) -> ClassTiles:
    made = []
    for tile in tiles([count for *_others, count in shown], width, height):
        number, name, url, count = shown[tile.place]
        x, wide = (round(100 * length / width, 3) for length in (tile.x, tile.width))
        made.append(ClassTile(tile, number, name, url, count, x, wide, _place_of(name, tile)))
    return ClassTiles(kind, height, tuple(made))


def _place_of(name: str, tile: Tile) -> str:
    """Return where the name fits into the tile at the least size of the tiles."""
    width = sum(LATIN if sign.isascii() else KANJI for sign in name)
    if tile.height >= 50 and tile.width >= 36 + width:
        return "beside"
    return "below" if tile.height >= 68 and tile.width >= 18 + width else ""


def newest_books() -> list[ShelvedBook]:
    """Return the books that came last into the catalogue. One query."""
    return _shelved(Manifestation.objects.exclude(record=b"").order_by("-pk")[:SHELF])


def readable_books(figures: WholeFigures | None) -> list[ShelvedBook]:
    """Return the newest books that can be read online, as of the last count. One query."""
    numbers = figures.online_newest[:SHELF] if figures else ()
    return _shelved(Manifestation.objects.exclude(record=b"").filter(pk__in=numbers).order_by("-pk"))


def _shelved(found: QuerySet[Manifestation]) -> list[ShelvedBook]:
    return [ShelvedBook(f"M{pk}", unpack_record(record)) for pk, record in found.values_list("pk", "record")]


def prefecture_tiles(figures: WholeFigures | None) -> list[DrawnTile]:
    """Return the map of libraries by prefecture; [] without counts or libraries."""
    counts = figures.by("prefecture") if figures else {}
    places = [PlaceCount(place, counts.get(code, 0), 0) for code, place in PREFECTURES.items()]
    return map_tiles(places) if any(place.libraries for place in places) else []
