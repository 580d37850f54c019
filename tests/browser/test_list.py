"""Features that need JavaScript: a list of records kept in the browser, and the choice of colours."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser


def test_a_record_is_kept_from_the_results_shown_on_the_list_and_taken_away_as_a_file(visit, book):
    page = visit("/search?q=こころ")
    page.get_by_role("button", name="Add to my list").click()
    expect(page.locator("[data-list-count]")).to_have_text("1")
    page.goto("/list")
    page.locator(".hit").wait_for()
    expect(page.locator(".hit h3")).to_have_text("こころ")
    with page.expect_download() as download:
        page.get_by_label("Save as a file").select_option("ris")
        page.get_by_role("button", name="Save", exact=True).click()
    assert "TI  - こころ" in download.value.path().read_text(encoding="utf-8")
    assert page.problems == []


def test_a_record_is_taken_off_again_on_its_own_page(visit, book):
    page = visit(f"/books/{book.public_id}")
    page.get_by_role("button", name="Add to my list").click()
    page.get_by_role("button", name="Remove from my list").click()
    expect(page.get_by_role("button", name="Add to my list")).to_be_visible()
    page.goto("/list")
    expect(page.get_by_text("Your list is empty")).to_be_visible()


def test_a_record_that_was_saved_under_another_id_can_be_taken_off(visit, book):
    page = visit("/list")
    page.evaluate("(id) => localStorage.setItem('list', JSON.stringify([id]))", book.public_id)
    page.goto("/list")
    page.get_by_role("button", name="Remove from my list").click()
    assert page.evaluate("localStorage.getItem('list')") == "[]"


def test_the_list_is_emptied_after_a_question(visit, book):
    page = visit(f"/books/{book.public_id}")
    page.get_by_role("button", name="Add to my list").click()
    page.goto("/list")
    page.locator(".hit").wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Empty the list").click()
    expect(page.get_by_text("Your list is empty")).to_be_visible()


def test_the_chosen_colours_are_used_on_the_next_page_from_its_first_paint(visit, shelf):
    page = visit("/about")
    page.get_by_role("button", name="Dark").click()
    page.goto("/help")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.get_by_role("button", name="Automatic").click()
    assert page.evaluate("document.documentElement.dataset.theme ?? 'none'") == "none"
    assert page.problems == []


def test_damaged_data_in_local_storage_breaks_no_page(visit, shelf):
    page = visit("/about")
    page.evaluate("localStorage.setItem('list', '{broken'); localStorage.setItem('theme', 'pink')")
    page.goto("/list")
    expect(page.get_by_text("Your list is empty")).to_be_visible()
    assert page.problems == []


@VIEWS
def test_the_list_has_no_accessibility_violation(visit, book, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(f"/books/{book.public_id}", locale=locale, width=width, scheme=scheme)
    page.locator("[data-save]").click()
    page.goto("/list")
    page.locator(".hit").wait_for()
    found = axe.run(page, options=AXE).response["violations"]
    assert not found, [(violation["id"], violation["nodes"][0]["html"]) for violation in found]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
