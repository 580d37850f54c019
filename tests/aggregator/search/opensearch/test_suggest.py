"""Suggestions for beginnings that more books share than are looked at."""

import pytest

from aggregator.search.base import Document, SearchIndex
from aggregator.search.opensearch import suggest as module
from aggregator.search.suggest.entries import make_entries
from tests.aggregator.search.conftest import ON_SERVER


def book(number: int) -> Document:
    """A book with a title of its own, whose creator has every second book."""
    creators = [("夏目, 漱石", "ナツメ, ソウセキ")] if number % 2 else []
    return Document(id=number, suggestions=make_entries([(f"ナツの本 {number}",)], creators, []))


@pytest.mark.parametrize("connect", ON_SERVER, indirect=True)
def test_frequent_texts_are_found_in_a_sample_and_counted_among_all_books(index: SearchIndex, monkeypatch) -> None:
    index.update([book(number) for number in range(1, 61)])
    exact = index.suggest("ナツ")
    assert (exact[0].label, exact[0].books) == ("夏目, 漱石", 30)
    monkeypatch.setattr(module, "SAMPLE", 20)
    sampled = index.suggest("ナツ")
    assert (sampled[0].label, sampled[0].books) == ("夏目, 漱石", 30)
    assert {suggestion.books for suggestion in sampled[1:]} == {1}
    assert sampled == index.suggest("ナツ")
