"""Suggestions over HTTP: OpenSearch JSON, and options for the search box."""

import pytest

from aggregator.search import get_index
from aggregator.search.base import Document
from aggregator.search.suggest.entries import make_entries


@pytest.fixture
def books(db):
    get_index().clear()
    titles = [("こころ", "ココロ"), ("心の<b>旅</b>", "ココロ ノ タビ")]
    get_index().update(
        Document(id=number, suggestions=make_entries([title], [("夏目漱石", "ナツメ ソウセキ")], []))
        for number, title in enumerate(titles, start=1)
    )


def test_programs_get_the_four_lists_of_opensearch(client, books):
    answer = client.get("/suggest?q=なつ", headers={"Accept-Language": "en"})
    assert answer["Content-Type"] == "application/x-suggestions+json"
    assert answer.json() == [
        "なつ",
        ["夏目漱石"],
        ["Creator · 2 titles"],
        ["http://127.0.0.1:8000/search?q=%E5%A4%8F%E7%9B%AE%E6%BC%B1%E7%9F%B3"],
    ]


def test_the_search_box_gets_options_in_the_language_of_the_page(client, books):
    answer = client.get("/suggest?q=なつ&format=html", headers={"Accept-Language": "en"})
    assert 'role="option"' in answer.text
    assert 'data-value="夏目漱石"' in answer.text
    assert "Creator" in answer.text
    assert "Accept-Language" in answer["Vary"]


def test_markup_of_providers_is_escaped(client, books):
    text = client.get("/suggest?q=心&format=html").text
    assert "<b>" not in text
    assert "心の&lt;b&gt;旅&lt;/b&gt;" in text


@pytest.mark.parametrize(
    "query", ["", "q=", "q=%20", "q=" + "x" * 5000, "q=%00%01", "q=%ff%fe", "q=%ed%a0%80", "q=.%2A"]
)
def test_unusual_input_gets_an_empty_answer(client, books, query):
    answer = client.get(f"/suggest?{query}")
    assert (answer.status_code, answer.json()[1]) == (200, [])


@pytest.mark.parametrize("query", ["x=1", "q=a&format=xml"])
def test_unknown_parameters_are_refused(client, books, query):
    answer = client.get(f"/suggest?{query}")
    assert answer.status_code == 400
    assert "format=html" in answer.json()["error"]["reason"]


def test_an_unavailable_index_suggests_nothing(client, books, settings):
    (settings.SEARCH_DIR / "current").write_text("v0-1")
    assert client.get("/suggest?q=心").json()[1] == []


def test_suggestions_take_no_queries(client, books, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get("/suggest?q=心&format=html")
