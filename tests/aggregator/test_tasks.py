"""Aggregation as workers do it."""

from collections.abc import Iterator
from functools import partial

import pytest

from aggregator import tasks
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing import build, state
from aggregator.indexing.build import index_pending
from aggregator.jobs import AGGREGATION, INDEXING
from aggregator.merging.stage import merge_pending
from aggregator.provision.resourcesync.changes import update_resources
from aggregator.provision.stamping import stamp_pending
from aggregator.search import get_index
from aggregator.search.tantivy.engine import TantivyIndex
from core.database.dialects import dialect
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record

pytestmark = pytest.mark.django_db


TITLES = ["坊っちゃん", "こころ", "三四郎", "門"]


@pytest.fixture
def shelf() -> Shelf:
    """A provider with two of four books. Matching takes one record at a time, and a round ends after each."""
    get_index().clear()
    shelf = Shelf()
    for number, title in enumerate(TITLES[:2]):
        shelf.put("library", str(number), record(str(number), title=title))
    return shelf


@pytest.fixture(autouse=True)
def short_rounds(monkeypatch) -> None:
    monkeypatch.setattr(tasks, "MATCHING_SECONDS", 0)
    monkeypatch.setattr(tasks, "aggregate_pending", partial(aggregate_pending, 1))


def test_books_are_indexed_while_a_long_harvest_still_brings_records(shelf, monkeypatch) -> None:
    seen = []

    def arrives_and_is_indexed() -> int:
        done = sum(index_pending())
        seen.append((SourceRecord.objects.pending().count(), get_index().count()))
        if len(seen) == 1:  # as the harvest goes on
            for number, title in enumerate(TITLES[2:], 2):
                shelf.put("library", str(number), record(str(number), title=title))
        return done

    monkeypatch.setattr(tasks, "INDEXING_SECONDS", 0)
    monkeypatch.setattr(tasks, "index", arrives_and_is_indexed)
    assert tasks.aggregate() == len(TITLES)
    assert seen[0] == (1, 1)
    assert seen[-1] == (0, len(TITLES))


def test_another_worker_indexes_what_a_round_has_merged_while_matching_goes_on(shelf, monkeypatch) -> None:
    indexed = []

    def stamped_while_another_indexes() -> Iterator[int]:
        yield from stamp_pending()
        indexed.append((tasks.index(), SourceRecord.objects.pending().count()))

    monkeypatch.setattr(tasks, "stamp_pending", stamped_while_another_indexes)
    assert tasks.aggregate() == 2
    assert indexed[0] == (1, 1)
    assert get_index().count() == 2


def test_indexing_beside_matching_is_queued_as_a_job_of_its_own(shelf) -> None:
    sum(aggregate_pending())
    assert not list(INDEXING.waiting())
    sum(merge_pending())
    assert list(INDEXING.waiting()) == [("index", ())]
    sum(stamp_pending())
    sum(update_resources())
    assert not list(AGGREGATION.waiting())
    assert INDEXING.do_waiting() == 2
    assert not list(INDEXING.waiting())


def test_a_worker_gives_other_work_its_turn_after_a_while(shelf, monkeypatch) -> None:
    sum(aggregate_pending())
    sum(merge_pending())
    monkeypatch.setattr(build, "BATCH", 1)
    monkeypatch.setattr(tasks, "INDEXING_SECONDS", 0)
    assert [tasks.index(), tasks.index(), tasks.index()] == [1, 1, 0]
    assert get_index().count() == 2


def test_a_machine_without_an_index_leaves_indexing_to_the_one_that_has_it(shelf, monkeypatch, tmp_path) -> None:
    assert tasks.aggregate() == 2
    shelf.put("library", "2", record("2", title=TITLES[2]))
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(type(dialect()), "is_networked", True)
        elsewhere.setattr(state, "get_index", lambda: TantivyIndex(tmp_path / "none"))
        assert tasks.aggregate() == 1
        assert list(INDEXING.waiting())
    assert not (tmp_path / "none").exists()
    assert tasks.index() == 1
