"""Lines of a file as records, and errors for invalid lines."""

import json

import pytest

from aggregator.matching.evaluation.files import FileError, read_rows, record_of


def record_with(**fields):
    (row,) = read_rows([json.dumps({"id": "a:1", "title": "こころ", **fields})])
    return record_of(row)


def test_every_field_has_its_place():
    record = record_with(
        title_yomi="ココロ",
        volume="上",
        creators=["夏目漱石"],
        creators_yomi=["ナツメソウセキ"],
        issued="大正3.9",
        isbn=["4-00-310101-4"],
        type="book",
    )
    assert (record.title, record.titles[0].transcription, record.volume, record.year) == (
        "こころ",
        "ココロ",
        "上",
        "1914",
    )
    assert [(creator.name, creator.transcription) for creator in record.creators] == [("夏目漱石", "ナツメソウセキ")]
    assert record.values("ISBN") == ("9784003101018",)
    assert record.material_types[0].uri.endswith("/Book")


@pytest.mark.parametrize(
    ("type_", "uri"),
    [
        ("sound", "http://purl.org/dc/dcmitype/Sound"),
        ("video", "http://purl.org/dc/dcmitype/MovingImage"),
        ("music", "http://ndl.go.jp/ndltype/MusicScore"),
        ("thesis", "http://ndl.go.jp/ndltype/DoctoralDissertation"),
        ("image", "http://purl.org/dc/dcmitype/StillImage"),
        ("recorded", "http://ndl.go.jp/ndltype/Book"),
    ],
)
def test_every_type_has_its_uri(type_, uri):
    assert record_with(type=type_).material_types[0].uri == uri


def test_notes_and_urls_are_read():
    record = record_with(notes=["点字"], urls=["https://example.org/a.pdf"])
    assert (record.notes, record.see_also) == (("点字",), ("https://example.org/a.pdf",))


def test_the_date_of_a_feed_is_no_date_of_publication():
    assert record_with(issued="Fri, 29 Mar 2024 09:07:28 +0900").issued == ""


def test_only_id_and_title_are_needed():
    assert record_with().identifiers == () and record_with().issued == ""


def test_an_isbn_marked_as_set_is_a_set_isbn():
    record = record_with(isbn=["9781937735180 (set)", "4003101014"])
    assert (record.values("SetISBN"), record.values("ISBN")) == (("9781937735180",), ("9784003101018",))


def test_identifiers_that_are_not_valid_are_left_out():
    assert record_with(isbn=["4003101015"], issn=["0000-0001"]).identifiers == ()


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"id": 1, "title": "a"}', b'{"id": "a"}', b'{"id":"\xff","title":""}'])
def test_an_invalid_line_is_reported_with_its_number(line):
    with pytest.raises(FileError) as caught:
        list(read_rows([b"", b'{"id": "a", "title": "b"}', line]))
    assert caught.value.line == 3
