"""Regions and libraries on the results page, in feeds and in the JSON search."""

from urllib.parse import unquote

import pytest

from aggregator.models import Manifestation

OSAKA, SAKAI = ("大阪府立中央図書館", "2127"), ("堺市立中央図書館", "2140")


@pytest.fixture
def held(shelf, library):
    """Two books: one in two libraries of 大阪府, the other in 東京都."""
    osaka = shelf.library(*OSAKA, prefecture="27", municipality="27227", name_en="Osaka Prefectural Central Library")
    sakai = shelf.library(*SAKAI, prefecture="27", municipality="27140")
    tokyo = shelf.library("港区立図書館", "2103", prefecture="13")
    shelf.book(shelf.record(library), libraries=[osaka, sakai])
    shelf.book(shelf.record(library), libraries=[tokyo])
    return osaka


@pytest.mark.parametrize("address", ["/search", "/feeds/search.atom", "/api/search", "/opensearch"])
def test_a_library_and_a_region_are_conditions_everywhere(client, held, address):
    first, second = (f"/books/M{pk}" for pk in Manifestation.objects.order_by("pk").values_list("pk", flat=True))
    everything = client.get(address, {"title": "こころ"}).text
    for condition in ({"library": "2127"}, {"region": "27"}, {"-library": "2103"}, {"region": "27227"}):
        page = client.get(address, {"title": "こころ", **condition}).text
        assert first in page and second in everything
        assert second not in page
    assert client.get(address, {"library": "9999"}).status_code == 400
    assert client.get(address, {"region": "99"}).status_code == 400


def test_results_of_one_library_and_the_list_of_libraries_lead_to_their_pages(client, held):
    about = f'href="/libraries/L{held.pk}"'

    def above_results(**query: object) -> str:
        return client.get("/search", query).text.partition('class="held"')[0]

    assert about in above_results(library="2127")
    assert about not in above_results(library=["2127", "2103"])
    assert about not in above_results(q="こころ")
    assert '<a href="/libraries/">' in client.get("/search/values/library", {"q": "こころ"}).text.partition("<main")[2]


def test_regions_and_libraries_are_counted_when_a_reader_opens_them(client, held):
    page = unquote(client.get("/search", {"q": "こころ", "region": "27"}).text)
    assert 'data-values="/search/values/region?q=こころ&amp;region=27"' in page
    assert 'data-values="/search/values/library?q=こころ&amp;region=27"' in page
    assert "大阪府" in page


def test_municipalities_are_offered_within_the_chosen_prefecture(client, held):
    closed = client.get("/search/values/region", {"q": "こころ"}).text
    assert '<input type="checkbox" name="region" value="27">' in closed
    assert "27140" not in closed
    page = client.get("/search/values/region", {"q": "こころ", "region": "13"}).text
    assert page.index("東京都") < page.index("大阪府")
    opened = client.get("/search/values/region", {"q": "こころ", "region": "27"}).text
    assert 'depth-1"><label class="choice"><input type="checkbox" name="region" value="27140">' in opened


def test_libraries_are_offered_by_name_within_the_chosen_region(client, held):
    page = client.get("/search/values/library", {"q": "こころ", "region": "27"}).text
    assert OSAKA[0] in page and SAKAI[0] in page and "港区立図書館" not in page
    english = client.get("/search/values/library", {"q": "こころ"}, headers={"accept-language": "en"}).text
    assert "Osaka Prefectural Central Library" in english


def test_a_chosen_library_is_named_among_the_conditions_and_in_the_advanced_form(client, held):
    assert OSAKA[0] in client.get("/search", {"q": "こころ", "library": "2127"}).text
    assert OSAKA[0] in client.get("/search/advanced", {"q": "こころ", "library": f"L{held.pk}"}).text
