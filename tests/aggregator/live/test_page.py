"""The page of the live search: complete without a script, says what failed at which catalogue, closed to programs."""

import re
from ipaddress import ip_address

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.live import parts
from aggregator.live.asking import Kept, Reply, State
from aggregator.views.live import budget
from core.http.rate_limit import Counts, RateLimit
from tests.aggregator.live.conftest import registered
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db
PAGE = "/search/live?q=%E3%81%93%E3%81%93%E3%82%8D"  # こころ
ENGLISH = {"accept-language": "en"}


def state_of(text: str, number: str = "R900000101") -> str:
    return re.search(rf'data-live-part="{number}" data-live-state="(\w+)"', text)[1]


def test_the_first_page_says_who_is_being_asked_and_comes_again_by_itself(reader, source, pool):
    text = reader.get(PAGE, headers=ENGLISH).text
    assert state_of(text) == "asking"
    refresh = re.search(r'<noscript><meta http-equiv="refresh" content="1;url=([^"]+)"></noscript>', text)[1]
    assert "waited=800" in refresh
    assert "Foreign Library 01" in text
    answered = reader.get(refresh.replace("&amp;", "&"), headers=ENGLISH).text
    assert state_of(answered) == "answered"
    assert "http-equiv" not in answered
    assert "live.js" not in answered
    assert "7 results" in answered
    assert "From another catalogue" in answered


def test_after_three_seconds_the_page_is_done_whatever_has_answered(reader, source, monkeypatch):
    monkeypatch.setattr(parts, "look_up", lambda inquiries, may_ask: {source.number: Reply(State.ASKING)})
    assert state_of(reader.get(f"{PAGE}&waited=3199").text) == "asking"
    text = reader.get(f"{PAGE}&waited=3200", headers=ENGLISH).text
    assert state_of(text) == "late"
    assert "did not answer within three seconds" in text
    assert "http-equiv" not in text


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.FAILED, "not giving a readable answer"),
        (State.BUSY, "Many readers are searching"),
        (State.PAUSED, "failed several times in a row"),
        (State.SPENT, "from your network"),
    ],
)
def test_each_catalogue_says_in_its_place_what_is_wrong(reader, source, monkeypatch, state, words):
    monkeypatch.setattr(parts, "look_up", lambda inquiries, may_ask: {source.number: Reply(state)})
    text = reader.get(PAGE, headers=ENGLISH).text
    assert state_of(text) == state
    assert words in text


def test_a_hit_that_is_our_book_is_one_more_holder_of_it(reader, shelf, library, source, monkeypatch):
    book = shelf.book(shelf.record(library))
    kept = (Kept(KOKORO, "https://foreign.example/1", book.pk), Kept(KOKORO, "https://foreign.example/2"))
    monkeypatch.setattr(
        parts, "look_up", lambda inquiries, may_ask: {source.number: Reply(State.ANSWERED, 1.0, kept, 2)}
    )
    text = reader.get(PAGE, headers=ENGLISH).text
    ours, other = re.findall(r'<li class="live-hit.*?</li>', text, re.DOTALL)
    assert f'data-live-book="M{book.pk}"' in ours
    assert f'href="/books/M{book.pk}"' in ours
    assert "1 library" in ours
    assert 'href="https://foreign.example/1"' in ours
    assert "Foreign Library 01" in ours
    assert 'href="https://foreign.example/2"' in other
    assert "From another catalogue" in other


def test_what_no_catalogue_and_what_this_one_cannot_be_asked_is_said(reader, source, pool):
    text = reader.get(f"{PAGE}&type=Book&creator=漱石", headers=ENGLISH).text
    assert "Material type" in re.search(r"do not support:.*?</p>", text, re.DOTALL)[0]
    assert "live-refusals" in text  # this catalogue has one index only


def test_a_catalogue_with_nothing_but_a_link_gets_one(reader, db, server):
    made = registered(server, protocol="live-link")
    made.feeds.update(base_url="https://foreign.example/find?q={searchTerms}")
    text = reader.get(PAGE).text
    assert state_of(text) == "link"
    assert 'href="https://foreign.example/find?q=%E3%81%93%E3%81%93%E3%82%8D"' in text
    assert server.requests == []


def test_a_search_of_which_nothing_can_be_asked_asks_nobody(reader, source, pool, server):
    assert state_of(reader.get("/search/live?repository=R900000001").text) == "unasked"
    assert reader.get("/search/live").status_code == 200
    assert server.requests == []


@pytest.mark.parametrize("wrong", ["source=x", "waited=x", "waited=123456", "unknown=1", "q=" + "x" * 300])
def test_a_wrong_address_says_what_is_wrong(reader, source, wrong):
    assert reader.get(f"/search/live?{wrong}").status_code == 400


