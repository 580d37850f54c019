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


@pytest.fixture
def widely_held(shelf, library):
    """A book of more libraries than its page shows: forty in Sapporo, and the last one in Naha."""
    codes = [str(number) for number in range(2200, 2241)]
    libraries = [
        shelf.library(f"札幌第{code}図書館", code, prefecture="01", latitude=43.0 + place / 1000, longitude=141.3)
        for place, code in enumerate(codes[:-1])
    ]
    libraries.append(shelf.library("那覇図書館", codes[-1], prefecture="47", latitude=26.2, longitude=127.7))
    record = structs.replace(KOKORO, items=tuple(Item(library_code=code) for code in codes))
    return shelf.book(shelf.record(library, record), record=record, libraries=libraries)


@pytest.mark.parametrize("path", ["", "/holdings"])
def test_the_nearest_of_all_holders_come_first_and_no_request_says_where_the_reader_is(visit, widely_held, path):
    page = visit("/about")
    page.evaluate("localStorage.setItem('place', JSON.stringify({point: [26.21, 127.68]}))")
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"/books/M{widely_held.pk}{path}")
    expect(page.locator("li.shelf h3").first).to_have_text("那覇図書館")
    expect(page.locator("li.shelf .distance").first).to_have_text("2.3 km")
    assert not [address for address in requested if "region=" in address or "26.2" in address]
    page.locator("details.nearest > summary").click()
    page.get_by_role("button", name="Forget the place").click()
    expect(page.get_by_text("那覇図書館")).to_have_count(0)
    assert page.problems == []


def test_a_holder_that_was_added_gives_way_to_its_entry_with_the_copies(visit, widely_held):
    page = visit("/about")
    page.evaluate("localStorage.setItem('place', JSON.stringify({code: '47', name: '沖縄県'}))")
    page.goto(f"/books/M{widely_held.pk}")
    expect(page.locator("li.shelf[data-added] h3").first).to_have_text("那覇図書館")
    for shown in (31, 41):
        page.locator("a[data-total]").click()
        expect(page.locator("li.shelf")).to_have_count(shown)
    expect(page.locator("li.shelf[data-added]")).to_have_count(0)
    expect(page.get_by_role("heading", name="那覇図書館")).to_have_count(1)
    expect(page.locator("li.shelf h3").first).to_have_text("那覇図書館")
    assert page.problems == []


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


def test_results_say_how_many_of_the_holders_are_near(visit, held):
    page = visit("/search?q=こころ")
    line = page.locator(".number-held")
    expect(line).to_have_text("4 libraries")
    page.get_by_text("Libraries near you").click()
    page.get_by_role("link", name="Choose a place").click()
    page.locator("[data-near-place]").select_option("27")
    page.goto("/search?q=こころ")
    expect(line.locator(".near-held")).to_have_text("2 of 4 near you")
    page.evaluate("localStorage.setItem('place', JSON.stringify({point: [35.66, 139.74]}))")  # in Tokyo
    page.reload()
    expect(line.locator(".near-held")).to_have_text("1 of 4 near you")
    page.evaluate("localStorage.setItem('place', JSON.stringify({point: [26.21, 127.68]}))")  # in Naha, far from all
    page.reload()
    expect(line.locator(".near-held")).to_have_count(0)
    assert page.problems == []


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
