"""Harmful characters: how they are reported and corrected."""

import pytest

from metadata.policy import DEFAULT, Policy, Profile
from metadata.reading import read
from metadata.record import BibliographicRecord
from metadata.validation.characters import check_characters
from tests.metadata.documents import TITLE, codes, dcndl, read_dcndl, read_oai_dc


def note(value: str) -> str:
    return f"<dcterms:description>{value}</dcterms:description>"


@pytest.mark.parametrize(
    ("value", "code", "expected"),
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
        ("a\u200eb", "chars.W007", "a\u200eb"),
        ("寄贈&lt;br/&gt;貸出禁止", "chars.N010", "寄贈 貸出禁止"),
        ("&lt;p class='x'&gt;本文", "chars.N010", "本文"),
        ("H&lt;sub&gt;2&lt;/sub&gt;O", "chars.N010", "H2O"),
        ("a &lt;b&gt; c", "chars.I010", "a <b> c"),
        ("著者\u00a0\u00a0 書名", "chars.N107", "著者 書名"),
    ],
)
def test_characters_in_a_note_are_reported_and_corrected(value, code, expected):
    reading = read_dcndl(note(value))
    assert codes(reading) == [code]
    assert reading.record.notes == (expected,)


@pytest.mark.parametrize(
    "value",
    [
        "普通の注記、（１）・ｱ「」〜",
        "Q&amp;A “quoted” – naïve",
        "改行の\nある注記",
        '\\n \\t "q"',
        "a &lt; b",
        "10\u00a0km",
        "字下げ　　二つ  blanks",
        "&lt;特集&gt;猫",
        "&lt;Title&gt;",
    ],
)
def test_ordinary_text_has_no_issues(value):
    assert codes(read_dcndl(note(value))) == []


def test_private_use_in_the_title_rejects_the_record():
    reading = read_dcndl(title=TITLE.replace("坊っちゃん", "坊\ue123"))
    assert reading.record is None
    assert [(issue.code, issue.field) for issue in reading.issues] == [("chars.E015", "dc:title")]
    assert "U+E123" in reading.issues[0].value


def test_line_breaks_in_a_title_become_one_blank():
    reading = read_dcndl(title=TITLE.replace("坊っちゃん", "坊っ\n   ちゃん"))
    assert reading.record.title == "坊っ ちゃん"
    assert codes(reading) == ["chars.N012"]


def test_issues_name_the_element_of_the_format():
    reading = read_oai_dc("<dc:description>\ue000</dc:description>", "<dc:publisher>\ue001</dc:publisher>")
    assert {issue.field for issue in reading.issues} == {"dc:description", "dc:publisher"}


def test_values_that_are_too_long_are_reported():
    reading = read_dcndl(note("長" * 65_537), title=TITLE.replace("坊っちゃん", "長" * 4_001))
    assert sorted((issue.field, issue.value) for issue in reading.issues if issue.code == "chars.W013") == [
        ("dc:title", "4001"),
        ("dcterms:description", "65537"),
    ]


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("見えない\u200b空白", "見えない空白"),
        ("外字\ue000", "外字〓"),
        ("甲&lt;br&gt;乙", "甲 乙"),
        ("甲\u00a0\u00a0乙", "甲 乙"),
    ],
)
def test_the_issue_contains_the_corrected_value(value, result):
    assert [issue.result for issue in read_dcndl(note(value)).issues] == [result]


@pytest.mark.parametrize("profile", [Profile.IRDB, Profile.LAX])
def test_other_profiles_only_report_private_use_characters(profile):
    document = dcndl(note("外字\ue000"), title=TITLE.replace("坊っちゃん", "坊\ue123"))
    reading = read(document, "dcndl", Policy(profile=profile))
    assert (reading.record.title, reading.record.notes) == ("坊\ue123", ("外字\ue000",))
    assert {issue.result for issue in reading.issues if issue.code in {"chars.E005", "chars.E015"}} == {""}


@pytest.mark.parametrize("code", ["chars.N007", "chars.N010", "chars.N012", "chars.N107"])
def test_nothing_is_corrected_if_the_rule_is_off(code):
    texts = {"chars.N007": "a\u200bb", "chars.N010": "<b>a</b>", "chars.N012": "a\nb", "chars.N107": "a\u00a0\u00a0b"}
    record = BibliographicRecord(editions=(texts[code],))
    assert check_characters(record, {}, DEFAULT)[0] != record
    unchanged, issues = check_characters(record, {}, Policy(switches={code: None}))
    assert unchanged == record
    assert [issue.result for issue in issues] == [""]


def test_an_address_with_blanks_is_percent_encoded_in_links():
    reading = read_dcndl('<rdfs:seeAlso rdf:resource="https://opac.example.jp/bib 1?list[]=2"/>')
    assert reading.record.see_also == ("https://opac.example.jp/bib%201?list%5B%5D=2",)
    assert [(issue.code, issue.result) for issue in reading.issues] == [("chars.W014", reading.record.see_also[0])]


def test_an_invalid_uri_that_is_an_identifier_is_reported_and_kept():
    uri = "http://dewey.info/class/[E]/about"
    reading = read_dcndl(f'<dcterms:subject rdf:resource="{uri}"/>')
    assert reading.record.subjects[0].uri == uri
    assert codes(reading) == ["chars.W114"]


def test_long_runs_of_blanks_and_brackets_take_linear_time():
    record = BibliographicRecord(
        notes=(" " * 400_000 + "\u00a0\n" + "<a " * 100_000,), editions=("x\n" + " " * 400_000 + "y",)
    )
    assert check_characters(record, {}, DEFAULT)[0].editions == ("x y",)


def test_a_clean_record_is_the_same_object():
    record = BibliographicRecord(notes=("普通、（１）“q”",))
    assert check_characters(record, {}, DEFAULT)[0] is record
