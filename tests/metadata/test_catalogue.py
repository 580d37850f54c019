"""The catalogue of rules: it is complete, and its messages say what happened."""

import ast
import re
import string
from collections.abc import Iterator
from functools import cache

import pytest

from metadata.catalogue import RULES, WORDS, remedy, sentence, severity, severity_label, source
from metadata.issue import Issue, Severity
from metadata.reading import read
from tests.levels import PACKAGES
from tests.paths import ROOT

SOURCES = [ROOT / "metadata", ROOT / "harvesting"]
NO_REMEDY = {Severity.NORMALISED_SILENTLY, Severity.INFORMATION}
CODE = re.compile(r'"([a-z][a-z0-9_]*\.[EWNI]\d{3})"')


@pytest.mark.parametrize("code", RULES)
def test_every_rule_is_in_both_languages_and_says_what_to_do(code):
    rule = RULES[code]
    assert re.search("[ぁ-ん]", rule.ja)
    assert rule.en.isascii() or "〓" in rule.en or "“" in rule.en or "�" in rule.en
    assert rule.remedy_ja or rule.severity in NO_REMEDY


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
    used = {code for text in modules_with_codes() for code in CODE.findall(text)}
    assert used == set(RULES)


def test_what_a_text_has_a_place_for_is_given_with_the_issue():
    calls = list(calls_with_codes())
    assert len(calls) > 250
    assert not [(code, sorted(missing)) for code, given in calls if (missing := places(code, given) - given)]


@cache
def modules_with_codes() -> list[str]:
    texts = (
        path.read_text(encoding="utf-8")
        for folder in SOURCES
        for path in folder.rglob("*.py")
        if path.parent.name != "migrations"  # which name the codes of earlier versions
    )
    return [text for text in texts if CODE.search(text)]


def calls_with_codes() -> Iterator[tuple[str, set[str]]]:
    """The code and the other arguments of every call of Issue or `note` in the source that names a code."""
    for text in modules_with_codes():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in {
                "Issue",
                "note",
            }:
                given = dict(zip(("code", "field", "value", "result"), node.args, strict=False))
                given |= {keyword.arg: keyword.value for keyword in node.keywords}
                for code in CODE.findall(ast.unparse(given["code"]).replace("'", '"')) if "code" in given else ():
                    yield code, set(given)


def places(code: str, given: set[str]) -> set[str]:
    """The placeholders in the texts of an issue with the given arguments."""
    rule = RULES[code]
    text = rule.en if "value" in given else rule.without_value_en or rule.en
    return {name for _, name, _, _ in string.Formatter().parse(text + rule.remedy_en) if name is not None}


def test_every_other_word_is_used():
    source = "".join((ROOT / "metadata" / name).read_text(encoding="utf-8") for name in ("catalogue.py", "__main__.py"))
    quoted = set(re.findall("""["'](\\w+)["']""", source))
    assert set(WORDS) == set(Severity) | (set(WORDS) & quoted)


def test_no_text_has_a_word_that_the_glossary_replaces():
    rows = (line.split("|") for line in (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8").splitlines())
    replaced = {word.strip() for row in rows if len(row) == 6 for word in row[4].split(",")}
    japanese = {word for word in replaced if re.fullmatch("[ぁ-ヿ一-鿿]+", word)}
    assert "ワーニング" in japanese
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.toml")]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    assert len(files) > 15
    assert not [(str(path), word) for path, text in texts.items() for word in japanese if word in text]


def test_the_message_contains_value_and_field():
    issue = Issue(code="dcndl.E013", field="dcterms:identifier[ISBN]", value="978-4-10-101001-0")
    assert sentence(issue, "ja").startswith("dcterms:identifier[ISBN] の 978-4-10-101001-0 は正しい ISBN")
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
