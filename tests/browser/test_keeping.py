"""What the browser keeps for a reader: the order and notes of the list, the latest searches."""

import re

import pytest
from msgspec import structs
from playwright.sync_api import expect

from metadata.record import Title
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
PAGES = ("/search?q=こころ", "/alerts/new?q=こころ", "/search/history", "/privacy", "/list")


@pytest.fixture
def books(shelf, library) -> list[str]:
    """The ids of two books."""
    made = [
        shelf.book(shelf.record(library), record=structs.replace(KOKORO, titles=(Title(value=title),)))
        for title in ("こころ", "道草")
    ]
    return [f"M{book.pk}" for book in made]


def keep(page, books: list[str]) -> None:
    page.evaluate("(ids) => localStorage.setItem('list', JSON.stringify(ids))", books)
    page.goto("/list")
    page.locator(".list-tools").first.wait_for()


def test_the_order_and_notes_of_a_list_stay_and_its_link_shows_it_to_others(visit, books):
    page = visit("/about")
    keep(page, books)
    expect(page.locator(".hit h3")).to_have_text(["道草", "こころ"])  # the newest first
    page.get_by_role("button", name="Down – 道草").click()
    page.get_by_role("textbox", name="Note – こころ").fill("for the seminar")
    page.reload()
    expect(page.locator(".hit h3")).to_have_text(["こころ", "道草"])
    expect(page.get_by_role("textbox", name="Note – こころ")).to_have_value("for the seminar")
    link = page.get_by_role("link", name="Link to this list").get_attribute("href")
    other = visit(link)
    expect(other.locator(".hit h3")).to_have_text(["こころ", "道草"])
    assert "for the seminar" not in other.content()
    other.get_by_role("button", name="Add all to my list").click()
    other.locator(".list-tools").first.wait_for()
    expect(other.locator(".hit h3")).to_have_text(["こころ", "道草"])
    assert page.problems == other.problems == []


def test_a_note_is_deleted_with_its_record(visit, books):
    page = visit("/about")
    keep(page, books)
    page.get_by_role("textbox", name="Note – 道草").fill("x")
    page.get_by_role("button", name=re.compile("Remove from my list – 道草")).click()
    page.reload()
    page.locator(".list-tools").first.wait_for()
    assert page.evaluate("localStorage.getItem('notes')") == "{}"


def test_searches_are_remembered_in_the_browser_until_they_are_cleared_or_switched_off(visit, books):
    page = visit("/search?q=こころ&sort=title")
    page.goto("/search?q=nothing")
    page.goto("/search/history")
    expect(page.locator(".searches a")).to_have_text(["nothing", "こころ"])
    page.get_by_role("button", name="Remove: nothing").click()
    page.locator(".searches a").click()
    expect(page.locator(".hit h3")).to_have_text(["こころ"])
    page.goto("/search/history")
    page.get_by_role("checkbox", name="Remember my searches").uncheck()
    page.goto("/search?q=こころ")
    page.goto("/search/history")
    expect(page.get_by_text("No searches are remembered.")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage)") == ["searches-off"]
    assert page.problems == []


def test_damaged_data_breaks_no_page(visit, books):
    page = visit("/about")
    page.evaluate('localStorage.setItem(\'searches\', \'[1, null, {"search": "javascript:x", "words": "<b>"}]\')')
    page.evaluate("localStorage.setItem('notes', '[]')")
    page.goto("/search/history")
    assert page.locator(".searches a").get_attribute("href") == "/search"
    keep(page, books)
    assert page.problems == []


@VIEWS
def test_the_pages_have_no_accessibility_violation(visit, books, settings, locale, width, scheme):
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "host": "mail.example.jp"}
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("/search?q=こころ", locale=locale, width=width, scheme=scheme)
    page.evaluate("(ids) => localStorage.setItem('list', JSON.stringify(ids))", books)
    for path in PAGES:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
