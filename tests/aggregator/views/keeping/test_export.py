"""A whole result set as a file: its order, limits, and what may be redistributed."""

import json

import pytest
from lxml import etree
from msgspec import structs

from aggregator.presentation.book_files import FILES
from aggregator.provision import result_sets
from aggregator.search.base import IndexUnavailable
from aggregator.views.keeping import export
from core.http.rate_limit import Counts, RateLimit
from harvesting.models import Repository
from metadata.record import Title
from tests.aggregator.views.shelf import KOKORO
from tests.stored_once import stored_once

PUBLIC_ADDRESS = "8.8.8.8"


@pytest.fixture
@stored_once
def books(shelf, library) -> list[str]:
    titles = [f"こころ {number}" for number in range(7)]
    for title in titles:
        shelf.book(shelf.record(library), record=structs.replace(KOKORO, titles=(Title(value=title),)))
    return titles


def get(client, name: str = "csl", **parameters: str):
    return client.get("/search/export", {"format": name, **parameters})


def titles(answer) -> list[str]:
    return [item["title"] for item in json.loads(answer.getvalue())]


def test_all_pages_of_a_search_are_one_file_in_the_order_of_the_search(client, books, monkeypatch):
    monkeypatch.setattr(result_sets, "STEP", 2)
    answer = get(client, q="こころ", sort="title", page="3", size="1")
    assert answer.streaming
    assert answer["Content-Disposition"] == 'attachment; filename="search.json"'
    assert titles(answer) == books


def test_a_file_ends_at_the_limit(client, books, monkeypatch):
    monkeypatch.setattr(result_sets, "STEP", 2)
    monkeypatch.setattr(result_sets, "MOST", 5)
    assert len(titles(get(client, q="こころ"))) == 5


@pytest.mark.parametrize("name", FILES)
def test_every_form_is_offered(client, books, name):
    answer = get(client, name, q="こころ")
    assert answer.status_code == 200
    assert "こころ 6" in answer.getvalue().decode()


@pytest.mark.parametrize("name", ["ris", "oai_dc"])
def test_nothing_is_given_that_may_not_be_redistributed(client, books, name):
    Repository.objects.update(give_on=False)
    assert "こころ" not in get(client, name, q="こころ").getvalue().decode()


@pytest.mark.parametrize("parameters", [{"format": "pdf"}, {}, {"format": "ris", "colour": "red"}])
def test_wrong_requests_are_refused_with_the_reason(client, shelf, parameters):
    assert client.get("/search/export", parameters).status_code == 400


def test_a_search_without_hits_is_an_empty_file(client, books):
    assert titles(get(client, q="nothing")) == []
    assert len(etree.fromstring(get(client, "marcxml", q="nothing").getvalue())) == 0


def test_a_network_may_take_only_some_files(client, books, monkeypatch):
    limit = RateLimit(Counts(""), "export", 2, 3600)
    monkeypatch.setattr(export, "_limit", lambda: limit)

    def status() -> int:
        answer = client.get("/search/export", {"format": "ris"}, REMOTE_ADDR=PUBLIC_ADDRESS)
        answer.close()
        return answer.status_code

    assert [status(), status(), status()] == [200, 200, 429]


def test_one_file_at_a_time_and_the_place_is_given_back(client, books):
    first = get(client, q="こころ")
    assert get(client, q="こころ").status_code == 503
    first.close()  # never read: the reader went away
    second = get(client, q="こころ")
    assert second.status_code == 200
    second.close()


def test_the_place_is_given_back_if_the_search_fails(client, books, monkeypatch):
    def unavailable(_query):
        raise IndexUnavailable("rebuilding")

    monkeypatch.setattr(export, "records_found", unavailable)
    assert [get(client).status_code for _ in range(2)] == [503, 503]
    monkeypatch.undo()
    answer = get(client)
    assert answer.status_code == 200
    answer.close()


def test_the_number_of_queries_of_a_step_is_fixed(client, books, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        get(client, "dcndl", q="こころ").getvalue()