def test_one_catalogue_alone_may_be_asked(reader, source, server, pool):
    registered(server, "R900000102")
    text = reader.get(f"{PAGE}&source=R900000102").text
    assert "R900000101" not in text
    assert state_of(text, "R900000102") == "asking"


def test_the_script_gets_only_the_parts_that_it_does_not_have(reader, source, server, pool):
    registered(server, "R900000102")
    reader.get(PAGE)
    text = reader.get(f"{PAGE}&have=R900000101&waited=300", headers=ENGLISH).text
    assert 'id="R900000101"' not in text
    assert state_of(text, "R900000102") == "answered"
    assert "2 of 2 catalogues" in text
    text = reader.get(f"{PAGE}&have=R900000101&have=R900000102", headers=ENGLISH).text
    assert "data-live-status" in text
    text = reader.get(f"{PAGE}&have=R900000101&only=parts", headers=ENGLISH).text
    assert state_of(text, "R900000102") == "answered"
    assert "<html" not in text
    assert "have=" not in text
    assert "only=" not in text


def test_programs_that_follow_links_are_stopped_by_a_button(client, source, pool, server):
    answer = client.get(PAGE)
    assert (answer.status_code, server.requests) == (303, [])
    asked = client.get(answer["Location"])
    assert 'method="post"' in asked.text
    assert "noindex, nofollow" in asked.text
    answer = client.post(answer["Location"])
    assert (answer.status_code, state_of(client.get(answer["Location"]).text)) == (303, "asking")
    robots = client.get("/robots.txt").text
    assert "Disallow: /search\n" in robots
    assert "Disallow: /api/live\n" in robots


def test_the_budget_of_a_network_is_spent_by_questions_not_by_looking(reader, source, pool, server, monkeypatch):
    limit = RateLimit(Counts(""), "test-live", 2, 600)
    monkeypatch.setattr(budget, "_limit", lambda: limit)
    monkeypatch.setattr("aggregator.middleware.rate_budget.client_of", lambda request: ip_address("8.8.8.8"))
    states = [state_of(reader.get(f"/search/live?q=言葉{number}").text) for number in (0, 0, 0, 1, 2, 0)]
    assert states == ["asking", "answered", "answered", "asking", "spent", "answered"]
    assert len(server.requests) == 2


def test_the_number_of_queries_does_not_grow_with_catalogues_and_hits(reader, shelf, library, server, monkeypatch):
    books = [shelf.book(shelf.record(library)) for _book in range(6)]
    for number in range(6):
        registered(server, f"R9000001{number:02}")

    def answered(most: int, hits: int):
        kept = tuple(Kept(KOKORO, "", book.pk) for book in books[:hits])
        return lambda inquiries, may_ask: {
            inquiry.catalogue.number: Reply(State.ANSWERED, 1.0, kept, hits) for inquiry in inquiries[:most]
        }

    counts = []
    for number, hits in ((1, 1), (6, 6)):
        monkeypatch.setattr(parts, "look_up", answered(number, hits))
        address = PAGE + "".join(f"&source=R9000001{place:02}" for place in range(number))
        reader.get(address)
        with CaptureQueriesContext(connection) as captured:
            reader.get(address)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_a_page_of_results_offers_other_catalogues(client, shelf, library, source):
    shelf.book(shelf.record(library))
    text = client.get("/search?q=こころ&type=Book&sort=newest", headers=ENGLISH).text
    assert 'href="/search/live?q=%E3%81%93%E3%81%93%E3%82%8D&amp;type=Book"' in text
    assert "data-live-load" not in text
    assert "Search other catalogues too" in client.get("/search?q=存在しない", headers=ENGLISH).text


def test_a_page_of_results_loads_them_by_itself_where_the_operator_wants_it(client, shelf, library, source, settings):
    settings.LIVE_ALWAYS = True
    shelf.book(shelf.record(library))
    text = client.get("/search?q=こころ").text
    assert 'data-live-load="/search/live?q=%E3%81%93%E3%81%93%E3%82%8D"' in text
    assert "js/live.js" in text


def test_without_other_catalogues_a_page_of_results_offers_none(client, shelf, library):
    shelf.book(shelf.record(library))
    assert "/search/live" not in client.get("/search?q=こころ").text


def test_our_own_results_wait_for_nobody(client, shelf, library, source, server, settings):
    settings.LIVE_ALWAYS = True
    shelf.book(shelf.record(library))
    client.get("/search?q=こころ")
    assert server.requests == []
