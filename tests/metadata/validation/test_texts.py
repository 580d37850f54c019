"""The texts of rules in their files: what is wrong with a file is refused, and every file is used."""

import re
from pathlib import Path

import pytest

from metadata.catalogue import RULES
from metadata.issue import Profile, Severity
from metadata.validation.texts import rule_texts
from tests.paths import ROOT

RULE = """
[cards.E001]
severity = 'record_error'
profiles = { irdb = 'warning', lax = 'off' }
ja = '{field} がないか、読み取れません（{value}）。'
en = '{field} is missing or cannot be read ({value}).'
without_value_ja = '{field} がありません。'
without_value_en = '{field} is missing.'
remedy_ja = '書名を入れてください。'
remedy_en = 'Write the title.'
source = 'our own rule'
example = '<heading></heading>'
"""


@pytest.fixture
def read_rules(tmp_path: Path):
    def read(text: str):
        path = tmp_path / "rules.toml"
        path.write_text(text, encoding="utf-8")
        return rule_texts(path)

    return read


def test_a_rule_is_read_by_its_code(read_rules):
    rules = read_rules(RULE)
    assert list(rules) == ["cards.E001"]
    assert rules["cards.E001"].severity is Severity.RECORD_ERROR
    assert rules["cards.E001"].profiles == {Profile.IRDB: Severity.WARNING, Profile.LAX: None}
    assert rules["cards.E001"].remedy_ja == "書名を入れてください。"


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("cards.E001", "cards.E01", "rules.toml: cards.E01 is not a code such as cards.E001"),
        ("[cards.E001]", "[cards]", "rules.toml: cards.severity is not a code such as cards.E001"),
        ("[cards.E001]", "cards = 1\n[other.E001]", "rules.toml: the codes of a file begin with one family"),
        ("'record_error'", "'error'", "cards.E001: Invalid enum value 'error' - at `$.severity`"),
        ("lax = 'off'", "lex = 'off'", "cards.E001: Invalid enum value 'lex' - at `key` in `$.profiles`"),
        ("lax = 'off'", "lax = 'of'", "cards.E001: Invalid enum value 'of' - at `$.profiles[...]`"),
        ("remedy_en", "remedy_eng", "cards.E001: Object contains unknown field `remedy_eng`"),
        ("remedy_en = 'Write the title.'", "", "cards.E001: remedy_en is missing"),
        ("source = 'our own rule'", "", "cards.E001: Object missing required field `source`"),
        ("'<heading></heading>'", "''", "cards.E001: Expected `str` of length >= 1 - at `$.example`"),
        ("'{field} is missing.'", "'It is missing.'", "only one of without_value_ja and without_value_en has {field}"),
        ("書名を入れてください。", "{書名}を入れてください。", "only one of remedy_ja and remedy_en has {書名}"),
        ("{value}", "{title}", "cards.E001: unknown placeholder {title}"),
        ("読み取れません（{value}）", "読み取れません（{value）", "cards.E001: ja: "),
    ],
)
def test_a_mistake_is_refused_with_its_file_code_and_key(read_rules, right, wrong, error):
    assert right in RULE
    with pytest.raises(ValueError, match=r"rules\.toml") as refused:
        read_rules(RULE.replace(right, wrong))
    assert error in str(refused.value)


def test_a_code_cannot_stand_twice_in_a_file(read_rules):
    with pytest.raises(ValueError, match=r"Cannot declare \('cards', 'E001'\) twice"):
        read_rules(RULE + RULE)


@pytest.mark.parametrize("name", ["how-to/add-a-rule.md", "tutorials/first-format.md"])
def test_the_example_in_the_documents_is_a_rule(read_rules, name):
    [example] = re.findall("```toml\n(.*?)```", (ROOT / "docs" / name).read_text(encoding="utf-8"), re.DOTALL)
    assert len(read_rules(example)) == 1


def test_the_rules_of_every_file_are_in_the_catalogue():
    folder = ROOT / "metadata"
    files = [*folder.glob("formats/*/rules.toml"), *folder.glob("validation/rules/*.toml")]
    assert len(files) > 10
    codes = [code for path in files for code in rule_texts(path)]
    assert sorted(codes) == sorted(RULES)
