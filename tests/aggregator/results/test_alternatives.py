"""Alternatives to a search that found nothing differ in one thing; texts that are found whole keep all their words."""

from types import SimpleNamespace

import pytest
from msgspec import structs

from aggregator.results.alternatives import Hits, alternative_searches
from aggregator.results.conditions import conditions
from aggregator.search import get_index
from aggregator.search.base import Query
from metadata.record import Title
from tests.aggregator.views.shelf import KOKORO


@pytest.fixture
def books(shelf, library):
    for title, year in (("図書館 情報学", "1990"), ("図書館 建築", "1990"), ("地図", "2020")):
        record = structs.replace(KOKORO, titles=(Title(value=title),), issued=year)
        shelf.book(shelf.record(library, record), record=record)


def found(query: Query) -> list[tuple[str, str, int]]:
    ways = alternative_searches(Hits(get_index()), query, conditions(query, {}, "/search"), "/search")
    return [(way.kind, way.value, way.count) for way in ways]


def test_a_word_is_left_out_where_only_the_words_are_to_blame(books):
    assert found(Query(q="図書館 天文学")) == [("words", "図書館", 2)]


def test_the_words_stay_where_all_of_them_are_found_without_a_condition(books):
    assert [(kind, count) for kind, _value, count in found(Query(q="図書館 建築", types=("Map",)))] == [
        ("condition", 1)
    ]


def test_words_are_left_out_where_only_the_condition_alone_finds_something(books):
    ways = found(Query(q="図書館 天文学", types=("Book",)))
    assert [(kind, count) for kind, _value, count in ways] == [("condition", 3), ("words", 2)]


def test_a_search_is_counted_once(books):
    asked = []
    index = get_index()
    hits = Hits(SimpleNamespace(search=lambda query, facets: asked.append(query) or index.search(query, facets)))
    assert hits.of(Query(q="図書館")) == hits.of(Query(q="図書館", sort="title", page=2)) == 2
    assert len(asked) == 1
