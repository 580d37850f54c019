"""Narrowing and widening search results with facets, by mouse, by keyboard and on a phone."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from aggregator.search.base import IndexUnavailable
from metadata.record import Subject
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
PHONE = 960  # pixels; below this width the facets open as a sheet


@pytest.fixture
def books(shelf, library, archive):
    """Books that differ in every facet."""
    for number in range(22):
        record = replace(
            KOKORO,
            issued=str(1935 + number * 4),
            languages=(("jpn", "eng", "chi")[number % 3],),
            subjects=(Subject(value=f"91{number % 7}", scheme="NDC10"), Subject(value=f"件名{number}", scheme="NDLSH")),
        )
        shelf.book(shelf.record((library, archive)[number % 2], record), record=record)


def parameters(url: str) -> set[tuple[str, str]]:
    """Return the query parameters of an address."""
    return set(parse_qsl(urlsplit(url).query))


def press_until(page, found: str, key: str = "Tab", most: int = 150) -> None:
    """Press the key until the JavaScript condition `found` holds for the focused `element`."""
    for _press in range(most):
        page.keyboard.press(key)
        if page.evaluate(f"(element => {found})(document.activeElement)"):
            return
    raise AssertionError(f"not reached by keyboard: {found}")


def test_values_of_a_facet_are_alternatives_and_each_goes_again(visit, books):
    page = visit("/search?q=こころ")
    page.get_by_role("checkbox", name="Sample City Library 11", exact=True).check()
    page.get_by_role("checkbox", name="Sample University Repository 11", exact=True).check()
    page.get_by_role("button", name="Narrow down the results").click()
    both = {("q", "こころ"), ("repository", "R900000001"), ("repository", "R900000002")}
    page.wait_for_url(lambda url: parameters(url) == both)
    expect(page.locator("#count")).to_have_text("22 results")
    page.locator(".chip", has_text="Sample City Library").click()
    expect(page.locator("#count")).to_have_text("11 results")
    assert page.problems == []


def test_a_facet_without_end_is_filled_when_it_is_opened(visit, books):
    page = visit("/search?q=こころ")
    page.get_by_role("heading", name="Subject", exact=True).click()
    found = page.get_by_role("checkbox", name="件名11 1", exact=True)
    found.wait_for()
    check(pytest.importorskip("axe_playwright_python.sync_playwright").Axe(), page, "opened facet")
    found.check()
    page.get_by_role("button", name="Narrow down the results").click()
    page.wait_for_url(lambda url: ("subject_is", "件名11") in parameters(url))
    expect(page.locator("#count")).to_have_text("1 result")
    assert page.problems == []


def test_a_value_is_taken_away_and_marked_as_such(visit, books):
    page = visit("/search?q=こころ")
    page.locator(".value", has_text="Japanese").hover()
    page.get_by_role("link", name="excluding Japanese", exact=True).click()
    page.wait_for_url(lambda url: ("-language", "jpn") in parameters(url))
    expect(page.locator(".chip.not")).to_have_text(re.compile("^without Language"))


def test_a_bar_of_the_histogram_leads_to_its_decade_and_then_to_its_years(visit, books):
    page = visit("/search?q=こころ")
    page.locator(".histogram a[aria-label^='1990s']").click()
    page.wait_for_url(lambda url: {("from", "1990"), ("until", "1999")} <= parameters(url))
    page.locator(".histogram a[aria-label^='1995']").click()
    page.wait_for_url(lambda url: {("from", "1995"), ("until", "1995")} <= parameters(url))


def test_years_are_typed_as_well(visit, books):
    page = visit("/search?q=こころ&type=Book")
    page.locator("#y-from").fill("2000")
    page.locator(".years button").click()
    page.wait_for_url(lambda url: parameters(url) == {("q", "こころ"), ("type", "Book"), ("from", "2000")})


def test_the_range_of_years_is_moved_by_keyboard_and_sent(visit, books):
    page = visit("/search?q=こころ")
    bars = page.locator(".histogram a")
    page.locator("[data-end=from]").press("ArrowRight")
    page.locator("[data-end=until]").press("ArrowLeft")
    first, last = bars.nth(1).get_attribute("data-first"), bars.nth(-2).get_attribute("data-last")
    expect(page.locator("#y-from")).to_have_value(first)
    expect(page.locator("#y-until")).to_have_value(last)
    expect(page.locator(".histogram a.outside")).to_have_count(2)
    expect(page.locator("[data-end=from]")).to_have_attribute("aria-valuetext", first)
    for _press in range(20):  # the ends do not pass each other
        page.locator("[data-end=from]").press("ArrowRight")
    assert int(page.locator("#y-from").input_value()) <= int(last)
    page.locator("#y-from").fill("1990")
    page.locator(".years button").click()
    page.wait_for_url(lambda url: parameters(url) == {("q", "こころ"), ("from", "1990"), ("until", last)})
    assert page.problems == []


@pytest.mark.parametrize("decades", [3, 9])
def test_the_range_of_years_is_as_wide_as_its_bars(visit, shelf, library, decades):
    for number in range(decades):
        record = replace(KOKORO, issued=str(1930 + 10 * number))
        shelf.book(shelf.record(library, record), record=record)
    page = visit("/search?q=こころ")
    bars = page.locator(".histogram rect.area")
    first, last = bars.first.bounding_box(), bars.last.bounding_box()
    track = page.locator("[data-end=until]").bounding_box()
    half_of_thumb = 12
    assert track["x"] + half_of_thumb == pytest.approx(first["x"], abs=1)
    assert track["x"] + track["width"] - half_of_thumb == pytest.approx(last["x"] + last["width"], abs=1)
    page.locator("[data-end=until]").press("ArrowLeft")
    expect(page.locator(".histogram a.outside")).to_have_count(1)


def test_of_nested_classes_only_one_stays_ticked(visit, books):
    page = visit("/search?q=こころ&ndc=9")
    page.locator("input[type=checkbox][name=ndc][value='91']").check()
    expect(page.locator("input[type=checkbox][name=ndc][value='9']")).not_to_be_checked()
    page.locator("input[type=checkbox][name=ndc][value='9']").check()
    expect(page.locator("input[type=checkbox][name=ndc][value='91']")).not_to_be_checked()


def test_from_the_search_box_over_a_facet_to_the_record_by_keyboard_alone(visit, books):
    page = visit("/")
    press_until(page, "element.id === 'q'")
    page.keyboard.type("こころ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?**")
    press_until(page, "element.labels?.[0]?.textContent.includes('Chinese')")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**language=chi**")
    press_until(page, "element.matches('.skip[href=\"#hits\"]')")
    page.keyboard.press("Enter")
    press_until(page, "element.matches('.hit h3 a')", most=5)
    page.keyboard.press("Enter")
    page.wait_for_url("**/books/**")
    expect(page.locator("h1")).to_have_text("こころ")


def test_what_has_the_focus_is_never_under_the_bar_of_conditions(visit, books):
    page = visit("/search?q=こころ&repository=R900000001")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    covered = """element => {
        const box = element.getBoundingClientRect();
        const bar = document.querySelector('.conditions').getBoundingClientRect();
        return !element.closest('.conditions') && box.bottom > 0 && box.top < bar.bottom - 1 && bar.top <= 0;
    }"""
    for _press in range(60):
        page.keyboard.press("Shift+Tab")
        assert not page.evaluate(f"({covered})(document.activeElement)")


def test_on_a_phone_the_facets_are_a_sheet_that_opens_and_closes(visit, books):
    page = visit("/search?q=こころ", width=360)
    facets = page.locator("#facets")
    expect(facets).not_to_be_visible()
    page.get_by_role("button", name="Narrow down").click()
    expect(facets).to_be_visible()
    page.keyboard.press("Escape")
    expect(facets).not_to_be_visible()
    page.get_by_role("button", name="Narrow down").click()
    page.get_by_role("checkbox", name="English 7", exact=True).check()
    page.get_by_role("button", name="Narrow down the results").click()
    page.wait_for_url(lambda url: ("language", "eng") in parameters(url))


def test_a_search_typed_into_the_form_comes_back_to_it(visit, books):
    page = visit("/search/advanced")
    page.get_by_label("Title", exact=True).fill("こころ")
    page.get_by_label("Creator: without").fill("村上")
    page.get_by_label("Book", exact=True).check()
    page.locator("form.advanced button").click()
    page.wait_for_url(lambda url: parameters(url) == {("title", "こころ"), ("-creator", "村上"), ("type", "Book")})
    page.get_by_role("link", name="Change", exact=True).click()
    expect(page.get_by_label("Creator: without")).to_have_value("村上")
    expect(page.get_by_label("Book", exact=True)).to_be_checked()


@VIEWS
def test_every_state_has_no_accessibility_violation_and_fits_the_screen(
    visit, books, monkeypatch, locale, width, scheme
):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit("/", locale=locale, width=width, scheme=scheme)
    for path in (
        "/search",
        "/search?q=こころ&size=50",
        "/search?q=こころ&page=2",
        "/search?q=こころ&ndc=91&language=jpn&language=eng&-repository=R900000002&from=1950",
        "/search?q=こころ&type=Map&from=1950",
        "/search?q=こころ&page=400",
        "/search?q=こころ&isbn=12",
        "/search/advanced",
        "/search/advanced?q=こころ&-type=Map&from=soon",
    ):
        page.goto(path)
        check(axe, page, path)
    page.goto("/search?q=こころ")
    page.locator(".bar .menu summary").first.click()
    check(axe, page, "menu", ".menu[open]")  # the menu covers the rest of the page, other menus too
    if width < PHONE:
        page.locator(".open-facets").click()
        check(axe, page, "sheet", "#facets")
    monkeypatch.setattr("aggregator.indexing.searching.get_index", _broken)
    page.goto("/search?q=こころ")
    check(axe, page, "out of order")


def check(axe, page, path: str, part: str = "html") -> None:
    found = axe.run(page, context=part, options=AXE).response["violations"]
    assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path


def _broken():
    raise IndexUnavailable("damaged")
