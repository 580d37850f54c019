"""Of the cores that a batch compares, it reads whole only those that may be the same book."""

from collections.abc import Collection

import pytest

from aggregator.grouping import region
from aggregator.models import Core
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record

pytestmark = pytest.mark.django_db


@pytest.fixture
def read_whole(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Gets the cores that are read whole."""
    cores: set[int] = set()
    query = region.stored_cores

    def noted(wanted: Collection[int]):
        cores.update(wanted)
        return query(wanted)

    monkeypatch.setattr(region, "stored_cores", noted)
    return cores


def put(shelf: Shelf, name: str, title: str, issued: str) -> int:
    """Store and match a record; return its core."""
    stored = shelf.put("a", name, record(name, title=title, issued=issued))
    match_and_merge()
    return Core.objects.get(example=stored).pk


def test_an_unrelated_title_that_begins_alike_is_only_compared(read_whole: set[int]) -> None:
    shelf = Shelf()
    other = put(shelf, "1", "江戸の図書館と暮らしを考える", "1990")
    read_whole.clear()
    assert put(shelf, "2", "江戸の図書と建築の未来", "1990") != other
    assert other not in read_whole


def test_a_likely_candidate_is_read_whole(read_whole: set[int]) -> None:
    shelf = Shelf()
    other = put(shelf, "1", "江戸の図書館と暮らしを考える", "1990")
    read_whole.clear()
    put(shelf, "2", "江戸の図書館と暮らしを考える", "1991")
    assert other in read_whole
