"""Fixtures for the tests of pages."""

from collections.abc import Iterator

import pytest

from aggregator.search import get_index
from tests.aggregator.provision.list_helpers import set_clock_right
from tests.aggregator.views import shelf as shelves
from tests.stored_once import stored_once


@pytest.fixture(autouse=True)
def right_clock() -> Iterator[None]:
    """Set the clock right after a test that has put it forward."""
    yield
    set_clock_right()


@pytest.fixture
def shelf(db) -> shelves.Shelf:
    """An empty shelf: no records, an empty index."""
    get_index().clear()
    return shelves.Shelf()


@pytest.fixture
def library(db):
    return shelves.repository()


@pytest.fixture
def archive(db):
    return shelves.repository(
        "R900000002",
        name="見本大学機関提供元",
        name_en="Sample University Repository",
        kind="institutional",
        home_page="https://repository.example.jp/",
    )


@pytest.fixture
@stored_once
def book(shelf, library):
    """The record of the only book on the shelf, from one provider."""
    source = shelf.record(library)
    shelf.book(source)
    return source
