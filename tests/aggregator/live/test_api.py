"""/api/live: one catalogue, asked in the background; 202 until it has answered."""

import pytest

from aggregator.live import parts
from aggregator.live.asking import Kept, Reply, State
from aggregator.provision.api.openapi import document
from tests.aggregator.views.shelf import KOKORO

pytestmark = pytest.mark.django_db
ADDRESS = "/api/live?source=R900000101&q=%E3%81%93%E3%81%93%E3%82%8D"


def test_a_program_comes_again_until_the_answer_is_there(client, source, pool, server):
    answer = client.get(ADDRESS)
    assert (answer.status_code, answer["Retry-After"], answer.json()["state"]) == (202, "1", "asking")
    answer = client.get(ADDRESS)
    said = answer.json()
    assert (answer.status_code, said["state"], said["total"], said["name_en"]) == (
        200,
        "answered",
        7,
        "Foreign Library 01",
    )
    (hit,) = said["hits"]
    assert (hit["record"]["titles"][0]["value"], hit["book"]) == ("こころ", None)
    assert len(server.requests) == 1


def test_the_answer_says_what_was_not_asked_and_which_hits_are_ours(client, shelf, library, source, monkeypatch):
    book = shelf.book(shelf.record(library))
    kept = (Kept(KOKORO, "https://foreign.example/1", book.pk),)
    monkeypatch.setattr(parts, "look_up", lambda inquiries, may_ask: {source.number: Reply(State.ANSWERED, 1, kept)})
    said = client.get(f"{ADDRESS}&type=Book&creator=x").json()
    assert said["left_out"] == ["type"]
    assert said["refused"]
    assert said["hits"][0]["book"] == f"M{book.pk}"
    assert said["hits"][0]["link"] == "https://foreign.example/1"


@pytest.mark.parametrize(
    ("state", "status"), [(State.BUSY, 503), (State.PAUSED, 503), (State.SPENT, 429), (State.FAILED, 200)]
)
def test_a_catalogue_that_cannot_be_asked_now_is_a_problem(client, source, monkeypatch, state, status):
    monkeypatch.setattr(parts, "look_up", lambda inquiries, may_ask: {source.number: Reply(state)})
    answer = client.get(ADDRESS)
    assert answer.status_code == status
    if status != 200:
        assert answer["Content-Type"].startswith("application/problem+json")
        assert answer["Retry-After"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("q=x", 400),
        ("source=R900000101", 400),
        ("source=R900000101&source=R900000102&q=x", 400),
        ("source=x&q=x", 400),
        ("source=R900000101&q=x&unknown=1", 400),
        ("source=R900000101&q=x&q=y", 400),
        ("source=R900000999&q=x", 404),
        (f"source=R900000101&q={'(' * 30}x", 400),
    ],
)
def test_wrong_requests_are_problems(client, source, query, status):
    answer = client.get(f"/api/live?{query}")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


def test_it_is_in_the_openapi_document(db):
    operation = document()["paths"]["/api/live"]["get"]
    assert {"200", "202", "400", "404", "429", "503"} <= set(operation["responses"])
    names = {parameter["name"] for parameter in operation["parameters"]}
    assert {"source", "q", "-language", "from"} <= names
    assert not {"sort", "page", "size", "cursor"} & names
