"""The addresses that facet values link to."""

from dataclasses import replace

import pytest

from aggregator.query.parameters import address
from aggregator.query.toggles import exclude_address, toggle_address, toggled
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
def test_the_fast_address_equals_the_full_one(query, parameter, value):
    whole = address(replace(query, page=1, **toggled(query, parameter, value)), "/search")
    assert toggle_address(query, parameter, "/search")(value) == whole


def test_exclusions_accumulate():
    assert exclude_address(QUERY, "type", "/search")("Map") == address(
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
def test_an_ndc_class_replaces_wider_and_narrower_ones(before, value, after):
    assert toggled(Query(ndcs=before), "ndc", value) == {"ndcs": after}
