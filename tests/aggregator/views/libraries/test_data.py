"""Libraries as JSON."""

import gzip
import json

import pytest

from aggregator.models import LibraryCode

pytestmark = pytest.mark.django_db
BASE = "http://127.0.0.1:8000"


@pytest.fixture
def central(shelf):
    return shelf.library(
        "大阪府立中央図書館",
        "2127",
        prefecture="27",
        municipality="27227",
        latitude=34.67,
        longitude=135.6,
        lends=False,
    )


def test_the_list_has_every_library_with_its_place(client, shelf, central):
    other = shelf.library("どこかの図書館", "3002")
    shelf.library("前身の図書館", "3003", merged_into=central)
    answer = client.get("/libraries.json").json()
    assert answer["total"] == 2
    assert [entry["number"] for entry in answer["libraries"]] == [f"L{central.pk}", f"L{other.pk}"]
    assert answer["libraries"][0] == {
        "number": f"L{central.pk}",
        "name": "大阪府立中央図書館",
        "name_en": "",
        "kind": "",
        "prefecture": "27",
        "municipality": "27227",
        "latitude": 34.67,
        "longitude": 135.6,
        "books": 0,
        "url": f"{BASE}/libraries/L{central.pk}",
    }


def test_the_list_may_be_kept_and_read_by_scripts_of_other_sites(client, central):
    answer = client.get("/libraries.json")
    assert answer["Access-Control-Allow-Origin"] == "*" and "max-age=3600" in answer["Cache-Control"]
    assert client.get("/libraries.json", headers={"if-none-match": answer["ETag"]}).status_code == 304


def test_the_list_is_sent_compressed_and_only_again_when_it_has_changed(client, shelf, central):
    for number in range(9):
        shelf.library(f"図書館{number}", f"30{number:02}")
    answer = client.get("/libraries.json", headers={"accept-encoding": "gzip"})
    assert json.loads(gzip.decompress(answer.content))["total"] == 10
    asked = {"accept-encoding": "gzip", "if-none-match": answer["ETag"]}
    assert client.get("/libraries.json", headers=asked).status_code == 304
    shelf.library("新しい図書館", "4000")
    assert client.get("/libraries.json", headers=asked).status_code == 200


def test_the_list_takes_one_query(client, shelf, central, django_assert_num_queries):
    for number in range(5):
        shelf.library(f"図書館{number}", f"30{number:02}")
    with django_assert_num_queries(1):
        client.get("/libraries.json")


def test_one_library_has_its_codes_branches_and_newest_books(client, shelf, library, central):
    branch = shelf.library("分館", "3001", parent=central)
    book = shelf.book(shelf.record(library), libraries=[central])
    answer = client.get("/libraries/2127.json").json()
    assert answer["codes"] == [{"scheme": "NDLLibCode", "value": "2127"}]
    brief = {"number": f"L{branch.pk}", "name": "分館", "url": f"{BASE}/libraries/L{branch.pk}"}
    assert (answer["branches"], answer["newest"], answer["lends"]) == ([brief], [f"M{book.pk}"], False)
    assert client.get(f"/libraries/L{branch.pk}.json").json()["parent"]["number"] == f"L{central.pk}"


def test_codes_that_mean_no_library_or_several_are_problems(client, shelf, central):
    other = shelf.library("別の図書館", "2999")
    LibraryCode.objects.create(scheme="local", value="2127", library=other)
    for code in ("2127", "9999"):
        answer = client.get(f"/libraries/{code}.json")
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert client.get("/libraries.json?x=1").status_code == 400


def test_all_holders_of_a_book_are_named_with_one_query(client, shelf, library, central, django_assert_num_queries):
    other = shelf.library("別の図書館", "2999")
    book = shelf.book(shelf.record(library), libraries=[other, central])
    with django_assert_num_queries(1):
        answer = client.get(f"/books/M{book.pk}/holders.json").json()
    assert [number for number, _link, _kind in answer["libraries"]] == [f"L{central.pk}", f"L{other.pk}"]
    assert client.get("/books/M99999/holders.json").json() == {"libraries": []}
