"""What the libraries that a reader has chosen hold, as the script of a page asks for it."""

import pytest

from aggregator.models import AvailabilityAdapter
from aggregator.views.site_context import OWN_LIMIT


@pytest.fixture
def libraries(shelf):
    return [
        shelf.library(name, code) for name, code in (("中央図書館", "2101"), ("港図書館", "2102"), ("堺図書館", "2103"))
    ]


def ask(client, books, libraries):
    return client.get("/own-libraries", {"book": books, "library": [f"L{library.pk}" for library in libraries]})


def test_the_own_libraries_that_hold_a_book_come_in_the_order_of_the_reader(client, shelf, library, libraries):
    first, second, third = libraries
    book = shelf.book(shelf.record(library), libraries=[first, second])
    shelf.book(shelf.record(library), libraries=[third])
    found = ask(client, [f"M{book.pk}", "M99"], [second, third, first]).json()
    rest = {"link": f"https://opac.example/{book.pk}", "availability": ""}
    assert found == {f"M{book.pk}": [{"name": "港図書館", **rest}, {"name": "中央図書館", **rest}]}


def test_where_a_library_can_be_asked_the_script_is_told_how(client, shelf, library, libraries):
    first, second, _third = libraries
    AvailabilityAdapter.objects.create(library=first, kind="daia", address="https://opac.example/daia?id={isbn}")
    name = f"M{shelf.book(shelf.record(library), libraries=[first, second]).pk}"
    asked = [held["availability"] for held in ask(client, [name], [first, second]).json()[name]]
    assert asked == [f"/books/{name}/availability.json?library=L{first.pk}", ""]


def test_a_merged_library_is_the_one_it_proved_to_be(client, shelf, library, libraries):
    first, second, _third = libraries
    book = shelf.book(shelf.record(library), libraries=[second])
    first.merged_into = second
    first.save()
    assert [held["name"] for held in ask(client, [f"M{book.pk}"], [first]).json()[f"M{book.pk}"]] == ["港図書館"]


def test_the_queries_do_not_grow_with_books_and_libraries(client, shelf, library, libraries, django_assert_num_queries):
    books = [f"M{shelf.book(shelf.record(library), libraries=libraries).pk}" for _number in range(5)]
    with django_assert_num_queries(3):
        assert len(ask(client, books, libraries).json()) == 5


@pytest.mark.parametrize(
    "asked",
    [
        {"library": "2127"},
        {"book": "M1 OR 1"},
        {"book": [f"M{number}" for number in range(1, 102)]},
        {"library": [f"L{number}" for number in range(1, OWN_LIMIT + 2)]},
    ],
)
def test_what_no_page_asks_is_refused(client, shelf, asked):
    assert client.get("/own-libraries", asked).status_code == 400


def test_many_chosen_libraries_are_one_condition(client, shelf, library, libraries):
    fourth = shelf.library("奈良図書館", "2104")
    shelf.book(shelf.record(library), libraries=libraries)
    client.get("/search?q=x")  # sets the cookie of people who have seen a results page: see facet_guard
    page = client.get("/search", {"library": [f"L{one.pk}" for one in (*libraries, fourth)]}).text
    assert "中央図書館ほか3館" in page
    assert page.count('class="chip"') == 1
    assert 'class="chip" href="/search"' in page
