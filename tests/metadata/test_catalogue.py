"""The catalogue of rules: it is complete, and its messages say what happened."""

import re
import string

import pytest

from metadata.catalogue import RULES, remedy, sentence, severity, severity_label, source
from metadata.issue import Issue, Severity
from metadata.reading import read
from tests.paths import ROOT

SOURCES = [ROOT / "metadata", ROOT / "harvesting"]
KNOWN = {"field", "value", "result"}
NO_REMEDY = {Severity.NORMALISED_SILENTLY, Severity.INFORMATION}
CODE = re.compile(r'"([a-z][a-z0-9_]*\.[EWNI]\d{3})"')


@pytest.mark.parametrize("code", RULES)
def test_every_rule_has_both_languages_and_only_known_placeholders(code):
    rule = RULES[code]
    for text in (rule.ja, rule.en, rule.remedy_ja, rule.remedy_en):
        assert {name for _, name, _, _ in string.Formatter().parse(text) if name is not None} <= KNOWN
    assert re.search("[ぁ-ん]", rule.ja)
    assert rule.en.isascii() or "〓" in rule.en or "“" in rule.en or "�" in rule.en
    assert bool(rule.remedy_ja) == bool(rule.remedy_en)
    assert rule.remedy_ja or rule.severity in NO_REMEDY


@pytest.mark.parametrize("code", RULES)
def test_every_rule_has_a_source_and_an_example(code):
    assert RULES[code].source
    assert RULES[code].example


@pytest.mark.parametrize("code", RULES)
def test_every_source_is_said_in_japanese(code):
    english = r"\b(guidelines?|tables?|figure|schema|own|rule|limit|check|note|appendix|changes?|list|and|the)\b"
    assert not re.search(english, re.sub(r"\([^)]*\)", "", source(code, "ja")))


def test_a_source_names_the_guideline_in_the_language_of_the_reader():
    assert source("dcndl.E003", "en").startswith("NDL guideline 2.1.2")
    assert source("dcndl.E003", "ja").startswith("国立国会図書館サーチ連携ガイドライン 2.1.2")
    assert source("none.E001", "ja") == ""


@pytest.mark.parametrize("code", [code for code in RULES if code.startswith("json.")])
def test_the_example_of_a_json_rule_has_its_issue(code):
    assert code in {issue.code for issue in read(RULES[code].example.encode(), "json").issues}


def test_the_codes_in_the_source_are_those_of_the_catalogue():
    used = {
        code
        for folder in SOURCES
        for path in folder.rglob("*.py")
        if not any(part.startswith("messages") for part in path.parts)
        for code in CODE.findall(path.read_text())
    }
    assert used == set(RULES)


def test_the_message_contains_value_and_field():
    issue = Issue(code="dcndl.E013", field="dcterms:identifier[@ISBN]", value="978-4-10-101001-0")
    assert sentence(issue, "ja").startswith("dcterms:identifier[@ISBN] の 978-4-10-101001-0 は正しい ISBN")
    assert "not used for matching" in sentence(issue, "en")
    assert "奥付" in remedy(issue, "ja")
    assert severity(issue.code) is Severity.ITEM_ERROR
    assert severity_label(Severity.ITEM_ERROR, "ja") == "項目エラー"


def test_a_long_value_is_shortened_in_the_message():
    assert len(sentence(Issue(code="dcndl.W024", field="dc:title", value="漢" * 5000), "ja")) < 400


def test_braces_in_values_are_not_interpreted():
    assert "{0} {field}" in sentence(Issue(code="dcndl.W122", value="{0} {field}"), "en")


def test_an_unknown_code_is_shown_with_its_field_and_value():
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
def test_an_absent_value_is_not_called_unreadable(code, ja, en):
    issue = Issue(code=code, field="x")
    assert sentence(issue, "ja").startswith(ja)
    assert sentence(issue, "en").startswith(en)
    assert "（" in sentence(Issue(code=code, field="x", value="?"), "ja")
