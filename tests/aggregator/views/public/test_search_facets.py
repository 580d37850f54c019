"""The facets of a results page: boxes in one form, and bars for the years."""

import re
from urllib.parse import unquote

from msgspec.structs import replace

from aggregator.results.facets import AT_ONCE
from metadata.record import Agent, Subject
from tests.aggregator.views.shelf import KOKORO


def test_a_chosen_decade_shows_its_years(client, shelf, library):
    shelf.book(shelf.record(library))
    assert "from=1980&amp;until=1989" in client.get("/search").text
    assert "from=1989&amp;until=1989" in client.get("/search", {"from": "1980", "until": "1989"}).text


def test_years_are_bars_with_links_to_their_hits(client, shelf, library):
    for year in ("1989", "2004"):
        shelf.book(shelf.record(library), record=replace(KOKORO, issued=year))
    page = client.get("/search", headers={"accept-language": "en"}).text
    assert page.count('<rect class="bar"') == 3
    assert 'aria-label="1980s: 1"' in page
    assert 'href="/search?from=2000&amp;until=2009" rel="nofollow" aria-label="2000s: 1"' in page


def test_the_form_of_the_facets_keeps_the_rest_of_the_search(client, shelf, library):
    for year in ("1989", "2004"):
        shelf.book(shelf.record(library), record=replace(KOKORO, issued=year))
    conditions = {"q": "こころ", "type": "Book", "from": "1980", "region": "27", "-language": "eng", "page": "1"}
    page = client.get("/search", conditions | {"region": "", "sort": "title"}, follow=True).text
    form = page[page.index('class="narrowing"') :].split("</form>")[0]
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form)
    assert hidden == [("refine", ""), ("q", "こころ"), ("sort", "title"), ("-language", "eng")]
    assert '<input type="checkbox" name="type" value="Book" checked>' in form
    assert 'name="from" value="1980"' in form


def test_several_ticked_values_become_one_address_that_can_be_shared(client, shelf):
    ticked = "/search?refine=&q=こころ&type=Book&ndc=9&ndc=91&from=&until="
    answer = client.get(ticked)
    assert unquote(answer["Location"]) == "/search?q=こころ&type=Book&ndc=91"
    assert client.get(answer["Location"]).status_code == 200


def test_a_facet_that_is_counted_later_keeps_its_chosen_values(client, shelf, library):
    shelf.book(shelf.record(library), libraries=[shelf.library("見本館", "2127", prefecture="27")])
    page = client.get("/search", {"region": "27"}).text
    [facet] = re.findall(r'<details class="facet"[^>]*data-values="/search/values/region.*?</details>', page, re.DOTALL)
    assert '<input type="hidden" name="region" value="27">' in facet
    facets = re.search(r'<form class="narrowing".*?</form>', page, re.DOTALL)
    assert facets[0].count('name="region" value="27"') == 1


def test_narrower_classes_are_offered_within_the_chosen_one(client, shelf, library):
    subjects = (Subject(value="913.6", scheme="NDC10"),)
    shelf.book(shelf.record(library), record=replace(KOKORO, subjects=subjects))
    page = client.get("/search", {"ndc": "9"}).text
    assert '<input type="checkbox" name="ndc" value="91">' in page


def test_many_facet_values_have_a_page_of_their_own(client, shelf, library):
    for number in range(AT_ONCE + 3):
        record = replace(KOKORO, creators=(Agent(name=f"著者{number:02}"),))
        shelf.book(shelf.record(library, record), record=record)
    results = client.get("/search", {"q": "こころ", "size": "50"}).text
    assert 'href="/search/values/creator?q=%E3%81%93%E3%81%93%E3%82%8D&amp;size=50" rel="nofollow"' in results
    page = client.get("/search/values/creator", {"q": "こころ", "creator_is": "著者01"}).text
    assert page.count('class="value"') == AT_ONCE + 3
    assert page.count('<input type="checkbox" name="creator_is"') == AT_ONCE + 3
    assert '<input type="checkbox" name="creator_is" value="著者01" checked>' in page
    assert '<input type="hidden" name="q" value="こころ">' in page
    assert 'name="robots" content="noindex' in page


def test_creators_are_listed_as_results_print_them_and_two_forms_of_a_name_once(client, shelf, library):
    for name in ("夏目, 漱石, 1867-1916", "森, 鴎外, 1862-1922", "森鴎外"):
        record = replace(KOKORO, creators=(Agent(name=name),))
        shelf.book(shelf.record(library, record), record=record)
    page = client.get("/search/values/creator", {"q": "こころ", "creator_is": "夏目, 漱石"}).text
    labels = dict(re.findall(r'name="creator_is" value="([^"]*)".*?class="label"[^>]*>([^<]*)<', page))
    assert labels == {"夏目, 漱石": "夏目漱石", "森, 鴎外": "森鴎外"}


def test_large_facets_are_counted_when_opened_or_chosen_from(client, shelf, library):
    for number in range(3):
        record = replace(KOKORO, creators=(Agent(name=f"著者{number:02}"),))
        shelf.book(shelf.record(library, record), record=record)
    closed = unquote(client.get("/search", {"q": "こころ"}).text)
    assert 'data-values="/search/values/creator?q=こころ"' in closed
    assert "creator_is=" not in closed
    chosen = unquote(client.get("/search", {"q": "こころ", "creator_is": "著者01"}).text)
    assert 'data-values="/search/values/creator' not in chosen
    assert '<input type="checkbox" name="creator_is" value="著者02">' in chosen
