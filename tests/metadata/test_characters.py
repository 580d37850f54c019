"""Characters that hurt."""

import pytest

from metadata.record import BibliographicRecord
from metadata.validation.characters import check_characters
from metadata.validation.policy import DEFAULT
from tests.metadata.documents import TITLE, codes, read_dcndl, read_oai_dc


def note(value: str) -> str:
    return f"<dcterms:description>{value}</dcterms:description>"


@pytest.mark.parametrize(
    ("value", "code", "kept"),
    [
        ("外字\ue000です", "chars.E005", "外字〓です"),
        ("外字\uf8ffです", "chars.E005", "外字〓です"),
        ("外字\U000f0001です", "chars.E005", "外字〓です"),
        ("𠮷野家", "chars.W006", "𠮷野家"),
        ("見えない\ufeff\u200b空白", "chars.N007", "見えない空白"),
        ("化け\ufffdた\x85文字", "chars.W007", "化け\ufffdた\x85文字"),
        ("a\u202eb", "chars.W007", "a\u202eb"),
        ("Q&amp;amp;A", "chars.W009", "Q&amp;A"),
        ("&amp;#12354;", "chars.W009", "&#12354;"),
        ("寄贈&lt;br/&gt;貸出禁止", "chars.I010", "寄贈<br/>貸出禁止"),
        ("&lt;p class='x'&gt;本文", "chars.I010", "<p class='x'>本文"),
    ],
)
def test_a_note_with_such_characters_is_told_and_mended_where_it_must(value, code, kept):
    found = read_dcndl(note(value))
    assert codes(found) == [code]
    assert found.record.notes == (kept,)


@pytest.mark.parametrize(
    "value",
    [
        "普通の注記、（１）・ｱ「」〜",
        "Q&amp;A “quoted” – naïve",
        "改行の\nある注記",
        '\\n \\t "q"',
        "a &lt; b",
        "&lt;特集&gt;猫",
        "&lt;Title&gt;",
    ],
)
def test_ordinary_text_is_left_alone(value):
    assert codes(read_dcndl(note(value))) == []


def test_private_use_in_the_title_rejects_the_record():
    found = read_dcndl(title=TITLE.replace("坊っちゃん", "坊\ue123"))
    assert found.record is None
    assert [(each.code, each.field) for each in found.issues] == [("chars.E015", "dc:title")]
    assert "U+E123" in found.issues[0].value


def test_line_breaks_in_a_title_become_one_blank():
    found = read_dcndl(title=TITLE.replace("坊っちゃん", "坊っ\n   ちゃん"))
    assert found.record.title == "坊っ ちゃん"
    assert codes(found) == ["chars.N012"]


def test_a_message_names_the_element_of_the_format():
    found = read_oai_dc("<dc:description>\ue000</dc:description>", "<dc:publisher>\ue001</dc:publisher>")
    assert {issue.field for issue in found.issues} == {"dc:description", "dc:publisher"}


def test_values_that_are_too_long_are_told():
    found = read_dcndl(note("長" * 65_537), title=TITLE.replace("坊っちゃん", "長" * 4_001))
    assert sorted((issue.field, issue.value) for issue in found.issues if issue.code == "chars.W013") == [
        ("dc:title", "4001"),
        ("dcterms:description", "65537"),
    ]


def test_a_clean_record_is_the_same_object():
    record = BibliographicRecord(notes=("普通、（１）“q”",))
    assert check_characters(record, {}, DEFAULT)[0] is record
