"""JSON services: a declared mapping turns answers into records; a mapping is proposed from a real answer."""

import json

import pytest

from harvesting.live.asking import check, check_address, describe, read_answer, request_for
from harvesting.live.types import AllOf, LiveError, LiveSource, Page, Word, Years

ADDRESS = "https://catalog.example.jp/search?q={words}&isbn={isbn?}&from={first_year?}&to={last_year?}&n={count}"
BOOK = {
    "id": "a/1",
    "info": {"title": "こころ", "authors": ["夏目漱石", "装者"], "isbn": ["978-4-00-310111-7"], "date": "1989年"},
    "price": 500,
}
ANSWER = {"response": {"numFound": 12, "docs": [BOOK, {**BOOK, "id": "2", "info": {"title": "門"}}]}}
MAPPING = {
    "items": "response.docs",
    "total": "response.numFound",
    "link": "https://catalog.example.jp/books/{id}",
    "fields": {"info.title": "title", "info.authors": "creator", "info.isbn": "isbn", "info.date": "issued"},
}


def source(**options):
    return LiveSource(number="R1", names={}, kind="live-json", address=ADDRESS, options={**MAPPING, **options})


def answered(value, **options):
    return read_answer(source(**options), json.dumps(value).encode(), "application/json")


def test_an_answer_is_read_by_the_mapping():
    answer = answered(ANSWER)
    first, second = answer.records
    assert (answer.total, first.record.title, second.record.title) == (12, "こころ", "門")
    assert [creator.name for creator in first.record.creators] == ["夏目漱石", "装者"]
    assert (first.record.values("ISBN"), first.record.issued) == (("9784003101117",), "1989")
    assert [hit.link for hit in answer.records] == [
        f"https://catalog.example.jp/books/{number}" for number in ("a%2F1", "2")
    ]


def test_records_are_checked_like_harvested_ones():
    answer = answered({"response": {"docs": [{"info": {"title": "門", "isbn": "123"}}, {"info": {}}]}})
    assert {issue.code for issue in answer.records[0].issues} >= {"json.E009", "json.W007"}
    assert [issue.code for issue in answer.rejected[0]][:1] == ["json.E005"]


def test_fields_fill_the_template():
    question = AllOf((Word("any", "a"), Word("isbn", "9784003101117"), Years(1990, 2000)))
    request = request_for(source(), question, limit=10)
    assert request.url == "https://catalog.example.jp/search?q=a&isbn=9784003101117&from=1990&to=2000&n=10"
    assert request.refused == ()


def test_a_required_place_without_a_value_is_left_out_with_its_parameter():
    assert request_for(source(), Word("isbn", "9784003101117"), limit=10).url == (
        "https://catalog.example.jp/search?isbn=9784003101117&n=10"
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<html>", "live.not_json"),
        (b"", "live.not_json"),
        (b"[" * 100_000, "live.not_json"),
        (b"[]", "live.no_items"),
        (b'{"response": 3}', "live.no_items"),
        (b'{"response": {"docs": {}}}', "live.no_items"),
        (b" " * 2_000_001, "live.too_large"),
    ],
)
def test_other_answers_are_refused(body, code):
    with pytest.raises(LiveError) as raised:
        read_answer(source(), body)
    assert raised.value.code == code


def test_a_list_that_is_absent_means_no_hits():
    assert answered({"response": {"numFound": 0}}).records == ()


@pytest.mark.parametrize("odd", [None, 3, "x", [], {"info": None}, {"info": [[["x"]]]}, {"info": {"title": {"a": 1}}}])
def test_odd_records_do_not_stop_the_others(odd):
    answer = answered({"response": {"docs": [odd, BOOK]}})
    assert [hit.record.title for hit in answer.records] == ["こころ"]


def test_markup_and_control_characters_are_taken_out_as_from_harvested_records():
    answer = answered({"response": {"docs": [{"id": "x", "info": {"title": "<script>alert(1)</script>\u0000"}}]}})
    assert answer.records[0].record.title == "alert(1)"


def test_a_link_cannot_leave_its_folder():
    answer = answered({"response": {"docs": [{**BOOK, "id": ".."}]}})
    assert answer.records[0].link == ""


def test_a_mapping_is_proposed_from_an_answer():
    asked = []

    def fetch(url, parameters):
        asked.append(url)
        return Page(url, json.dumps(ANSWER).encode())

    found = describe(fetch, "live-json", ADDRESS, "漱石")
    assert asked == ["https://catalog.example.jp/search?q=%E6%BC%B1%E7%9F%B3&n=50"]
    assert (found.options.items, found.options.total) == ("response.docs", "response.numFound")
    assert found.options.fields == {
        "info.title": "title", "info.authors": "creator", "info.isbn": "isbn", "info.date": "issued", "price": "price"
    }  # fmt: skip
    assert json.loads(found.example) == BOOK


@pytest.mark.parametrize("answer", [[], {}, {"a.b": [{"title": "x"}]}, [1, 2], "text", None])
def test_nothing_is_proposed_where_there_are_no_records(answer):
    found = describe(lambda url, _p: Page(url, json.dumps(answer).encode()), "live-json", ADDRESS, "a")
    assert found.options.fields == {}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, ""),
        ({"fields": {}}, "fields"),
        ({"fields": {"a": "title", "b": "colour"}}, "fields"),
        ({"fields": {".".join("abcdefghij"): "title"}}, "options"),
        ({"link": "id"}, ""),
        ({"link": "https://{id}.example.jp/"}, "template.address"),
        ({"link": "javascript:{id}"}, "template.address"),
    ],
)
def test_a_mapping_is_checked(changes, code):
    assert check("live-json", {**MAPPING, **changes}) == code


def test_an_address_needs_a_place_for_the_words():
    assert check_address("live-json", ADDRESS) == ""
    assert check_address("live-json", "https://catalog.example.jp/search") == "template.no_words"


def test_a_catalogue_of_links_is_never_asked():
    link = LiveSource(number="R1", names={}, kind="live-link", address="https://x.example.jp/?q={words}")
    request = request_for(link, Word("title", "こころ"))
    assert (request.url, request.empty) == ("", True)
    assert request.follow == "https://x.example.jp/?q=%E3%81%93%E3%81%93%E3%82%8D"
    assert [refused.code for refused in request.refused] == ["anywhere"]
    with pytest.raises(LiveError):
        read_answer(link, b"<rss/>")
