"""The table of sentences: complete, and able to say what happened."""

import re
import string

import pytest

from metadata.catalogue import RULES, remedy, sentence, severity, severity_label
from metadata.issue import Issue, Severity
from metadata.reading import read
from tests.paths import ROOT

SOURCES = [ROOT / "metadata", ROOT / "harvesting"]
KNOWN = {"field", "value", "result"}
NO_REMEDY = {Severity.NORMALISED_SILENTLY, Severity.INFORMATION}
CODE = re.compile(r'"([a-z][a-z0-9_]*\.[EWNI]\d{3})"')


@pytest.mark.parametrize("code", RULES)
def test_every_rule_speaks_both_languages_and_names_only_what_it_knows(code):
    rule = RULES[code]
    for text in (rule.ja, rule.en, rule.remedy_ja, rule.remedy_en):
        assert {name for _, name, _, _ in string.Formatter().parse(text) if name is not None} <= KNOWN
    assert re.search("[ぁ-ん]", rule.ja)
    assert rule.en.isascii() or "〓" in rule.en or "“" in rule.en or "�" in rule.en
    assert bool(rule.remedy_ja) == bool(rule.remedy_en)
    assert rule.remedy_ja or rule.severity in NO_REMEDY


@pytest.mark.parametrize("code", RULES)
def test_every_rule_says_where_it_comes_from_and_shows_an_example(code):
    assert RULES[code].source
    assert RULES[code].example


@pytest.mark.parametrize("code", [code for code in RULES if code.startswith("json.")])
def test_the_example_of_a_record_as_json_is_faulty_as_the_rule_says(code):
    assert code in {issue.code for issue in read(RULES[code].example.encode(), "json").issues}


def test_every_code_in_the_source_is_in_the_table_and_the_other_way_round():
    used = {
        code
        for folder in SOURCES
        for path in folder.rglob("*.py")
        if not any(part.startswith("messages") for part in path.parts)
        for code in CODE.findall(path.read_text())
    }
    assert used == set(RULES)


def test_the_sentence_names_what_and_where():
    issue = Issue(code="dcndl.E013", field="dcterms:identifier[@ISBN]", value="978-4-10-101001-0")
    assert sentence(issue, "ja").startswith("dcterms:identifier[@ISBN] の 978-4-10-101001-0 は正しい ISBN")
    assert "not used for matching" in sentence(issue, "en")
    assert "奥付" in remedy(issue, "ja")
    assert severity(issue.code) is Severity.ITEM_ERROR
    assert severity_label(Severity.ITEM_ERROR, "ja") == "項目エラー"


def test_a_long_value_is_cut_in_the_sentence():
    assert len(sentence(Issue(code="dcndl.W024", field="dc:title", value="漢" * 5000), "ja")) < 400


def test_values_with_braces_are_shown_as_they_are():
    assert "{0} {field}" in sentence(Issue(code="dcndl.W122", value="{0} {field}"), "en")


def test_a_code_of_another_version_is_shown_rather_than_lost():
    issue = Issue(code="dcndl.X999", field="dc:title", value="v")
    assert sentence(issue, "ja") == "dcndl.X999 dc:title v"
    assert remedy(issue, "ja") == ""
    assert severity(issue.code) is Severity.INFORMATION


@pytest.mark.parametrize(
    ("code", "ja", "en"),
    [
        ("oai_dc.W007", "dc:date がありません。", "There is no dc:date."),
        ("rss.W007", "出版年を示す日付がありません。", "There is no date of publication."),
        ("marcxml.W007", "260／264 $c にも 008 にも出版年がありません。", "Neither 260/264 $c nor 008"),
        ("jpcoar.W025", "x の contributorType がありません。", "The contributorType of x is missing."),
    ],
)
def test_what_is_absent_is_not_called_unreadable(code, ja, en):
    issue = Issue(code=code, field="x")
    assert sentence(issue, "ja").startswith(ja)
    assert sentence(issue, "en").startswith(en)
    assert "（" in sentence(Issue(code=code, field="x", value="?"), "ja")
