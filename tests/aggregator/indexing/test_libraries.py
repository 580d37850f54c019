"""The index has the libraries that hold a book, and follows what changes about them."""

import pytest

from aggregator.erasing.libraries import erase
from aggregator.indexing.build import index_pending, reindex
from aggregator.indexing.holders import HolderReader
from aggregator.libraries.identify import Code, Reported, Reports
from aggregator.libraries.registry import register
from aggregator.libraries.to_index import mark_books
from aggregator.models import Library, LibraryCode, LibraryName, Manifestation
from aggregator.search import get_index
from aggregator.search.base import HoldingLibrary, Query
from harvesting.models import Repository
from tests.aggregator.search.hits import ids
from tests.aggregator.views.shelf import Shelf, repository

pytestmark = pytest.mark.django_db
NAME = "大阪府立中央図書館"


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def owner() -> Repository:
    return repository()


def found(**conditions: object) -> list[int]:
    return sorted(ids(get_index().search(Query(**conditions))))


def reread(*libraries: Library) -> list[int]:
    """Mark the books of these libraries and index what waits."""
    mark_books(library.pk for library in libraries)
    list(index_pending())
    return found(regions=("27",))


def test_a_book_is_found_by_its_libraries_once_it_is_indexed(shelf, owner) -> None:
    library = shelf.library(NAME, "2127", short_name="府立中央", prefecture="27", municipality="27227")
    book = shelf.book(shelf.record(owner), libraries=[library])
    shelf.book(shelf.record(owner))
    list(reindex())
    for conditions in ({"q": NAME}, {"q": "2127"}, {"q": "府立中央"}, {"regions": ("27227",)}, {"regions": ("27",)}):
        assert found(**conditions) == [book.pk]
    assert found(libraries=(f"L{library.pk}",)) == [book.pk]


def test_codes_that_are_ours_and_regions_that_are_none_are_not_indexed(shelf, owner) -> None:
    library = shelf.library("見本図書館", "2127", prefecture="99", municipality="99100")
    LibraryCode.objects.create(scheme="name", value="R900000001:見本図書館", library=library)
    book = shelf.book(shelf.record(owner), libraries=[library])
    held = HolderReader().holders([book.pk])[book.pk]
    assert held.libraries == (HoldingLibrary(f"L{library.pk}", "", ("見本図書館", "2127")),)


def test_a_library_that_moves_or_is_renamed_takes_its_books_along(shelf, owner) -> None:
    library, other = shelf.library(NAME, "2127"), shelf.library("港区立図書館", "2101", prefecture="13")
    book = shelf.book(shelf.record(owner), libraries=[library])
    shelf.book(shelf.record(owner), libraries=[other])
    Library.objects.filter(pk=library.pk).update(prefecture="27", name="府立図書館")
    assert reread(library, other) == [book.pk]
    assert found(q="府立図書館") == [book.pk]
    assert found(q=NAME) == []


def test_a_book_marked_while_it_is_being_indexed_stays_marked(shelf, owner, monkeypatch) -> None:
    library = shelf.library(NAME, "2127")
    book = shelf.book(shelf.record(owner), libraries=[library])
    mark_books([library.pk])
    read = HolderReader.holders

    def then_moved(self, numbers):
        held = read(self, numbers)
        monkeypatch.setattr(HolderReader, "holders", read)
        Library.objects.update(prefecture="27")
        mark_books([library.pk])
        return held

    monkeypatch.setattr(HolderReader, "holders", then_moved)
    list(index_pending())
    assert found(regions=("27",)) == [book.pk]


def test_books_are_marked_in_batches_and_only_those_of_the_library(shelf, owner, monkeypatch) -> None:
    monkeypatch.setattr("aggregator.libraries.to_index.PACE.size", lambda: 2)
    library = shelf.library(NAME, "2127")
    for _number in range(5):
        shelf.book(shelf.record(owner), libraries=[library])
    shelf.book(shelf.record(owner))
    assert mark_books([library.pk]) == Manifestation.objects.to_index().count() == 5


def test_holders_are_read_with_as_many_queries_for_many_books_as_for_one(
    shelf, owner, django_assert_num_queries
) -> None:
    libraries = [shelf.library(f"図書館{number}", str(number)) for number in range(9)]
    books = [shelf.book(shelf.record(owner), libraries=libraries).pk for _number in range(3)]
    reader = HolderReader()
    with django_assert_num_queries(4):  # members, holdings, libraries, their codes
        reader.holders(books)
    with django_assert_num_queries(2):
        reader.holders(books)


def test_a_name_that_a_record_gives_a_library_finds_its_books(shelf, owner, django_capture_on_commit_callbacks) -> None:
    book = shelf.book(shelf.record(owner), libraries=[shelf.library("2127", "2127")])
    reports = Reports()
    reports.add(Reported(Code("NDLLibCode", "2127"), NAME), owner.pk)
    with django_capture_on_commit_callbacks(execute=True):
        register(reports)
    list(index_pending())
    assert found(q=NAME) == [book.pk]


def test_a_name_that_is_erased_finds_no_books(shelf, owner) -> None:
    library = shelf.library(NAME, "2127")
    book = shelf.book(shelf.record(owner), libraries=[library])
    LibraryName.objects.create(library=library, repository=owner, name=NAME)
    erase(owner)
    list(index_pending())
    assert (found(q=NAME), found(q="2127")) == ([], [book.pk])
