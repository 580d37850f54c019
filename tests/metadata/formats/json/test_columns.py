"""Headings and rows of tables, read as records."""

import pytest

from metadata.formats.json.columns import COLUMNS, known_heading, map_headings, read_row
from metadata.record import Agent, Identifier, Item, Subject, Title


@pytest.mark.parametrize(
    ("heading", "column"),
    [("書名", "title"), ("タイトル", "title"), ("ＩＳＢＮ", "isbn"), ("Title", "title"), ("著者名", "creator")]
    + [("出版社", "publisher"), ("出版年", "issued"), ("件名", "subject"), ("ID", "identifier"), ("色", "")],
)
def test_headings_are_recognised_by_their_wording(heading, column):
    assert known_heading(heading) == column


def test_registered_columns_override_recognised_headings():
    assert map_headings(["書名", "題", "備考", "色"], {"題": "title", "書名": "series", "備考": "-"}) == [
        "series",
        "title",
        "",
        "",
    ]


def test_columns_can_be_named_after_record_fields():
    assert map_headings(["a", "b"], {"a": "titles", "b": "creators"}) == ["title", "creator"]


def test_a_row_becomes_a_record():
    row = read_row(
        [
            ("identifier", " 7 "),
            ("title", "本の話"),
            ("title_reading", "ホン ノ ハナシ"),
            ("creator", "山田太郎；鈴木花子"),
            ("publisher", "見本書房"),
            ("place", "東京"),
            ("issued", "2019.2"),
            ("isbn", "978-4-10-101001-4"),
            ("ndc10", "913.6"),
            ("subject", "読書|歴史"),
            ("call_number", "913.6/Y"),
        ]
    )
    assert (row.identifier, row.deleted) == ("7", False)
    record = row.record
    assert record.titles == (Title(value="本の話", transcription="ホン ノ ハナシ"),)
    assert record.creators == (Agent(name="山田太郎"), Agent(name="鈴木花子"))
    assert record.publishers == (Agent(name="見本書房", location="東京"),)
    assert record.identifiers == (Identifier(scheme="ISBN", value="978-4-10-101001-4"),)
    assert record.subjects == (Subject(value="913.6", scheme="NDC10"), Subject(value="読書"), Subject(value="歴史"))
    assert record.items == (Item(call_number="913.6/Y"),)


def test_readings_are_dropped_if_their_number_differs_from_the_values():
    record = read_row([("creator", "甲;乙"), ("creator_reading", "コウ")]).record
    assert record.creators == (Agent(name="甲"), Agent(name="乙"))


@pytest.mark.parametrize("word", ["1", "TRUE", "削除", "○"])
def test_deleted_rows_are_recognised(word):
    assert read_row([("identifier", "1"), ("deleted", word)]).deleted


def test_formulas_stay_text_and_nul_bytes_are_removed():
    assert read_row([("title", '=HYPERLINK("http://x")\0')]).record.title == '=HYPERLINK("http://x")'


@pytest.mark.parametrize("column", sorted(COLUMNS))
def test_every_column_can_be_read(column):
    row = read_row([("title", "T"), ("creator", "A"), ("publisher", "P"), ("series", "S"), (column, "x")])
    assert row.record.titles
