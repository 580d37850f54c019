"""Aggregation as workers do it."""

from collections.abc import Iterator
from functools import partial

import pytest

from aggregator import tasks
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing.build import index_pending
from aggregator.search import get_index
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db


def test_books_are_indexed_while_a_long_harvest_still_brings_records(monkeypatch) -> None:
    get_index().clear()
    shelf = Shelf()
    titles = ["坊っちゃん", "こころ", "三四郎", "門"]
    for number, title in enumerate(titles[:2]):
        shelf.put("library", str(number), record(str(number), title=title))
    seen = []

    def arrives_and_is_indexed() -> Iterator[int]:
        yield from index_pending()
        seen.append((SourceRecord.objects.pending().count(), get_index().count()))
        if len(seen) == 1:  # as the harvest goes on
            for number, title in enumerate(titles[2:], 2):
                shelf.put("library", str(number), record(str(number), title=title))

    monkeypatch.setattr(tasks, "MATCHING_SECONDS", 0)
    monkeypatch.setattr(tasks, "aggregate_pending", partial(aggregate_pending, 1))
    monkeypatch.setattr(tasks, "index_pending", arrives_and_is_indexed)
    assert tasks.aggregate() == len(titles)
    assert seen[0] == (1, 1)
    assert seen[-1] == (0, len(titles))
