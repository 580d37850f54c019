"""Libraries that a reader chooses as their own: kept in the browser, first in lists, a switch at the search box."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
CENTRAL = "大阪府立中央図書館"


@pytest.fixture
def held(shelf, library):
    central = shelf.library(CENTRAL, "2127", prefecture="27", municipality="27227")
    other = shelf.library("港区立みなと図書館", "2103", prefecture="13")
    shelf.book(shelf.record(library), libraries=[other])
    return shelf.book(shelf.record(library), libraries=[central, other])


def choose(page) -> None:
    """Choose the central library in the facet of a results page, by keyboard."""
    opener = page.locator(".open-facets")
    if opener.is_visible():
        opener.click()
    page.locator("details[data-values*='/library'] > summary").press("Enter")
    page.locator(f"[data-library][data-name='{CENTRAL}']").press("Enter")


def test_a_chosen_library_is_shown_first_and_searched_alone(visit, held):
    page = visit("/search?q=こころ")
    assert not page.locator("[data-own]").is_visible()
    choose(page)
    expect(page.locator(".own-held")).to_have_text(f"My libraries: {CENTRAL}")
    expect(page.locator("li.value:has([data-library])").first).to_contain_text(CENTRAL)
    page.get_by_label("Only my libraries").check()
    page.wait_for_url("**library=L*")
    expect(page.locator(".hit")).to_have_count(1)
    page.get_by_label("Only my libraries").uncheck()
    expect(page.locator(".hit")).to_have_count(2)
    assert page.problems == []


def test_the_choice_is_kept_for_the_start_page_and_the_page_of_a_book(visit, held):
    page = visit("/search?q=こころ")
    choose(page)
    page.goto("/")
    page.get_by_label("Only my libraries").check()
    page.locator("#q").fill("こころ")
    page.locator("#q").press("Enter")
    expect(page.locator(".hit")).to_have_count(1)
    page.goto(f"/books/M{held.pk}")
    expect(page.locator("section:has(#holdings) .own-held a")).to_have_text(CENTRAL)
    page.get_by_text("My libraries", exact=True).click()
    page.get_by_role("button", name=f"Remove: {CENTRAL}").click()
    expect(page.locator(".own-held")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('libraries')") == "[]"


def test_damaged_choices_break_no_page(visit, held):
    page = visit("/about")
    page.evaluate("localStorage.setItem('libraries', JSON.stringify([null, {number: 'x'}, {number: 'L1'}, 7]))")
    page.goto("/search?q=こころ")
    expect(page.locator(".hit")).to_have_count(2)
    assert not page.locator("[data-own]").is_visible()
    assert page.problems == []


@VIEWS
def test_the_choices_have_no_accessibility_violation(visit, held, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("/search?q=こころ", locale=locale, width=width, scheme=scheme)
    choose(page)
    page.locator(".own-held").wait_for(state="attached")
    found = axe.run(page, options=AXE).response["violations"]
    assert not found, [(violation["id"], violation["nodes"][0]["html"]) for violation in found]
    page.goto("/search?q=こころ")
    page.locator("[data-own] summary").click()
    found = axe.run(page, options=AXE).response["violations"]
    assert not found, [(violation["id"], violation["nodes"][0]["html"]) for violation in found]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
