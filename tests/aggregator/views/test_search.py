"""The start page and the results as a reader sees them."""

import pytest
from msgspec.structs import replace

from aggregator.search.base import IndexUnavailable, QueryError
from metadata.record import Agent, Title
from tests.aggregator.views.shelf import KOKORO


def test_start_page_says_how_much_there_is_and_who_provides_it(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/", headers={"accept-language": "en"}).text
    assert "<b>1</b> title" in page
    assert "Sample City Library" in page


def test_start_page_without_any_data_is_a_page(client, shelf):
    assert "No provider is registered yet." in client.get("/", headers={"accept-language": "en"}).text


def test_a_book_is_found_by_a_word_of_its_title(client, shelf, library):
    source = shelf.record(library)
    shelf.book(source)
    page = client.get("/search", {"q": "こころ"}).text
    assert f"/books/{source.public_id}" in page
    assert "ココロ" in page
    assert "夏目漱石" in page
    assert 'name="q" value="こころ"' in page


def test_a_book_of_two_providers_is_one_hit_with_two_links(client, shelf, library, archive):
    shelf.book(shelf.record(library), shelf.record(archive))
    page = client.get("/search", {"q": "こころ"}).text
    assert page.count('<li class="hit">') == 1
    assert 'href="https://library.example.jp/"' in page
    assert 'href="https://repository.example.jp/"' in page
    assert page.count('rel="noopener noreferrer nofollow"') == 2


def test_facets_are_links_that_narrow_and_widen(client, shelf, library, archive):
    shelf.book(shelf.record(library))
    shelf.book(shelf.record(archive))
    wide = client.get("/search", {"q": "こころ"}).text
    assert "q=%E3%81%93%E3%81%93%E3%82%8D&amp;repository=R900000001" in wide
    narrow = client.get("/search", {"q": "こころ", "repository": "R900000001"}).text
    assert narrow.count('<li class="hit">') == 1
    assert "repository=R900000001&amp;repository=R900000002" in narrow


def test_decades_open_into_years(client, shelf, library):
    shelf.book(shelf.record(library))
    assert "from=1980&amp;until=1989" in client.get("/search").text
    assert "from=1989&amp;until=1989" in client.get("/search", {"from": "1980", "until": "1989"}).text


def test_conditions_can_be_removed_one_by_one(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/search", {"title": "こころ", "creator": "夏目"}).text
    assert 'class="chip" href="/search?title=' in page
    assert 'class="chip" href="/search?creator=' in page


def test_nothing_found_is_a_page_with_hints(client, shelf):
    answer = client.get("/search", {"q": "ない本"}, headers={"accept-language": "en"})
    assert answer.status_code == 200
    assert "Nothing was found" in answer.text


def test_results_are_paged(client, shelf, library):
    for number in range(21):
        record = replace(KOKORO, titles=(Title(value=f"本 {number}"),))
        shelf.book(shelf.record(library, record), record=record)
    assert client.get("/search").text.count('<li class="hit">') == 20
    second = client.get("/search", {"page": "2"}).text
    assert second.count('<li class="hit">') == 1
    assert 'start="21"' in second


def test_a_page_behind_the_last_says_so(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/search", {"page": "9"}, headers={"accept-language": "en"}).text
    assert "The search has 1 page of results." in page


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("colour", "red"),
        ("isbn", "12"),
        ("from", "soon"),
        ("from", "0"),
        ("sort", "best"),
        ("page", "0"),
        ("page", "501"),
        ("page", "1" * 5000),
        ("repository", "900"),
        ("q", "x" * 201),
        ("q", "a\0b"),
        ("cursor", "x"),
    ],
)
def test_a_bad_parameter_gets_400_and_is_named(client, shelf, name, value):
    answer = client.get("/search", {name: value}, headers={"accept-language": "en"})
    assert answer.status_code == 400
    assert f"<code>{name}</code>" in answer.text


def test_the_reason_is_given_in_japanese_as_well(client, shelf):
    page = client.get("/search", {"sort": "best"}, headers={"accept-language": "ja"}).text
    assert '<html lang="ja">' in page


def test_a_parameter_given_twice_and_years_in_the_wrong_order_are_refused(client, shelf):
    assert client.get("/search?q=a&q=b").status_code == 400
    assert client.get("/search?from=2001&until=2000").status_code == 400


def test_empty_fields_of_the_form_count_as_absent(client, shelf, library):
    shelf.book(shelf.record(library))
    assert client.get("/search?q=こころ&title=&creator=&isbn=").text.count('<li class="hit">') == 1


def test_what_the_index_refuses_gets_400(client, shelf, monkeypatch):
    monkeypatch.setattr("aggregator.views.search.get_index", lambda: _Failing(QueryError("too_many_words", limit=16)))
    answer = client.get("/search", {"q": "a b"}, headers={"accept-language": "en"})
    assert (answer.status_code, "At most 16 words" in answer.text) == (400, True)


def test_an_index_out_of_order_gets_503_and_a_page(client, shelf, monkeypatch):
    monkeypatch.setattr("aggregator.views.search.get_index", lambda: _Failing(IndexUnavailable("damaged")))
    answer = client.get("/search", {"q": "a"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")


def test_markup_in_a_record_stays_text(client, shelf, library):
    record = replace(
        KOKORO,
        titles=(Title(value="<script>alert(1)</script>"),),
        creators=(Agent(name='"><img src=x onerror=alert(1)>'),),
    )
    source = shelf.record(library, record)
    shelf.book(source, record=record)
    for address in ("/search", f"/books/{source.public_id}", f"/books/{source.public_id}?source=1"):
        page = client.get(address).text
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_markup_in_the_query_stays_text(client, shelf):
    assert "<script>" not in client.get("/search", {"q": '"><script>alert(1)</script>'}).text


def test_queries_do_not_grow_with_the_hits(client, shelf, library, archive, django_assert_max_num_queries):
    for _number in range(20):
        shelf.book(shelf.record(library), shelf.record(archive))
    with django_assert_max_num_queries(3):
        client.get("/search")


def test_search_results_are_not_for_crawlers(client, shelf):
    assert 'name="robots" content="noindex' in client.get("/search").text
    assert "Disallow: /search" in client.get("/robots.txt").text


class _Failing:
    """An index that only refuses."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def search(self, query):
        raise self.error
