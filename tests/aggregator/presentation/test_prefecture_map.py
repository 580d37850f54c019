"""The map of prefectures."""

from itertools import combinations

import pytest
from django.utils.translation import override

from aggregator.catalogue.library_lists import PlaceCount
from aggregator.libraries.regions import PREFECTURES
from aggregator.presentation.prefecture_map import HEIGHT, TILES, WIDTH, Tile, map_tiles, shade


def test_every_prefecture_has_a_tile_inside_the_drawing():
    assert TILES.keys() == PREFECTURES.keys()
    assert all(0 <= tile.x < tile.x + tile.width <= WIDTH for tile in TILES.values())
    assert all(0 <= tile.y < tile.y + tile.height <= HEIGHT for tile in TILES.values())


def overlap(one: Tile, other: Tile) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def test_no_tile_lies_on_another():
    assert not [(one.code, other.code) for one, other in combinations(TILES.values(), 2) if overlap(one, other)]


@pytest.mark.parametrize(
    ("language", "names"), [("ja", ["北海道", "東京", "神奈川"]), ("en", ["Hokkaido", "Tokyo", "Kanagawa"])]
)
def test_tiles_have_short_names_that_fit(language, names):
    with override(language):
        tiles = map_tiles(PlaceCount(PREFECTURES[code], 1, 0) for code in ("01", "13", "14"))
    assert [tile.name for tile in tiles] == names
    assert [tile.long for tile in tiles] == [False, False, True]


def test_tiles_are_the_darker_the_more_libraries_they_have():
    assert [shade(count, 100) for count in (0, 1, 15, 16, 50, 51, 100)] == [0, 1, 1, 2, 2, 3, 3]
