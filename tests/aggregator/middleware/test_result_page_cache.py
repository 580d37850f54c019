"""The cache of results pages: the same page for all readers, for RESULTS_SECONDS."""

import time

import pytest
from django.core.cache import caches

from aggregator.middleware import result_page_cache
from aggregator.search.base import IndexUnavailable
from core.http.concurrency import ConcurrencyLimit
from tests.aggregator.shelves import book_id

SEARCH = {"q": "こころ"}


@pytest.fixture(autouse=True)
def seconds(settings):
    settings.RESULTS_SECONDS = 600
    caches["results"].clear()
    yield
    caches["results"].clear()


@pytest.fixture
def searched(monkeypatch):
    """A list that grows by one whenever a page was made instead of taken from the cache."""
    made = []
    make = result_page_cache.is_for_everybody
    monkeypatch.setattr(result_page_cache, "is_for_everybody", lambda *arguments: made.append(1) or make(*arguments))
    return made


def test_the_same_search_by_many_readers_is_run_once(client, book, monkeypatch, django_assert_num_queries):
    first = client.get("/search", SEARCH)
    monkeypatch.setattr("aggregator.indexing.searching.get_index", _no_index)
    with django_assert_num_queries(0):
        second = client.get("/search", SEARCH)
    assert f"/books/{book_id(book)}" in second.text
    assert second.content == first.content
    for name in ("Vary", "Content-Type", "Content-Language", "X-Robots-Tag"):
        assert second.headers.get(name) == first.headers.get(name)
    assert client.head("/search", SEARCH).status_code == 200


def _no_index():
    raise IndexUnavailable("damaged")


def test_cached_pages_set_the_readers_cookie_as_well(client, book):
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
    content = client.get(path, data, headers={"Accept-Language": accept}).content
    assert len(searched) == 2
    caches["results"].clear()
    assert client.get(path, data, headers={"Accept-Language": accept}).content == content


def test_new_books_are_found_once_the_cached_page_expires(client, shelf, library, settings):
    settings.RESULTS_SECONDS = 0.05
    assert 'class="hit"' not in client.get("/search", SEARCH).text
    shelf.book(shelf.record(library))
    time.sleep(0.1)
    assert 'class="hit"' in client.get("/search", SEARCH).text


def test_without_the_setting_no_page_is_cached(client, book, searched, settings):
    settings.RESULTS_SECONDS = 0
    client.get("/search", SEARCH)
    client.get("/search", SEARCH)
    assert not searched


def test_logged_in_readers_get_fresh_results_which_are_not_cached(client, admin_client, book, searched):
    admin_client.get("/search", SEARCH)
    assert not searched
    client.get("/search", SEARCH)
    admin_client.get("/search", SEARCH)
    assert len(searched) == 1


def test_a_refusal_is_not_cached(client, book, searched):
    for _ in range(2):
        assert client.get("/search", {"nonsense": "1"}).status_code == 400
    assert len(searched) == 2


def test_a_page_that_is_too_large_is_not_cached(client, book, searched, monkeypatch):
    monkeypatch.setattr(result_page_cache, "MAX_SIZE", 100)
    client.get("/search", SEARCH)
    client.get("/search", SEARCH)
    assert len(searched) == 2


def test_a_cached_page_is_served_even_when_all_search_slots_are_taken(client, book, monkeypatch):
    cached = client.get("/search", SEARCH)
    monkeypatch.setattr(ConcurrencyLimit, "enter", lambda *_arguments: False)
    assert client.get("/search", SEARCH).content == cached.content
    assert client.get("/search", {"q": "明暗"}).status_code == 503


def test_a_cached_page_has_the_same_headers(client, book):
    first, second = (client.get("/search", SEARCH) for _ in range(2))
    varying = {"X-Request-ID", "Content-Security-Policy", "Date"}
    assert {name: value for name, value in second.headers.items() if name not in varying} == {
        name: value for name, value in first.headers.items() if name not in varying
    }
    assert "Content-Security-Policy" in second.headers
