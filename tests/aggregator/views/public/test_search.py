"""The start page and the results page as a reader sees them."""

import re
from urllib.parse import unquote

import pytest
from msgspec.structs import replace

from aggregator.models import Manifestation
from aggregator.results.alternatives import MOST
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, QueryError
from metadata.record import Agent, Subject, Title
from tests.aggregator.views.shelf import KOKORO


def test_start_page_shows_the_number_of_books_and_the_providers(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/", headers={"accept-language": "en"}).text
    assert "<b>1</b> title" in page
    assert "Sample City Library" in page


def test_start_page_counts_nothing_in_the_tables(client, shelf, library, archive, django_assert_num_queries):
    shelf.book(shelf.record(library), shelf.record(archive))
    with django_assert_num_queries(3) as made:  # providers, daily figures, the newest books
        client.get("/")
    assert not [query for query in made.captured_queries if "COUNT(" in query["sql"]]


def test_start_page_works_without_the_index(client, shelf, library, monkeypatch):
    monkeypatch.setattr("aggregator.views.public.search.get_index", lambda: _Failing(IndexUnavailable("damaged")))
    page = client.get("/", headers={"accept-language": "en"})
    assert (page.status_code, "Sample City Library" in page.text) == (200, True)


def test_start_page_works_without_data(client, shelf):
    assert "No provider is registered yet." in client.get("/", headers={"accept-language": "en"}).text


def test_a_book_is_found_by_a_word_of_its_title(client, shelf, library):
    book = shelf.book(shelf.record(library))
    page = client.get("/search", {"q": "こころ"}).text
    assert f"/books/M{book.pk}" in page
    assert "夏目漱石" in page
    assert 'name="q" value="こころ"' in page


def test_a_book_of_two_providers_is_one_hit_with_two_links(client, shelf, library, archive):
    shelf.book(shelf.record(library), shelf.record(archive))
    page = client.get("/search", {"q": "こころ"}).text
    assert page.count('<li class="hit"') == 1
    assert 'href="https://library.example.jp/"' in page
    assert 'href="https://repository.example.jp/"' in page
    assert page.count('rel="noopener noreferrer nofollow"') == 2


def test_facets_are_links_that_narrow_and_widen(client, shelf, library, archive):
    shelf.book(shelf.record(library))
    shelf.book(shelf.record(archive))
    wide = client.get("/search", {"q": "こころ"}).text
    assert '<input type="checkbox" name="repository" value="R900000001">' in wide
    narrow = client.get("/search", {"q": "こころ", "repository": "R900000001"}).text
    assert narrow.count('<li class="hit"') == 1
    assert '<input type="checkbox" name="repository" value="R900000001" checked>' in narrow
    assert '<input type="checkbox" name="repository" value="R900000002">' in narrow


def test_conditions_can_be_removed_one_by_one(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/search", {"title": "こころ", "creator": "夏目"}).text
    assert 'class="chip" href="/search?title=' in page
    assert 'class="chip" href="/search?creator=' in page


def test_a_facet_value_can_be_excluded_and_is_listed_as_condition(client, shelf, library):
    shelf.book(shelf.record(library))
    page = unquote(client.get("/search", {"q": "こころ"}).text)
    assert 'class="without" href="/search?q=こころ&amp;-type=Book"' in page
    shelf.book(shelf.record(library), record=replace(KOKORO, material_types=()))
    page = client.get("/search", {"q": "こころ", "-type": "Book"}, headers={"accept-language": "en"}).text
    assert page.count('<li class="hit"') == 1
    assert 'class="chip not" href="/search?q=' in page


def test_conditions_can_be_changed_in_the_advanced_form(client, shelf, library):
    shelf.book(shelf.record(library))
    page = unquote(client.get("/search", {"q": "こころ", "-type": "Map", "from": "1980"}).text)
    assert 'href="/search/advanced?q=こころ&amp;from=1980&amp;-type=Map"' in page


def test_languages_and_classes_are_named_in_the_language_of_the_page(client, shelf, library):
    subjects = (Subject(value="913.6", scheme="NDC10"),)
    shelf.book(shelf.record(library), record=replace(KOKORO, languages=("chi",), subjects=subjects))
    japanese = client.get("/search", headers={"accept-language": "ja"}).text
    english = client.get("/search", {"ndc": "9"}, headers={"accept-language": "en"}).text
    assert ("中国語" in japanese, "9 文学" in japanese) == (True, True)
    assert ("Chinese" in english, "91 Japanese literature" in english) == (True, True)


def test_the_page_of_values_refuses_like_the_search(client, shelf, monkeypatch):
    assert client.get("/search/values/creator", {"from": "soon"}).status_code == 400
    assert client.get("/search/values/colour").status_code == 404
    monkeypatch.setattr("aggregator.indexing.searching.get_index", lambda: _Failing(IndexUnavailable("damaged")))
    assert client.get("/search/values/creator").status_code == 503


def test_order_and_page_size_are_links(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/search", {"size": "50"}).text
    assert 'href="/search?sort=title&amp;size=50" rel="nofollow"' in page
    assert 'href="/search?size=100" rel="nofollow"' in page
    assert 'href="/search?size=50" rel="nofollow" aria-current="true"' in page


def test_searched_words_are_marked_in_titles_and_names(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/search", {"q": "こころ 漱石"}).text
    assert "<mark>こころ</mark>" in page
    assert "夏目<mark>漱石</mark>" in page


def test_links_that_change_the_search_are_nofollow(client, shelf, library):
    for number in range(21):
        record = replace(KOKORO, issued=str(1950 + number))
        shelf.book(shelf.record(library, record), record=record)
    page = client.get("/search", {"q": "こころ"}).text
    links = [link for link in re.findall(r"<a [^>]*>", page) if 'href="/search?' in link]
    assert len(links) > 10
    assert [link for link in links if "nofollow" not in link] == []


def test_without_hits_conditions_to_drop_are_proposed(client, shelf, library):
    shelf.book(shelf.record(library))
    answer = client.get("/search", {"q": "こころ", "type": "Map"}, headers={"accept-language": "en"})
    assert "without Material type “Map”" in answer.text
    assert 'href="/search?q=%E3%81%93%E3%81%93%E3%82%8D" rel="nofollow">without' in answer.text
    assert "without Keyword" not in answer.text  # useless to propose: there are no maps at all


def test_without_hits_fewer_words_and_no_quotes_are_proposed(client, shelf, library):
    shelf.book(shelf.record(library))
    fewer = client.get("/search", {"q": "こころ 村上"}, headers={"accept-language": "en"}).text
    assert "only “こころ”" in fewer
    loose = client.get("/search", {"q": '"漱石 こころ"'}, headers={"accept-language": "en"}).text
    assert "without quotation marks: 漱石 こころ" in loose


def test_without_hits_the_words_alone_are_proposed(client, shelf, library):
    shelf.book(shelf.record(library))
    narrow = {"q": "こころ", "type": "Map", "language": "ara", "from": "2020"}
    page = client.get("/search", narrow, headers={"accept-language": "en"}).text
    assert '<a href="/search?q=%E3%81%93%E3%81%93%E3%82%8D" rel="nofollow">the words alone' in page


def test_proposals_take_a_limited_number_of_searches(client, shelf, monkeypatch):
    index = _Counting(get_index())
    for module in ("views.public.search", "indexing.searching"):
        monkeypatch.setattr(f"aggregator.{module}.get_index", lambda: index)
    client.get("/search", {"q": "一 二 三 四 五 六 七 八 九 十 甲 乙", "type": "Map", "creator": "丙"})
    assert index.searches <= 3 + MOST  # the search itself, and its words alone


def test_a_page_without_hits_has_hints(client, shelf):
    answer = client.get("/search", {"q": "ない本"}, headers={"accept-language": "en"})
    assert answer.status_code == 200
    assert "Nothing was found" in answer.text


def test_results_are_paged(client, shelf, library):
    for number in range(21):
        record = replace(KOKORO, titles=(Title(value=f"本 {number}"),))
        shelf.book(shelf.record(library, record), record=record)
    assert client.get("/search").text.count('<li class="hit"') == 20
    second = client.get("/search", {"page": "2"}).text
    assert second.count('<li class="hit"') == 1
    assert 'value="21"' in second


def test_a_page_after_the_last_links_to_the_first(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/search", {"q": "こころ", "page": "9"}, headers={"accept-language": "en"}).text
    assert "The search has 1 page of results." in page
    assert 'class="button" href="/search?q=%E3%81%93%E3%81%93%E3%82%8D"' in page


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
def test_an_invalid_parameter_gets_400_and_is_named(client, shelf, name, value):
    answer = client.get("/search", {name: value}, headers={"accept-language": "en"})
    assert answer.status_code == 400
    assert f'data-parameter="{name}"' in answer.text


def test_a_refusal_is_in_the_language_of_the_reader(client, shelf):
    page = client.get("/search", {"sort": "best"}, headers={"accept-language": "ja"}).text
    assert '<html lang="ja">' in page


def test_a_refusal_has_no_words_of_the_interface_for_readers_but_all_for_programs(client, shelf):
    for address in ("/search?type=図書", "/search?kind=x", "/search?zzz=1"):
        page = client.get(address, headers={"accept-language": "ja"}).text
        told = page[page.index("<main") : page.index("<form", page.index("<main"))]
        assert not re.search(r"Article|thesis|repository|creator_is", told), told
    assert "資料種別" in client.get("/search?type=図書", headers={"accept-language": "ja"}).text
    assert "Article" in client.get("/api/search?type=図書").text


def test_repeated_parameters_and_reversed_years_are_refused(client, shelf):
    assert client.get("/search?q=a&q=b").status_code == 400
    assert client.get("/search?from=2001&until=2000").status_code == 400


def test_empty_fields_of_the_form_are_removed_from_the_address(client, shelf, library):
    shelf.book(shelf.record(library))
    answer = client.get("/search?q=こころ&title=&-creator=&from=&isbn=", follow=True)
    assert [(unquote(address), status) for address, status in answer.redirect_chain] == [("/search?q=こころ", 302)]
    assert answer.text.count('<li class="hit"') == 1


def test_a_query_that_the_index_refuses_gets_400(client, shelf, monkeypatch):
    monkeypatch.setattr(
        "aggregator.indexing.searching.get_index", lambda: _Failing(QueryError("too_many_words", limit=16))
    )
    answer = client.get("/search", {"q": "a b"}, headers={"accept-language": "en"})
    assert (answer.status_code, "At most 16 words" in answer.text) == (400, True)


def test_an_unavailable_index_gets_503_with_retry_after(client, shelf, monkeypatch):
    monkeypatch.setattr("aggregator.indexing.searching.get_index", lambda: _Failing(IndexUnavailable("damaged")))
    answer = client.get("/search", {"q": "a"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")


def test_markup_in_a_record_is_escaped(client, shelf, library):
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


def test_markup_in_the_query_is_escaped(client, shelf):
    assert "<script>" not in client.get("/search", {"q": '"><script>alert(1)</script>'}).text


def test_queries_do_not_grow_with_the_hits(client, shelf, library, archive, django_assert_max_num_queries):
    for _number in range(20):
        shelf.book(shelf.record(library), shelf.record(archive))
    client.get("/search", {"q": "こころ"})  # the providers and settings that a process keeps
    with django_assert_max_num_queries(10):
        client.get("/search")


def _of_one_work(shelf, library, *years) -> list[Manifestation]:
    records = [replace(KOKORO, issued=year) for year in years]
    books = [shelf.book(shelf.record(library, record), record=record) for record in records]
    Manifestation.objects.filter(pk__in=[book.pk for book in books]).update(work=books[0].pk)
    return books


def test_a_hit_shows_the_number_of_other_editions(client, shelf, library):
    _of_one_work(shelf, library, "1914", "1950", "1989")
    page = client.get("/search", {"sort": "oldest"}, headers={"accept-language": "en"}).text
    assert page.count("2 other editions and volumes") == 3
    assert 'class="companion"' not in page


def test_hits_of_one_work_are_listed_below_the_best(client, shelf, library):
    _of_one_work(shelf, library, "1914", "1950", "1989", "1990", "2001")
    shelf.book(shelf.record(library))
    answer = client.get("/search", headers={"accept-language": "en"})
    assert "<b>6</b> results" in answer.text
    assert [answer.text.count(f'<li class="{kind}"') for kind in ("hit", "companion")] == [2, 4]
    assert len(set(re.findall(r'data-save="([^"]+)"', answer.text))) == 6
    assert "All editions and volumes (5)" in answer.text
    assert "1 more" in answer.text


def test_every_hit_of_a_work_is_on_exactly_one_page(client, shelf, library):
    _of_one_work(shelf, library, *(str(year) for year in range(1950, 1975)))
    pages = [client.get("/search", {"page": number, "size": "20"}).text for number in (1, 2)]
    assert [page.count('class="companion"') for page in pages] == [19, 4]
    assert ['value="1"' in pages[0], 'value="21"' in pages[1]] == [True, True]


def test_queries_do_not_grow_with_the_editions(client, shelf, library, django_assert_max_num_queries):
    _of_one_work(shelf, library, *(str(year) for year in range(1950, 1970)))
    with django_assert_max_num_queries(11):
        client.get("/search")


def test_a_search_links_to_a_feed_with_the_same_conditions(client, shelf, library):
    shelf.book(shelf.record(library))
    page = client.get("/search", {"q": "こころ", "sort": "oldest", "page": "1", "size": "50"}).text
    assert 'rel="alternate" type="application/atom+xml"' in page
    assert 'href="/feeds/search.atom?q=%E3%81%93%E3%81%93%E3%82%8D"' in page


def test_search_results_are_closed_to_crawlers(client, shelf):
    assert 'name="robots" content="noindex' in client.get("/search").text
    assert "Disallow: /search" in client.get("/robots.txt").text


class _Counting:
    """An index that counts its searches."""

    def __init__(self, index) -> None:
        self.index = index
        self.searches = 0

    def search(self, *arguments, **options):
        self.searches += 1
        return self.index.search(*arguments, **options)

    def near(self, typed):
        self.searches += 1
        return self.index.near(typed)


class _Failing:
    """An index that always raises this error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def search(self, query, **_options):
        raise self.error

    def count(self):
        raise self.error
