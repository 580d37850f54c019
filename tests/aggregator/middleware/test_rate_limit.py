"""The limits on searches: 429 over budget, 503 when the site is full, and no limit on book pages."""

import re

import pytest

from aggregator.middleware import rate_limit
from core.http.concurrency import ConcurrencyLimit
from core.http.rate_limit import Counts, RateLimit

READER = {"REMOTE_ADDR": "127.0.0.1"}


@pytest.fixture
def full(monkeypatch):
    """A site on which the largest number of concurrent searches is running."""

    class Full(ConcurrencyLimit):
        def enter(self, is_known: bool = False) -> bool:
            return False

    monkeypatch.setattr(rate_limit, "ConcurrencyLimit", Full)


@pytest.fixture
def tight(settings):
    """A budget of one search per network, behind one trusted proxy. Windows begin at fixed moments: in one of a day, no
    test meets the end.
    """
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    settings.SEARCH_RATE, settings.SEARCH_BURST = 1 / 86_400, 1


def from_network(client, path, address, **headers):
    return client.get(path, headers={"X-Forwarded-For": address, "Accept": "text/html"} | headers, **READER)


@pytest.mark.parametrize("path", ["/search?q=x", "/api/search?q=x"])
def test_a_full_site_refuses_searches_at_once_and_says_when_to_come_back(client, shelf, full, path):
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) >= 1
    assert answer["Cache-Control"] == "no-store"
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_a_full_site_says_so_in_both_languages(client, shelf, full):
    text = client.get("/search?q=x", headers={"Accept": "text/html"}).text
    assert "検索が混み合っています" in text
    assert '<div lang="en">' in text
    assert "The search is busy" in text


def test_programs_are_refused_in_their_own_form(client, shelf, full):
    answer = client.get("/api/search?q=x", headers={"Accept": "application/json"})
    assert "few seconds" in answer.json()["detail"]


def test_a_refusal_makes_no_database_query(client, shelf, full, django_assert_num_queries):
    client.get("/search?q=x", headers={"Accept": "text/html"})
    with django_assert_num_queries(0):
        client.get("/search?q=x", headers={"Accept": "text/html"})


def test_books_providers_and_health_are_never_limited(client, shelf, library, full):
    source = shelf.record(library)
    shelf.book(source)
    paths = ["/", "/repositories/", f"/books/{source.public_id}", f"/books/{source.public_id}.json"]
    assert {client.get(path).status_code for path in paths} == {200}
    assert not client.get("/healthz").has_header("Retry-After")  # it may report an error, but is not refused


def test_a_failed_search_gives_its_slot_back(client, shelf, settings, monkeypatch):
    settings.SEARCH_SLOTS = 1

    def broken(_query):
        raise RuntimeError

    client.raise_request_exception = False
    with monkeypatch.context() as patch:
        patch.setattr("aggregator.views.public.search.read_query", broken)
        assert client.get("/search?q=x").status_code == 500
    assert client.get("/search?q=x").status_code == 200


def test_a_network_over_its_budget_is_pointed_to_the_bulk_interfaces(client, shelf, tight):
    assert from_network(client, "/search?q=x", "203.0.114.9").status_code == 200
    answer = from_network(client, "/search?q=x", "203.0.114.77")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 1
    assert "/repositories.json" in answer.text
    assert "Too many searches" in answer.text
    machine = from_network(client, "/api/search?q=x", "203.0.114.77", Accept="application/json")
    assert "/repositories.json" in machine.json()["bulk"]["JSON"]


def test_every_network_has_its_own_budget(client, shelf, tight):
    answers = [from_network(client, "/search?q=x", f"203.0.{number}.9").status_code for number in range(114, 120)]
    assert set(answers) == {200}


def test_a_forged_forwarded_address_does_not_evade_the_budget(client, shelf, tight):
    assert from_network(client, "/search?q=x", "203.0.114.9").status_code == 200
    assert from_network(client, "/search?q=x", "8.8.8.8, 203.0.114.9").status_code == 429


def test_book_pages_do_not_count_against_the_budget(client, shelf, library, tight):
    source = shelf.record(library)
    shelf.book(source)
    answers = [from_network(client, f"/books/{source.public_id}", "203.0.114.9").status_code for _ in range(5)]
    assert set(answers) == {200}


@pytest.mark.parametrize("address", ["192.168.1.5", "10.1.2.3", "fd00::1", ""])
def test_private_networks_and_untrusted_proxies_have_no_budget(client, shelf, tight, address):
    answers = [from_network(client, "/search?q=x", address).status_code for _ in range(3)]
    assert set(answers) == {200}


def test_a_reading_room_behind_one_address_is_not_refused(client, shelf, settings):
    """Sixty people arrive at once; each of them makes a search, opens three facets and gets eight suggestions."""
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    limit = RateLimit(Counts(""), "network", settings.SEARCH_BURST, settings.SEARCH_BURST / settings.SEARCH_RATE)
    assert not any(limit.take("room", 4 + 8 * rate_limit.COSTS["suggest"]).wait for _person in range(60))


def test_while_redis_is_away_searches_are_let_through_and_counted(client, shelf, tight, settings):
    settings.RATE_LIMIT_URL = "redis://127.0.0.1:9/0"
    before = unlimited(client)
    answers = [from_network(client, "/search?q=x", "203.0.114.9") for _ in range(3)]
    assert {answer.status_code for answer in answers} == {200}
    assert not answers[0].has_header("RateLimit")
    assert unlimited(client) == before + 3


def unlimited(client) -> float:
    text = client.get("/metrics").text
    return float(re.search(r"^aggregator_unlimited_searches_total (\S+)", text, re.MULTILINE)[1])


def test_refusals_are_logged_once_for_many(caplog):
    refused = rate_limit.RefusalLog()
    for _ in range(50):
        refused.count(503)
    assert len(caplog.records) == 1


def test_a_refused_results_page_sets_the_readers_cookie(client, shelf, full):
    assert "reader" in client.get("/search?q=x", headers={"Accept": "text/html"}).cookies
    assert not client.get("/api/search?q=x").cookies
