"""Pages of results that are given again for a moment: the same for everybody, and only for that moment."""

import time

import pytest
from django.core.cache import cache

from aggregator.middleware import result_page_cache
from aggregator.search.base import IndexUnavailable
from core.http.concurrency import ConcurrencyLimit

SEARCH = {"q": "こころ"}


@pytest.fixture(autouse=True)
def seconds(settings):
    settings.RESULTS_SECONDS = 600
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def searched(monkeypatch):
    """How often a page was made."""
    made = []
    make = result_page_cache.is_for_everybody
    monkeypatch.setattr(result_page_cache, "is_for_everybody", lambda *given: made.append(1) or make(*given))
    return made


def test_what_many_search_for_is_searched_once(client, book, monkeypatch, django_assert_num_queries):
    first = client.get("/search", SEARCH)
    monkeypatch.setattr("aggregator.views.public.search.get_index", _no_index)
    with django_assert_num_queries(0):
        second = client.get("/search", SEARCH)
    assert f"/books/{book.public_id}" in second.text
    assert second.content == first.content
    for name in ("Vary", "Content-Type", "Content-Language", "X-Robots-Tag"):
        assert second.headers.get(name) == first.headers.get(name)
    assert client.head("/search", SEARCH).status_code == 200


def _no_index():
    raise IndexUnavailable("damaged")


def test_the_cookie_of_readers_comes_with_every_page(client, book):
    client.get("/search", SEARCH)
    client.cookies.clear()
    assert "reader" in client.get("/search", SEARCH).cookies


@pytest.mark.parametrize(
    ("path", "data", "accept"),
    [
        ("/search", {"q": "こころ", "page": "1"}, "ja"),
        ("/search", {"q": "明暗"}, "ja"),
        ("/search", SEARCH, "en"),
        ("/ja/search", SEARCH, "ja"),
        ("/en/search", SEARCH, "ja"),
    ],
)
def test_another_address_or_language_is_another_page(client, book, searched, path, data, accept):
    client.get("/search", SEARCH, headers={"Accept-Language": "ja"})
    alone = client.get(path, data, headers={"Accept-Language": accept}).content
    assert len(searched) == 2
    cache.clear()
    assert client.get(path, data, headers={"Accept-Language": accept}).content == alone


def test_what_was_written_is_seen_after_the_moment(client, shelf, library, settings):
    settings.RESULTS_SECONDS = 0.05
    assert 'class="hit"' not in client.get("/search", SEARCH).text
    shelf.book(shelf.record(library))
    time.sleep(0.1)
    assert 'class="hit"' in client.get("/search", SEARCH).text


def test_without_the_setting_each_is_made_anew(client, book, searched, settings):
    settings.RESULTS_SECONDS = 0
    client.get("/search", SEARCH)
    client.get("/search", SEARCH)
    assert not searched


def test_who_is_logged_in_gets_results_made_anew_and_leaves_none(client, admin_client, book, searched):
    admin_client.get("/search", SEARCH)
    assert not searched
    client.get("/search", SEARCH)
    admin_client.get("/search", SEARCH)
    assert len(searched) == 1


def test_a_refusal_is_not_kept(client, book, searched):
    for _turn in range(2):
        assert client.get("/search", {"nonsense": "1"}).status_code == 400
    assert len(searched) == 2


def test_a_page_that_is_too_large_is_made_each_time(client, book, searched, monkeypatch):
    monkeypatch.setattr(result_page_cache, "MAX_SIZE", 100)
    client.get("/search", SEARCH)
    client.get("/search", SEARCH)
    assert len(searched) == 2


def test_who_is_given_a_kept_page_does_not_wait_at_the_gate(client, book, monkeypatch):
    kept = client.get("/search", SEARCH)
    monkeypatch.setattr(ConcurrencyLimit, "enter", lambda *_given: False)
    assert client.get("/search", SEARCH).content == kept.content
    assert client.get("/search", {"q": "明暗"}).status_code == 503


def test_a_kept_page_has_what_every_page_has(client, book):
    first, second = (client.get("/search", SEARCH) for _turn in range(2))
    varying = {"X-Request-ID", "Content-Security-Policy", "Date"}
    assert {name: value for name, value in second.headers.items() if name not in varying} == {
        name: value for name, value in first.headers.items() if name not in varying
    }
    assert "Content-Security-Policy" in second.headers
