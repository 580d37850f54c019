"""Facet counts are cached for the next page, sort order and click, and dropped with the next write."""

from dataclasses import replace

from aggregator.search.base import Document, FacetValue, Query, SearchIndex
from aggregator.search.tantivy.facet_cache import FacetCache

CATS = Query(q="猫")
VALUES = (FacetValue("Book", 1),)


class Counting:
    """Records which facets it is asked to count."""

    def __init__(self) -> None:
        self.facets: list[str] = []

    def __call__(self, missing):
        self.facets += missing
        return dict.fromkeys(missing, VALUES)


def test_counts_are_reused_for_other_pages_orders_and_single_facets() -> None:
    cache, count = FacetCache(), Counting()
    cache.counts_of(CATS, ("type", "year"), {}, count)
    again = cache.counts_of(replace(CATS, page=3, sort="title", page_size=50), ("year", "type", "language"), {}, count)
    assert list(again) == ["year", "type", "language"]
    assert count.facets == ["type", "year", "language"]


def test_other_conditions_and_classes_are_counted_again() -> None:
    cache, count = FacetCache(), Counting()
    cache.counts_of(CATS, ("ndc", "type"), {}, count)
    cache.counts_of(CATS, ("ndc", "type"), {"ndc": ("9",)}, count)
    cache.counts_of(replace(CATS, online=True), ("type",), {}, count)
    assert count.facets == ["ndc", "type", "ndc", "type"]


def test_the_least_recently_used_counts_are_dropped_first() -> None:
    cache, count = FacetCache(most=2), Counting()
    for facet in ("type", "year", "type", "language", "type", "year"):
        cache.counts_of(CATS, (facet,), {}, count)
    assert count.facets == ["type", "year", "language", "year"]


def test_counts_are_those_after_the_last_write(index: SearchIndex) -> None:
    index.update([Document(id=1, titles=("猫",), types=("Book",))])
    assert index.search(CATS).facets["type"] == (FacetValue("Book", 1),)
    index.update([Document(id=2, titles=("猫",), types=("Book",))])
    assert index.search(CATS).facets["type"] == (FacetValue("Book", 2),)
