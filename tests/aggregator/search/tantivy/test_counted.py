"""Counts of facets are kept for the next page, the next order and the next click, and forgotten with the next write."""

from dataclasses import replace

from aggregator.search.base import Document, FacetValue, Query, SearchIndex
from aggregator.search.tantivy.counted import Counted

CATS = Query(q="猫")
VALUES = (FacetValue("Book", 1),)


class Counting:
    """Counts what it is asked to count."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, facets):
        self.asked += facets
        return dict.fromkeys(facets, VALUES)


def test_what_was_counted_is_good_for_another_page_order_and_for_single_facets() -> None:
    counted, count = Counted(), Counting()
    counted.of(CATS, ("type", "year"), (), count)
    again = counted.of(replace(CATS, page=3, sort="title", page_size=50), ("year", "type", "language"), (), count)
    assert list(again) == ["year", "type", "language"]
    assert count.asked == ["type", "year", "language"]


def test_other_conditions_and_other_classes_are_counted_anew() -> None:
    counted, count = Counted(), Counting()
    counted.of(CATS, ("ndc", "type"), (), count)
    counted.of(CATS, ("ndc", "type"), ("9",), count)
    counted.of(replace(CATS, online=True), ("type",), (), count)
    assert count.asked == ["ndc", "type", "ndc", "type"]


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    counted, count = Counted(most=2), Counting()
    for facet in ("type", "year", "type", "language", "type", "year"):
        counted.of(CATS, (facet,), (), count)
    assert count.asked == ["type", "year", "language", "year"]


def test_counts_are_those_of_the_last_write(index: SearchIndex) -> None:
    index.update([Document(id=1, titles=("猫",), types=("Book",))])
    assert index.search(CATS).facets["type"] == (FacetValue("Book", 1),)
    index.update([Document(id=2, titles=("猫",), types=("Book",))])
    assert index.search(CATS).facets["type"] == (FacetValue("Book", 2),)
