"""The pages of libraries: map, stars, and libraries by distance, which the browser computes."""

import json

import pytest
from msgspec import structs
from playwright.sync_api import expect

from metadata.record import Item
from tests.aggregator.views.shelf import KOKORO
from tests.browser.conftest import AXE, VIEWS

pytestmark = pytest.mark.browser
NAMES = {
    "2101": "北海道立図書館",
    "2127": "大阪府立中央図書館",
    "3127": "堺市立中央図書館",
    "2113": "東京都立中央図書館",
}
OSAKA = {"latitude": 34.7012345, "longitude": 135.4954321}


@pytest.fixture
def held(shelf, library):
    """A book that four libraries hold: in Sapporo, Osaka and Tokyo, and one that is only known to be in Osaka."""
    places = {
        "2101": {"prefecture": "01", "latitude": 43.06, "longitude": 141.5},
        "2127": {"prefecture": "27", "municipality": "27227", "latitude": 34.68, "longitude": 135.6},
        "3127": {"prefecture": "27", "municipality": "27140"},
        "2113": {"prefecture": "13", "latitude": 35.65, "longitude": 139.73},
    }
    libraries = [shelf.library(name, code, **places[code]) for code, name in NAMES.items()]
    record = structs.replace(KOKORO, items=tuple(Item(library_code=code) for code in NAMES))
    return shelf.book(shelf.record(library, record), record=record, libraries=libraries)


def sorted_holders(page) -> list[str]:
    return page.locator("li.shelf h3").all_text_contents()


def test_the_map_leads_to_the_libraries_of_a_prefecture_by_keyboard(visit, held):
    page = visit("/libraries/")
    page.get_by_role("group", name="Map of prefectures").get_by_role("link", name="Osaka 2 libraries").press("Enter")
    page.wait_for_url("**/libraries/?region=27")
    expect(page.locator(".library-name")).to_have_count(2)
    assert page.problems == []


def test_the_location_sorts_the_libraries_and_never_leaves_the_browser(visit, held):
    page = visit("/about")
    requested = []
    page.on("request", lambda request: requested.append(request.url + str(request.post_data or "")))
    page.context.grant_permissions(["geolocation"])
    page.context.set_geolocation(OSAKA)
    page.goto("/libraries/")
    page.get_by_role("button", name="Use my location").click()
    nearest = page.locator("[data-near-list] .library-name")
    expect(nearest).to_have_text([NAMES[code] for code in ("2127", "3127", "2113", "2101")])
    expect(page.locator("[data-near-list] .distance").first).to_have_text("9.4 km")
    page.goto(f"/books/M{held.pk}")
    expect(page.locator("li.shelf h3").first).to_have_text(NAMES["2127"])
    assert sorted_holders(page) == [NAMES[code] for code in ("2127", "3127", "2113", "2101")]
    assert requested and not [address for address in requested if "34.7" in address or "135." in address]
    assert json.loads(page.evaluate("localStorage.getItem('place')")) == {"point": [34.7, 135.5]}
    assert page.problems == []


def test_not_even_the_prefecture_of_the_location_is_sent(visit, held):
    page = visit("/about")
    page.evaluate("localStorage.setItem('place', JSON.stringify({point: [34.7, 135.5]}))")
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    # The link that the page has if very many libraries hold the book.
    further = '<p class="further"><a data-total="99" href="/books/M1/holdings?page=2">more</a></p>'
    page.route(f"**/books/M{held.pk}", lambda route: _with_further(route, further))
    page.goto(f"/books/M{held.pk}")
    expect(page.locator("li.shelf .distance")).to_have_count(3)
    expect(page.locator("[data-near-status]")).to_contain_text("your location")
    assert not [address for address in requested if "region=" in address]


def _with_further(route, further: str) -> None:
    answer = route.fetch()
    route.fulfill(
        response=answer, body=answer.text().replace('<p class="muted ask">', f'{further}<p class="muted ask">')
    )


def test_a_chosen_place_goes_before_distance_until_it_is_forgotten(visit, held):
    page = visit("/libraries/")
    page.locator("[data-near-place]").select_option("13")
    nearest = page.locator("[data-near-list] .library-name")
    expect(nearest.first).to_have_text(NAMES["2113"])
    page.locator("[data-near-place]").select_option("27")
    page.locator("[data-near-town]").select_option("27140")
    expect(nearest.first).to_have_text(NAMES["3127"])
    page.reload()
    expect(nearest.first).to_have_text(NAMES["3127"])
    page.get_by_role("button", name="Forget the place").click()
    expect(nearest).to_have_count(0)
    assert page.evaluate("localStorage.getItem('place')") is None


def test_a_browser_that_does_not_tell_the_location_is_told_what_to_do(visit, held):
    page = visit("/libraries/")
    page.get_by_role("button", name="Use my location").click()
    expect(page.locator("[data-near-status]")).to_contain_text("Choose a place instead")


def test_the_own_libraries_come_first_among_the_holders_and_then_the_nearest(visit, held):
    page = visit("/libraries/2101")
    page.get_by_role("button", name="Add to my libraries").click()
    page.evaluate("localStorage.setItem('place', JSON.stringify({code: '27', name: '大阪府'}))")
    page.goto(f"/books/M{held.pk}")
    expect(page.locator("li.shelf .distance")).to_have_count(3)
    assert sorted_holders(page) == [NAMES[code] for code in ("2101", "2127", "3127", "2113")]
    page.locator("li.shelf").first.get_by_role("button").click()
    expect(page.locator("li.shelf h3").last).to_have_text(NAMES["2101"])
    page.locator(f"li.shelf:has-text('{NAMES['2113']}')").get_by_role("button").press("Enter")
    expect(page.locator("li.shelf h3").first).to_have_text(NAMES["2113"])
    assert page.problems == []


@pytest.mark.parametrize("place", ["7", "{", '{"code": "99", "name": "x"}', '{"point": [1]}', '{"code": "27"}'])
def test_a_damaged_place_breaks_no_page(visit, held, place):
    page = visit("/about")
    page.evaluate("place => localStorage.setItem('place', place)", place)
    page.goto("/libraries/")
    expect(page.get_by_role("button", name="Forget the place")).to_be_hidden()
    assert page.problems == []


def test_the_slip_is_one_sheet_of_paper(visit, held):
    page = visit(f"/books/M{held.pk}")
    page.get_by_role("link", name="Print a slip for the library").click()
    page.wait_for_url("**/slip")
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 1
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print")).to_be_hidden()


@VIEWS
def test_the_pages_have_no_accessibility_violation(visit, held, locale, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for path in (
        "/libraries/",
        "/libraries/?region=27",
        "/libraries/2127",
        f"/books/M{held.pk}",
        f"/books/M{held.pk}/slip",
    ):
        page = visit(path, locale=locale, width=width, scheme=scheme)
        if path == "/libraries/":
            page.locator("[data-near-place]").select_option("27")
            page.locator("[data-near-list] li").first.wait_for()
        found = axe.run(page, options=AXE).response["violations"]
        assert not found, (path, [(violation["id"], violation["nodes"][0]["html"]) for violation in found])
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path
