"""Regions and libraries in the advanced search form, with the keyboard and the mouse."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import VIEWS
from tests.browser.test_results import check, parameters


@pytest.fixture
def held(shelf, library):
    """Books in 大阪市, 堺市 and 東京都."""
    places = {
        "大阪市立中央図書館": ("2127", "27", "27100"),
        "堺市立中央図書館": ("2140", "27", "27140"),
        "都立中央図書館": ("2103", "13", ""),
    }
    for name, (code, prefecture, municipality) in places.items():
        place = shelf.library(name, code, prefecture=prefecture, municipality=municipality)
        shelf.book(shelf.record(library), libraries=[place])


def test_a_region_and_a_library_are_chosen_and_come_back(visit, held):
    page = visit("/search/advanced", locale="ja")
    page.get_by_text("近畿", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("大阪府", exact=True).check()
    page.get_by_label("図書館: 除く").fill("堺市立中央図書館")
    page.locator("form.advanced button").click()
    page.wait_for_url(lambda url: {name for name, _value in parameters(url)} == {"region", "-library"})
    page.get_by_role("link", name="変更", exact=True).click()
    expect(page.get_by_label("大阪府", exact=True)).to_be_checked()
    expect(page.get_by_label("図書館「堺市立中央図書館」を除く")).to_be_checked()


@VIEWS
def test_the_form_with_places_is_accessible_and_fits_the_screen(visit, held, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("/search/advanced?region=27140&library=2127", locale=locale, width=width, scheme=scheme)
    check(axe, page, page.url)
    page.goto("/search/advanced?library=9999&-library=9998&region=99")
    check(axe, page, page.url)
