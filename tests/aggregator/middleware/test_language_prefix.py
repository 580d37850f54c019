"""Addresses with a language prefix, and the links between the language versions of a page."""

import pytest

from tests.aggregator.shelves import book_id
from tests.aggregator.views.shelf import KOKORO

ENGLISH = {"Accept-Language": "en"}


def test_the_language_prefix_overrides_the_language_of_the_browser(client, shelf):
    assert '<html lang="ja">' in client.get("/ja/", headers=ENGLISH).text
    assert client.get("/en/repositories/")["Content-Language"] == "en"


def test_the_chosen_language_is_remembered(client, shelf):
    assert '<html lang="ja">' in client.get("/").text
    client.get("/en/search?q=a")
    assert '<html lang="en">' in client.get("/").text


def test_an_address_without_a_language_sets_no_cookie(client, shelf):
    assert not client.get("/", headers=ENGLISH).cookies


def test_every_page_links_to_itself_in_the_other_language(client, shelf, library):
    public_id = shelf.record(library).public_id
    page = client.get(f"/books/{public_id}", headers=ENGLISH).text
    assert f'<a href="/ja/books/{public_id}" lang="ja"' in page
    assert 'href="/en/search?q=%E3%81%93&amp;page=1"' in client.get("/search?q=%E3%81%93&page=1").text


def test_pages_have_hreflang_links_but_searches_do_not(client, shelf):
    page = client.get("/en/repositories/").text
    for code, start in (("ja", "/ja"), ("en", "/en"), ("x-default", "")):
        assert f'hreflang="{code}" href="http://127.0.0.1:8000{start}/repositories/"' in page
    assert '<link rel="alternate" hreflang' not in client.get("/search?q=a").text


def test_a_prefix_alone_is_the_start_page_and_unknown_prefixes_are_not_found(client, shelf):
    assert client.get("/en").status_code == 200
    assert client.get("/fr/").status_code == 404
    assert client.get("/english").status_code == 404


def test_a_record_page_in_another_language_is_the_same_record(client, shelf, library):
    source = shelf.record(library)
    shelf.book(source)
    assert KOKORO.title in client.get(f"/en/books/{source.public_id}").text


def test_the_canonical_link_keeps_the_language_prefix(client, shelf, library, archive):
    first, second = shelf.record(library), shelf.record(archive)
    shelf.book(first, second)
    for start in ("", "/ja", "/en"):
        page = client.get(f"{start}/books/{second.public_id}").text
        assert f'rel="canonical" href="http://127.0.0.1:8000{start}/books/{book_id(first)}"' in page


@pytest.mark.parametrize("path", ["/en//evil.example/", "/en/%0d%0aSet-Cookie:%20a=b", '/en/"><script>'])
def test_a_hostile_path_cannot_break_out_of_the_links(client, shelf, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "<script>" not in answer.text
    assert 'href="//evil' not in answer.text
