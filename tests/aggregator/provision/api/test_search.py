"""The JSON search: answers, facets, cursors, conditions and errors."""

import pytest

from aggregator.search.base import IndexUnavailable
from tests.aggregator.shelves import book_id


def test_the_answer_has_the_documented_fields(client, shelf, library, archive):
    source = shelf.record(library)
    shelf.book(source, shelf.record(archive))
    answer = client.get("/api/search", {"q": "こころ"}, headers={"accept-language": "ja"}).json()
    assert (answer["total"], answer["next"]) == (1, None)
    [item] = answer["items"]
    assert item.pop("score") > 0
    assert item.pop("changed").endswith("Z")
    assert item == {
        "id": book_id(source),
        "title": "こころ",
        "creators": ["夏目漱石"],
        "publishers": ["岩波書店"],
        "issued": "1989",
        "isbn": ["9784003101117"],
        "volume": "",
        "repositories": ["R900000001", "R900000002"],
        "links": ["https://library.example.jp/", "https://repository.example.jp/"],
        "libraries": 2,
        "url": f"http://127.0.0.1:8000/books/{book_id(source)}",
        "licences": [],
    }


def test_facets_carry_value_label_and_count(client, shelf, library):
    shelf.book(shelf.record(library))
    facets = client.get("/api/search", headers={"accept-language": "ja"}).json()["facets"]
    assert facets["repository"] == [{"value": "R900000001", "label": "見本市立図書館", "count": 1}]
    assert facets["year"] == [{"value": "1989", "label": "1989", "count": 1}]
    assert facets["type"][0]["label"] == "図書"


def test_the_cursor_leads_through_all_hits_once(client, shelf, library):
    expected = set()
    for _number in range(5):
        source = shelf.record(library)
        shelf.book(source)
        expected.add(book_id(source))
    seen, parameters = [], {"size": "2"}
    while True:
        answer = client.get("/api/search", parameters).json()
        seen += [item["id"] for item in answer["items"]]
        if not answer["next"]:
            break
        parameters["cursor"] = answer["next"]
    assert (len(seen), set(seen)) == (5, expected)


@pytest.mark.parametrize(
    ("name", "value"), [("colour", "red"), ("size", "0"), ("size", "101"), ("cursor", "zzz"), ("cursor", "b2xkZXN0OjE")]
)
def test_a_bad_parameter_gets_400_with_the_reason(client, shelf, name, value):
    answer = client.get("/api/search", {name: value})
    assert answer.status_code == 400
    assert answer.json()["parameter"] == name
    assert answer.json()["detail"]


def test_an_unavailable_index_is_answered_with_503(client, shelf, monkeypatch):
    def fail():
        raise IndexUnavailable("outdated")

    monkeypatch.setattr("aggregator.indexing.searching.get_index", fail)
    answer = client.get("/api/search")
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "こころ"),
        ("publisher", "岩波"),
        ("isbn", "4-00-310111-1"),
        ("type", "Book"),
        ("publisher_is", "岩波書店"),
        ("creator_is", "夏目, 漱石"),
    ],
)
def test_every_condition_narrows_and_with_a_hyphen_excludes(client, shelf, library, name, value):
    shelf.book(shelf.record(library))
    assert client.get("/api/search", {name: value}).json()["total"] == 1
    assert client.get("/api/search", {f"-{name}": value}).json()["total"] == 0
    assert client.get("/search", {f"-{name}": value}).status_code == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("issn", "0385-4001"),
        ("ndc", "x"),
        ("ndc", "9133"),
        ("language", "nowhere"),
        ("type", "Spaceship"),
        ("online", "yes please"),
        ("sort", "best"),
        ("-from", "1990"),
        ("-sort", "newest"),
        ("-isbn", "12"),
    ],
)
def test_a_bad_condition_gets_400_in_both_languages(client, shelf, name, value):
    for language in ("ja", "en"):
        answer = client.get("/api/search", {name: value}, headers={"accept-language": language})
        assert (answer.status_code, answer.json()["parameter"]) == (400, name)


def test_too_many_values_of_a_condition_are_refused(client, shelf):
    assert client.get("/api/search", {"ndc": [str(number) for number in range(100, 151)]}).status_code == 400


def test_the_problem_of_a_too_complex_query_says_where(client, shelf):
    english = {"accept-language": "en"}
    problem = client.get("/api/search", {"q": "猫 " + "(" * 11 + "犬"}, headers=english).json()
    assert (problem["parameter"], "the one at character 13" in problem["detail"]) == ("q", True)
    problem = client.get("/api/search", {"title": "a " * 65}, headers=english).json()
    assert (problem["parameter"], "At most 64 words" in problem["detail"]) == ("title", True)
