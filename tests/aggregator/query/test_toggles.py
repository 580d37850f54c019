"""The addresses that values of facets lead to."""

from dataclasses import replace

import pytest

from aggregator.query.parameters import address
from aggregator.query.toggles import choose, exclude, toggled
from aggregator.search.base import Query

QUERY = Query(q="本 棚", types=("Book",), from_year=1980, sort="newest", excluded=(("language", "eng"),), page=3)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("type", "Map"),
        ("type", "Book"),
        ("repository", "R900000001"),
        ("online", "1"),
        ("creator_is", "夏目, 漱石 & 子規"),
    ],
)
@pytest.mark.parametrize("query", [QUERY, Query()])
def test_the_quick_way_to_an_address_is_the_whole_one(query, parameter, value):
    whole = address(replace(query, page=1, **toggled(query, parameter, value)), "/search")
    assert choose(query, parameter, "/search")(value) == whole


def test_excluding_adds_to_what_is_excluded_already():
    assert exclude(QUERY, "type", "/search")("Map") == address(
        replace(QUERY, page=1, excluded=(("language", "eng"), ("type", "Map"))), "/search"
    )


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ((), "9", ("9",)),
        (("9",), "91", ("91",)),
        (("913",), "9", ("9",)),
        (("9",), "4", ("9", "4")),
        (("9", "4"), "4", ("9",)),
    ],
)
def test_a_class_stands_for_all_that_is_inside_it(before, value, after):
    assert toggled(Query(ndcs=before), "ndc", value) == {"ndcs": after}
