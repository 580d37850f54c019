"""The neighbours of a book in its series."""

import pytest
from msgspec.structs import replace

from aggregator.presentation.series import SHOWN, series_of
from aggregator.search.base import IndexUnavailable
from metadata.record import Title
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db


def of_series(statement: str, **values):
    return replace(KOKORO, series=(Title(value=statement),), **values)


@pytest.fixture
def put(shelf, library):
    def put_one(statement: str, **values):
        record = of_series(statement, **values)
        return shelf.book(shelf.record(library, record), record=record), record

    return put_one


def test_neighbours_are_in_series_order_and_the_book_is_marked(put):
    for number in (10, 9, 2):
        put(f"見本文庫 ; {number}")
    book, record = put("見本文庫 ; 4")
    found = series_of(book.pk, record)
    assert [neighbour.place for neighbour in found.books] == ["2", "4", "9", "10"]
    assert [neighbour.place for neighbour in found.books if neighbour.own] == ["4"]
    assert found.name == "見本文庫"


def test_each_neighbour_links_to_its_own_book(put):
    (first, _), (book, record), (last, _) = (put(f"見本文庫 ; {number}") for number in (1, 2, 3))
    neighbours = series_of(book.pk, record).books
    assert [neighbour.public_id for neighbour in neighbours] == [str(first), str(book), str(last)]


def test_a_long_series_is_cut_to_the_books_around_this_one(put):
    books = [put(f"見本文庫 ; {number}") for number in range(1, 31)]
    places = [[neighbour.place for neighbour in series_of(book.pk, record).books] for book, record in books]
    assert places[14] == ["12", "13", "14", "15", "16", "17", "18"]
    assert (places[0][0], places[-1][-1], {len(shown) for shown in places}) == ("1", "30", {SHOWN})


def test_a_book_that_only_mentions_the_series_is_not_part_of_it(put, shelf, library):
    book, record = put("見本文庫 ; 4")
    mention = replace(KOKORO, notes=("見本文庫の底本",))
    shelf.book(shelf.record(library, mention), record=mention)
    put("新見本文庫 ; 5")
    assert series_of(book.pk, record) is None


def test_books_that_only_mention_a_common_name_do_not_hide_the_rest_of_the_series(put, shelf, library, monkeypatch):
    monkeypatch.setattr("aggregator.presentation.series.FETCHED", 3)
    put("見本文庫 ; 1", issued="1950")
    book, record = put("見本文庫 ; 2", issued="2000")
    for number in range(4):
        mention = replace(KOKORO, notes=(f"見本文庫の底本 {number}",))
        shelf.book(shelf.record(library, mention), record=mention)
    assert [neighbour.place for neighbour in series_of(book.pk, record).books] == ["1", "2"]


def test_of_a_very_long_series_the_years_around_the_book_are_read(put, monkeypatch):
    monkeypatch.setattr("aggregator.presentation.series.FETCHED", 3)
    for number, year in ((1, "1950"), (2, "1999"), (4, "2001"), (5, "2020")):
        put(f"見本文庫 ; {number}", issued=year)
    book, record = put("見本文庫 ; 3", issued="2000")
    assert [neighbour.place for neighbour in series_of(book.pk, record).books] == ["2", "3", "4"]


def test_of_very_many_books_of_the_same_years_the_most_relevant_are_read(put, monkeypatch):
    monkeypatch.setattr("aggregator.presentation.series.FETCHED", 3)
    books = [put(f"見本文庫 ; {number}", issued="2000") for number in range(1, 6)]
    book, record = books[0]
    shown = series_of(book.pk, record).books
    assert 3 <= len(shown) <= 4  # the book itself may be among the three
    assert {neighbour.place for neighbour in shown if neighbour.own} == {"1"}


def test_an_unavailable_index_gives_no_series(put, monkeypatch):
    put("見本文庫 ; 1")
    book, record = put("見本文庫 ; 2")

    def broken():
        raise IndexUnavailable("damaged")

    monkeypatch.setattr("aggregator.presentation.series.get_index", broken)
    assert series_of(book.pk, record) is None


def test_the_page_lists_the_series_with_a_fixed_number_of_queries(client, put, django_assert_num_queries):
    for number in range(1, 20):
        other, _record = put(f"見本文庫 ; {number}")
    client.get(f"/books/M{other.pk}")  # what the process keeps for all pages is read with the first of them
    book, _record = put("見本文庫 ; 20")
    address = f"/books/{book.members.get().source_record.public_id}"
    with django_assert_num_queries(14):
        page = client.get(address, headers={"accept-language": "en"})
    assert "In this series" in page.text
    assert page.text.count('class="own" aria-current="true"') == 1
