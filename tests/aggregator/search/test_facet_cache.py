"""Facet counts are cached for the next page, sort order and click, and dropped with the next write."""

import pytest
from msgspec.structs import replace

from aggregator.search.base import Document, FacetValue, Query, SearchIndex
from aggregator.search.tantivy.reader import cached_counts

CATS = Query(q="猫")
VALUES = (FacetValue("Book", 1),)


class Counting:
    """Records which facets it is asked to count."""

    def __init__(self) -> None:
        self.facets: list[str] = []

    def __call__(self, missing):
        self.facets += missing
        return dict.fromkeys(missing, VALUES)


@pytest.fixture
def state(request: pytest.FixtureRequest) -> str:
    """A state of the index that no other test has."""
    return request.node.nodeid


def test_counts_are_reused_for_other_pages_orders_and_single_facets(state: str) -> None:
    count = Counting()
    cached_counts(state, CATS, ("type", "year"), {}, count)
    again = cached_counts(
        state, replace(CATS, page=3, sort="title", page_size=50), ("year", "type", "language"), {}, count
    )
    assert list(again) == ["year", "type", "language"]
    assert count.facets == ["type", "year", "language"]


def test_other_conditions_and_classes_are_counted_again(state: str) -> None:
    count = Counting()
    cached_counts(state, CATS, ("ndc", "type"), {}, count)
    cached_counts(state, CATS, ("ndc", "type"), {"ndc": ("9",)}, count)
    cached_counts(state, replace(CATS, online=True), ("type",), {}, count)
    assert count.facets == ["ndc", "type", "ndc", "type"]


def test_counts_of_another_state_of_the_index_are_not_used(state: str) -> None:
    count = Counting()
    for now in (state, f"{state} later", state):
        cached_counts(now, CATS, ("type",), {}, count)
    assert count.facets == ["type", "type"]


def test_counts_are_those_after_the_last_write(index: SearchIndex) -> None:
    index.update([Document(id=1, titles=("猫",), types=("Book",))])
    assert index.search(CATS).facets["type"] == (FacetValue("Book", 1),)
    index.update([Document(id=2, titles=("猫",), types=("Book",))])
    assert index.search(CATS).facets["type"] == (FacetValue("Book", 2),)
