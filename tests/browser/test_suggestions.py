"""Suggestions in the search box: by keyboard, by mouse, with an input method, and on a busy site."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.aggregator.views import shelf as shelves
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
OPEN = "[role=listbox]:not([hidden]) [role=option]"


@pytest.fixture
def books(shelf, library):
    shelf.book(shelf.record(library))
    shelves.harvest(library)


def typed(page, text: str):
    """Insert a text at once, as an input method does, and wait for the suggestions. Return the search box."""
    page.locator("#q").focus()
    page.keyboard.insert_text(text)
    page.locator(OPEN).first.wait_for()
    return page.locator("#q")


def suggestions_asked(page) -> list[str]:
    asked: list[str] = []
    page.on("request", lambda request: "/suggest?" in request.url and asked.append(request.url))
    return asked


def test_arrows_choose_and_enter_searches(visit, books):
    page = visit("/")
    box = typed(page, "こ")
    assert (box.get_attribute("role"), box.get_attribute("aria-expanded")) == ("combobox", "true")
    page.keyboard.press("ArrowDown")
    chosen = page.locator(f"#{box.get_attribute('aria-activedescendant')}")
    assert (chosen.get_attribute("aria-selected"), chosen.get_attribute("data-value")) == ("true", "こころ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=*")
    expect(page.locator("#q")).to_have_value("こころ")
    assert page.problems == []


def test_escape_closes_the_list_and_keeps_what_was_typed(visit, books):
    page = visit("/")
    box = typed(page, "なつめ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(page.locator(OPEN)).to_have_count(0)
    expect(box).to_have_value("なつめ")
    expect(box).to_have_attribute("aria-expanded", "false")
    assert box.get_attribute("aria-activedescendant") is None


def test_enter_without_a_choice_searches_what_was_typed(visit, books):
    page = visit("/")
    typed(page, "なつめ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=*")
    expect(page.locator("#q")).to_have_value("なつめ")


def test_a_click_chooses(visit, books):
    page = visit("/")
    typed(page, "な")
    page.locator(OPEN).first.click()
    page.wait_for_url("**/search?q=*")
    expect(page.locator("#q")).to_have_value("夏目漱石")


def test_nothing_is_requested_while_an_input_method_composes(visit, books):
    page = visit("/")
    asked = suggestions_asked(page)
    page.locator("#q").focus()
    session = page.context.new_cdp_session(page)
    for text in ("k", "こ", "ここ", "ここr", "こころ"):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    page.wait_for_timeout(600)
    assert asked == []
    session.send("Input.insertText", {"text": "こころ"})
    page.locator(OPEN).first.wait_for()
    assert len(asked) == 1


def test_fast_typing_sends_one_request(visit, books):
    page = visit("/")
    asked = suggestions_asked(page)
    page.locator("#q").focus()
    # Both characters at once: a busy machine may need longer between two keys than the page waits.
    page.evaluate("for (const character of 'ここ') document.execCommand('insertText', false, character)")
    page.locator(OPEN).first.wait_for()
    assert len(asked) == 1
    assert parse_qs(urlsplit(asked[0]).query)["q"] == ["ここ"]


def test_a_site_that_is_busy_leaves_a_plain_search_box(visit, books):
    page = visit("/")
    page.route("**/suggest?*", lambda route: route.fulfill(status=503, headers={"Retry-After": "60"}))
    with page.expect_response("**/suggest?*"):
        page.locator("#q").press_sequentially("こ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=*")


@VIEWS
def test_the_open_list_has_no_accessibility_violation_and_fits(visit, books, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("/", locale=locale, width=width, scheme=scheme)
    typed(page, "こ")
    page.keyboard.press("ArrowDown")
    found = axe.run(page, options=AXE).response["violations"]
    assert not found, [(violation["id"], violation["nodes"][0]["html"]) for violation in found]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.problems == []
