"""The page about checked links."""

import pytest
from playwright.sync_api import expect

from harvesting.models import Repository
from tests.aggregator.links.rows import checked_links
from tests.aggregator.views.records_with_issues import provider
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser


@pytest.fixture
def checked(transactional_db) -> Repository:
    repository = provider().repository
    checked_links(repository)
    return repository


def test_dead_links_are_found_from_the_overview_with_the_keyboard(enter, checked):
    page = enter("/manage/")
    task = page.get_by_role("link", name="1 link is dead")
    task.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="https://opac.example.jp/r/dead")).to_be_visible()
    page.get_by_role("link", name="doubtful").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="https://opac.example.jp/r/doubtful")).to_be_visible()
    assert page.problems == []


@VIEWS
def test_the_page_has_no_accessibility_violation_and_fits_the_screen(enter, checked, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = enter("/manage/links/", locale=locale, width=width, scheme=scheme)
    for path in ("/manage/links/", f"/manage/links/?repository={checked.number}&state=dead"):
        page.goto(path)
        found = axe.run(page, options=AXE).response["violations"]
        assert [(violation["id"], violation["nodes"][0]["html"]) for violation in found] == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert page.problems == []
