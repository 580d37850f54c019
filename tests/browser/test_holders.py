"""A book of very many libraries: the page has the first, the script adds the others."""

import pytest
from playwright.sync_api import expect

from aggregator.models import Holding
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
LIBRARIES = 70


@pytest.fixture
def book(shelf, library):
    """Seventy libraries hold it; only the last ones are in Okinawa."""
    made = [
        shelf.library(f"図書館{number}", str(3000 + number), prefecture="47" if number > 66 else "13")
        for number in range(LIBRARIES)
    ]
    sources = [shelf.record(library) for _copy in range(30)]
    return shelf.book(*sources, libraries=made)


def test_further_libraries_are_added_to_the_page_until_all_are_there(visit, book):
    page = visit(f"/books/M{book.pk}")
    shelves = page.locator("#holdings ~ .shelves > li")
    expect(shelves).to_have_count(8)
    page.get_by_role("link", name="62 more libraries").press("Enter")
    expect(shelves).to_have_count(30)
    expect(shelves.nth(8)).to_be_focused()
    page.get_by_role("link", name="40 more libraries").press("Enter")
    expect(shelves).to_have_count(60)
    page.get_by_role("link", name="10 more libraries").press("Enter")
    expect(shelves).to_have_count(LIBRARIES)
    expect(page.get_by_role("link", name="more libraries")).to_have_count(0)
    assert page.problems == []


def test_the_libraries_of_the_chosen_place_are_added_and_come_first(visit, book):
    page = visit(f"/books/M{book.pk}")
    page.evaluate("localStorage.setItem('place', JSON.stringify({code: '47', name: '沖縄県'}))")
    page.reload()
    shelves = page.locator("#holdings ~ .shelves > li")
    expect(shelves).to_have_count(11)
    expect(shelves.first).to_contain_text("図書館67")
    expect(page.get_by_role("link", name="59 more libraries")).to_be_visible()
    assert page.problems == []


def test_an_own_library_is_added_with_its_copies_and_comes_first(visit, book):
    number = Holding.objects.filter(manifestation=book).latest("library").library_id
    page = visit(f"/books/M{book.pk}")
    page.evaluate(f"localStorage.setItem('libraries', JSON.stringify([{{number: 'L{number}', name: '図書館69'}}]))")
    page.reload()
    shelves = page.locator("#holdings ~ .shelves > li")
    expect(shelves).to_have_count(9)
    expect(shelves.first).to_contain_text("図書館69")
    expect(page.get_by_role("link", name="61 more libraries")).to_be_visible()
    page.get_by_role("link", name="61 more libraries").press("Enter")
    expect(shelves).to_have_count(31)
    assert page.problems == []


@VIEWS
def test_the_list_of_all_libraries_and_that_of_records_are_accessible(visit, book, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for part in ("holdings", "holdings?region=47", "records", ""):
        page = visit(f"/books/M{book.pk}/{part}".rstrip("/"), locale=locale, width=width, scheme=scheme)
        assert [problem["id"] for problem in axe.run(page, options=AXE).response["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
