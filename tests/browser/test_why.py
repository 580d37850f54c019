"""A reader says on the page of reasons whether two records are the same book, and staff answer."""

import re

import pytest
from playwright.sync_api import expect

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import ErrorReport, MatchRuling
from aggregator.presentation import error_report_form
from tests.aggregator.shelves import Shelf, doubtful
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser


@pytest.fixture
def book(transactional_db, monkeypatch) -> str:
    """The id of a record that is not grouped with a similar one. Forms are accepted however quickly they are sent."""
    monkeypatch.setattr(error_report_form, "QUICKEST", -1)
    shelf = Shelf()
    first, other = doubtful("料理入門", "乙山, 花子")
    found = shelf.put("library 1", "1", first)
    shelf.put("library 2", "2", other)
    sum(aggregate_pending())
    return found.public_id


def test_a_reader_without_javascript_is_heard_and_staff_rule(browser, live_server, enter, book):
    context = browser.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/books/{book}/why")
    expect(page.get_by_text("likely to be the same book").first).to_be_visible()
    page.get_by_text("Add a remark").click()
    page.get_by_label("How do you know?").fill("同じ装丁です")
    page.get_by_role("button", name="They are the same book").click()
    expect(page.get_by_text("Thank you. Staff will look")).to_be_visible()
    context.close()
    desk = enter("/manage/")
    desk.get_by_role("link", name="1 pair of records on which readers commented").click()
    expect(desk.get_by_text("同じ装丁です")).to_be_visible()
    with desk.expect_navigation():
        desk.get_by_role("button", name=re.compile("^The same book")).click()
    expect(desk.get_by_text("No readers’ comments are waiting.")).to_be_visible()
    assert MatchRuling.objects.get().verdict == "same"
    assert not ErrorReport.objects.open_words().exists()
    assert desk.problems == []


@VIEWS
def test_every_state_of_the_page_is_accessible_and_fits_the_screen(visit, book, monkeypatch, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(f"/books/{book}/why", locale=locale, width=width, scheme=scheme)
    page.locator(".say summary").first.click()
    _check(page, axe)
    for quickest in (3600, -1):  # refused, then accepted
        monkeypatch.setattr(error_report_form, "QUICKEST", quickest)
        page.locator('.say button[value="not_same"]').first.click()
        page.wait_for_selector("#answer.notice, #answer .notice")
        _check(page, axe)
    assert ErrorReport.objects.get().kind == "not_same"


def _check(page, axe) -> None:
    found = axe.run(page, options=AXE).response["violations"]
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
