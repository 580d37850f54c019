"""Machines with an index each, of which one merges books: the others follow, and lose nothing."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from aggregator.indexing import following
from aggregator.indexing.build import index_pending, reindex
from aggregator.indexing.following import follow
from aggregator.indexing.ledger import FORGOTTEN, forget_absent
from aggregator.indexing.searching import search
from aggregator.indexing.state import index_state
from aggregator.management.commands import reindex as reindex_command
from aggregator.models import IndexChange, IndexLedger
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query
from tests.aggregator.indexing.test_ledger import change, found

pytestmark = pytest.mark.django_db
type Go = Callable[[str], None]


@pytest.fixture
def go(settings, tmp_path: Path) -> Go:
    """Continue on the machine of this name, with its own disk."""

    def to(machine: str) -> None:
        settings.SEARCH_DIR = tmp_path / machine / "search"
        settings.SEARCH_DIR.parent.mkdir(exist_ok=True)

    to("first")
    return to


@pytest.fixture
def two(go: Go) -> Go:
    """Two machines, of which the second follows. Both have the books 1 to 3."""
    for number, title in ((1, "猫"), (2, "犬"), (3, "鳥")):
        change(number, title)
    list(index_pending())
    go("second")
    assert follow() == 3
    go("first")
    return go


def test_the_second_machine_builds_its_index_and_follows(two: Go) -> None:
    change(1, "虎")
    change(2, "")
    change(4, "馬")
    list(index_pending())
    two("second")
    assert (found(), found("虎")) == ([1, 2, 3], [])
    assert index_state().waiting == 3
    assert follow() == 3
    assert (found(), found("虎"), found("猫")) == ([1, 3, 4], [1], [])
    assert (index_state().waiting, index_state().lag, IndexChange.objects.count()) == (0, 0.0, 0)
    assert follow() == 0


def test_readers_of_a_new_machine_are_told_that_its_index_is_being_built(two: Go) -> None:
    two("third")
    with pytest.raises(IndexUnavailable, match="rebuilding"):
        search(Query(q="猫"), ())
    with following.writing_here():
        following.name_place()
    steps = reindex()
    next(steps)
    with pytest.raises(IndexUnavailable, match="rebuilding"):
        search(Query(q="猫"), ())
    list(steps)
    follow()
    assert search(Query(q="猫"), ()).total == 1
    assert not index_state().incomplete


def test_a_change_while_an_older_one_is_written_is_not_lost(two: Go, monkeypatch) -> None:
    change(1, "虎")
    list(index_pending())
    two("second")
    update = get_index().update

    def meanwhile(documents):
        written = update(documents)
        monkeypatch.undo()
        two("first")
        change(1, "龍")
        list(index_pending())
        two("second")
        return written

    monkeypatch.setattr(get_index(), "update", meanwhile)
    follow()
    assert (found("虎"), found("龍")) == ([], [1])


def test_changes_during_the_build_of_the_second_machine_get_into_its_index(two: Go, monkeypatch) -> None:
    monkeypatch.setattr("aggregator.indexing.build.BATCH", 1)
    two("second")
    steps = reindex()
    next(steps)  # the first book has been read
    two("first")
    change(1, "虎")
    list(index_pending())
    two("second")
    follow()  # into the old index
    assert found("虎") == [1]
    list(steps)
    assert found("虎") == []
    two("first")
    list(index_pending())
    two("second")
    follow()
    assert found("虎") == [1]


def test_a_build_on_one_machine_does_not_forget_what_another_build_needs(two: Go, monkeypatch) -> None:
    monkeypatch.setattr("aggregator.indexing.build.BATCH", 1)
    steps = reindex()
    next(steps)
    change(1, "虎")
    list(index_pending())
    two("second")
    list(reindex())
    two("first")
    list(steps)
    list(index_pending())
    assert found("虎") == [1]


def test_another_machine_may_merge_books_from_then_on(two: Go) -> None:
    two("second")
    change(1, "虎")
    list(index_pending())
    assert found("虎") == [1]
    two("first")
    assert found("虎") == []
    list(index_pending())
    assert found("虎") == [1]
    assert not IndexChange.objects.exists()


def test_the_machine_that_merges_books_may_follow_too(two: Go) -> None:
    assert follow() == 0
    assert not IndexLedger.objects.filter(place="").exists()
    change(1, "虎")
    list(index_pending())
    assert found("虎") == [1]
    two("second")
    assert follow() == 1


def test_an_index_that_was_lost_is_built_anew(two: Go, settings) -> None:
    two("second")
    shutil.rmtree(settings.SEARCH_DIR)
    get_index.__globals__["_open"].cache_clear()
    assert follow() == 3
    assert found() == [1, 2, 3]


def test_a_machine_that_stays_away_is_forgotten_and_starts_again_when_it_returns(two: Go) -> None:
    forget_absent(timezone.now() + FORGOTTEN - timedelta(hours=1))
    assert IndexLedger.objects.count() == 2
    forget_absent(timezone.now() + FORGOTTEN + timedelta(hours=1))
    assert IndexLedger.objects.get().place == ""
    change(1, "虎")
    list(index_pending())
    assert not IndexChange.objects.exists()
    two("second")
    assert follow() == 3
    assert found("虎") == [1]


def test_only_one_process_of_a_machine_writes_at_a_time(two: Go) -> None:
    change(1, "虎")
    list(index_pending())
    two("second")
    with following.writing_here():
        assert follow() == 0
        change(2, "龍")
        assert list(index_pending()) == []
    assert follow() == 1


def test_where_all_machines_share_an_index_there_is_nothing_to_follow(settings) -> None:
    settings.SEARCH_URL = "https://search.example.org:9200"
    with pytest.raises(CommandError, match="SEARCH_URL"):
        call_command("reindex", "--follow")


def test_the_command_goes_on_until_it_is_ended(two: Go, monkeypatch) -> None:
    two("second")
    stopping = threading.Event()

    def round_of(changes: Iterator[str]) -> None:
        if (title := next(changes, "")) == "away":
            raise IndexUnavailable("locked")
        if title:
            two("first")
            change(1, title)
            list(index_pending())
            two("second")
            follow()
            return
        stopping.set()

    rounds = iter(["虎", "away", "龍"])
    monkeypatch.setattr(reindex_command, "follow", lambda: round_of(rounds))
    monkeypatch.setattr(reindex_command, "PAUSE", 0)
    monkeypatch.setattr(reindex_command, "stop_on_sigterm", lambda: nullcontext(stopping))
    monkeypatch.setattr(reindex_command, "close_old_connections", lambda: None)
    call_command("reindex", "--follow")
    assert (found("虎"), found("龍")) == ([], [1])
