"""Aggregation as workers do it."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from types import SimpleNamespace

import pytest
from django.utils import timezone

from aggregator import tasks
from aggregator.grouping.aggregate import aggregate_pending
from aggregator.indexing import build, state
from aggregator.jobs import AGGREGATION, INDEXING, MERGING, STAMPING
from aggregator.merging import stage
from aggregator.merging.stage import merge_pending
from aggregator.models import Manifestation
from aggregator.search import get_index
from aggregator.search.tantivy.engine import TantivyIndex
from core.database.dialects import dialect
from core.database.locks import Work, try_lock
from core.work import jobs
from core.work.jobs import Job
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.connections import another_connection

pytestmark = pytest.mark.django_db


TITLES = ["坊っちゃん", "こころ", "三四郎"]


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


@pytest.fixture
def queued(monkeypatch) -> list[str]:
    """Pretend that the functions are called by a worker of a queue in which one job waits. Gives the jobs queued."""
    names: list[str] = []
    monkeypatch.setattr(jobs, "get_current_job", lambda: SimpleNamespace(origin="aggregation"))
    monkeypatch.setattr(jobs.django_rq, "get_queue", lambda _name: SimpleNamespace(count=1))
    monkeypatch.setattr(Job, "enqueue_waiting", lambda job: names.extend(name for name, _none in job.waiting()))
    return names


def test_matching_gives_other_jobs_their_turn_while_a_long_harvest_still_brings_records(
    shelf, queued, monkeypatch
) -> None:
    monkeypatch.setattr(jobs, "TURN_SECONDS", 0)
    assert tasks.aggregate() == 1
    assert {"index", "stamp"} <= set(queued)
    assert (tasks.index(), tasks.stamp()) == (1, 2)  # one book, one record
    assert SourceRecord.objects.pending().count() == 1
    monkeypatch.setattr(jobs.django_rq, "get_queue", lambda _name: SimpleNamespace(count=0))
    shelf.put("library", "2", record("2", title=TITLES[2]))
    assert tasks.aggregate() == 2


def test_another_worker_indexes_what_a_round_has_merged_while_matching_goes_on(shelf, monkeypatch) -> None:
    indexed = []

    def merged_while_another_indexes() -> Iterator[int]:
        yield from merge_pending()
        indexed.append((tasks.index(), SourceRecord.objects.pending().count()))

    monkeypatch.setattr(tasks, "merge_pending", merged_while_another_indexes)
    assert tasks.aggregate() == 2
    assert indexed[0] == (1, 1)
    assert get_index().count() == 2


def test_another_worker_merges_what_matching_has_marked_while_it_goes_on(shelf, monkeypatch) -> None:
    monkeypatch.setattr(stage, "SETTLED", timedelta(0))
    steps = aggregate_pending(1)
    next(steps)
    assert list(MERGING.waiting()) == [("merge", ())]
    assert tasks.merge() == 1
    assert not list(MERGING.waiting())
    assert SourceRecord.objects.pending().count() == 1
    assert sum(steps) == 1
    assert tasks.merge() == 1
    assert not Manifestation.objects.to_merge().exists()


def test_a_book_that_matching_has_just_marked_is_not_merged_beside_it(shelf) -> None:
    steps = aggregate_pending(1)
    next(steps)
    assert not list(MERGING.waiting())
    assert tasks.merge() == 0
    Manifestation.objects.update(merge_since=timezone.now() - 2 * stage.SETTLED)
    assert tasks.merge() == 1
    assert sum(steps) == 1
    assert list(MERGING.waiting()) == [("merge", ())]  # no record waits: no batch can mark it again
    assert tasks.merge() == 1


@pytest.mark.django_db(transaction=True)
def test_matching_goes_on_while_another_worker_merges(shelf) -> None:
    with another_connection(lambda: try_lock(Work.MERGING)):
        assert tasks.merge() == 0
        assert tasks.aggregate() == 2
        assert Manifestation.objects.to_merge().count() == 2
    assert tasks.merge() == 2


@pytest.mark.django_db(transaction=True)
def test_stamps_are_given_by_one_worker_at_a_time(shelf) -> None:
    with another_connection(lambda: try_lock(Work.PROVISION)):
        assert tasks.stamp() == 0
        assert tasks.aggregate() == 2
        assert get_index().count() == 2
    assert list(STAMPING.waiting()) == [("stamp", ())]
    assert tasks.stamp() == 4
    assert not list(STAMPING.waiting())


def test_what_follows_a_batch_of_matching_is_queued_at_once(shelf, queued, monkeypatch) -> None:
    monkeypatch.setattr(stage, "SETTLED", timedelta(0))
    assert tasks.aggregate() == 2
    assert queued[:4] == ["merge", "index", "merge", "index"]
    assert queued[-1] == "stamp"
    assert get_index().count() == 0


def test_indexing_beside_matching_is_queued_as_a_job_of_its_own(shelf) -> None:
    sum(aggregate_pending())
    assert not list(INDEXING.waiting())
    assert not list(AGGREGATION.waiting())
    sum(merge_pending())
    assert list(INDEXING.waiting()) == [("index", ())]
    assert INDEXING.do_waiting() == 2
    assert not list(INDEXING.waiting())


def test_indexing_gives_other_jobs_their_turn(shelf, queued, monkeypatch) -> None:
    sum(aggregate_pending())
    sum(merge_pending())
    monkeypatch.setattr(build, "BATCH", 1)
    monkeypatch.setattr(jobs, "TURN_SECONDS", 0)
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
