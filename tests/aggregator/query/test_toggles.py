"""What ticking and excluding values changes in a search."""

import pytest
from msgspec.structs import replace

from aggregator.query.parameters import address
from aggregator.query.toggles import exclude_address, narrowest, without_value
from aggregator.search.base import Query

QUERY = Query(q="本 棚", types=("Book",), from_year=1980, sort="newest", excluded=(("language", "eng"),), page=3)


def test_exclusions_accumulate():
    assert exclude_address(QUERY, "type", "/search")("Map") == address(
        replace(QUERY, page=1, excluded=(("language", "eng"), ("type", "Map"))), "/search"
    )


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (("9",), ("9",)),
        (("9", "91"), ("91",)),
        (("913", "9", "4"), ("913", "4")),
        (("9", "91", "93"), ("91", "93")),
    ],
)
def test_of_nested_classes_only_the_narrowest_are_left(given, left):
    assert narrowest(replace(QUERY, ndcs=given)) == replace(QUERY, ndcs=left)


def test_a_value_is_taken_away_and_the_others_stay():
    assert without_value(Query(ndcs=("9", "4")), "ndc", "4") == {"ndcs": ("9",)}
    assert without_value(Query(online=True), "online", "1") == {"online": False}
