"""What can be borrowed now: added by a script to the page of a book, and on a page of its own without scripts."""

import json
import threading

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from aggregator.availability import inquiries
from aggregator.models import AvailabilityAdapter
from metadata.record import Item
from tests.aggregator.availability.conftest import _no_answers, catalogue, daia  # noqa: F401  (shared fixtures)
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import AXE, VIEWS
from tests.harvesting.fakeserver import Answer, Request

pytestmark = pytest.mark.browser
NAMES = ("大阪府立中央図書館", "港区立みなと図書館", "見本大学附属図書館", "見本市立図書館")


@pytest.fixture
def held(shelf, library, catalogue, monkeypatch):  # noqa: F811
    """A book that four libraries hold: one lends it, one has lent it, one fails, one cannot be asked."""
    # The threads of the pool cannot use the in-memory database of a test, so they note nothing there.
    monkeypatch.setattr(inquiries, "is_paused", lambda library: False)
    monkeypatch.setattr(inquiries, "note_success", lambda library: None)
    monkeypatch.setattr(inquiries, "note_failure", lambda library, code, facts: None)
    libraries = [shelf.library(name, f"21{number}") for number, name in enumerate(NAMES, 27)]
    items = tuple(
        Item(holding_agent=name, library_code=f"21{number}", call_number="913.6")
        for number, name in enumerate(NAMES, 27)
    )
    record = replace(KOKORO, items=items)
    for one in libraries[:3]:
        address = f"{catalogue.url}/L{one.pk}?id={{isbn}}"
        AvailabilityAdapter.objects.create(library=one, kind="daia", address=address)
    first, second, third, _last = (f"/L{one.pk}" for one in libraries)
    answers = {
        first: daia(),
        second: daia(expected="2030-01-05", queue=2, href="https://opac.example.jp/reserve"),
        third: Answer(status=500),
    }
    catalogue.answer = lambda request: answers[request.path]
    return shelf.book(shelf.record(library, record), record=record, libraries=libraries)


def lines(page):
    return page.locator("[data-availability]")


def test_the_page_of_a_book_says_what_can_be_borrowed_now(visit, held, catalogue):  # noqa: F811
    page = visit(f"/books/M{held.pk}")
    expect(lines(page).nth(0)).to_contain_text("○ Available as of")
    expect(lines(page).nth(1)).to_contain_text("Reserved due Jan. 5, 2030 2 readers waiting as of")
    expect(lines(page).nth(1).get_by_role("link")).to_have_attribute("href", "https://opac.example.jp/reserve")
    expect(lines(page).nth(2)).to_contain_text("Not known The library’s system does not answer now.")
    expect(page.locator("[data-availability-status]")).to_have_text("Shows what can be borrowed now.")
    assert lines(page).count() == 3
    assert len(catalogue.requests) == 3
    assert page.problems == []


def test_results_say_what_can_be_borrowed_at_the_own_libraries(visit, held, catalogue):  # noqa: F811
    page = visit("/search?q=こころ")
    own = [{"number": f"L{holding.library_id}", "name": "x"} for holding in held.holdings.order_by("library")[:2]]
    page.evaluate("own => localStorage.setItem('libraries', JSON.stringify(own))", own)
    page.reload()
    expect(page.locator(".own-held .now")).to_have_text("Available")  # the other library has lent it
    expect(page.locator(".own-held a + .now, .own-held span + .now")).to_have_count(1)
    assert len(catalogue.requests) == 2  # only the own ones were asked
    assert page.problems == []


@pytest.mark.parametrize("locale", ["ja", "en"])
@pytest.mark.parametrize("width", [1280, 360])
def test_slow_answers_come_without_a_jump_of_the_layout(visit, held, catalogue, locale, width):  # noqa: F811
    ready, answer = threading.Event(), catalogue.answer

    def slowly(request: Request) -> Answer:
        ready.wait(30)
        return answer(request)

    catalogue.answer = slowly
    page = visit(f"/books/M{held.pk}", locale=locale, width=width)
    expect(lines(page).nth(0)).to_contain_text("…")
    before = heights(page)
    ready.set()
    expect(lines(page).nth(0)).to_contain_text("○")
    expect(lines(page).nth(2)).to_contain_text("?")
    assert heights(page) == before


def heights(page):
    return [shelf.bounding_box()["height"] for shelf in page.locator(".shelf").all()]


def test_the_readers_own_libraries_are_asked_first(visit, held):
    page = visit("/about")
    numbers = [f"L{pk}" for pk in held.holdings.order_by("pk").values_list("library", flat=True)]
    kept = json.dumps([{"number": numbers[1], "name": NAMES[1]}])
    page.evaluate("kept => localStorage.setItem('libraries', kept)", kept)
    with page.expect_request("**/availability.json*") as asked:
        page.goto(f"/books/M{held.pk}")
    assert asked.value.url.partition("?")[2].split("&")[0] == f"library={numbers[1]}"


def test_a_library_that_does_not_answer_in_time_keeps_the_page_usable(visit, held):
    page = visit("/about")
    page.add_init_script("const wait = setTimeout; window.setTimeout = (act, _time, ...rest) => wait(act, 1, ...rest);")
    page.route("**/availability.json*", lambda route: route.fulfill(status=503))
    page.goto(f"/books/M{held.pk}")
    expect(lines(page).nth(0)).to_have_text("The library has not answered yet.")
    expect(page.locator(".shelf .go").first).to_be_visible()


def test_without_scripts_a_link_leads_to_the_same_words(browser, live_server, held):
    context = browser.new_context(base_url=live_server.url, locale="en", java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/books/M{held.pk}")
    page.get_by_role("link", name=f"See whether it can be borrowed now – {NAMES[0]}").press("Enter")
    again = page.get_by_role("link", name="Check availability again")
    for _time in range(50):
        if not again.is_visible():
            break
        again.click()
        page.wait_for_timeout(50)
    expect(page.locator(".availability")).to_contain_text("Available")
    context.close()


@VIEWS
def test_the_pages_have_no_accessibility_violation(visit, enter, held, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    view = {"locale": locale, "width": width, "scheme": scheme}
    library = held.holdings.order_by("pk").first().library_id
    pages = [
        visit(f"/books/M{held.pk}", **view),
        visit(f"/books/M{held.pk}/availability", **view),
        enter(f"/manage/libraries/{library}/availability", **view),
        enter("/manage/libraries/availability", **view),
    ]
    expect(lines(pages[0]).nth(0).locator(".now")).to_be_visible()
    pages[1].reload()
    for page in pages:
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, [(violation["id"], violation["nodes"][0]["html"]) for violation in found]
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
