"""Which enrichment rules are refused and why, patterns included, and their JSON."""

import json
import time

import pytest

from metadata.enrichment.documents import RuleError, as_json, check_rule, read_codes, read_rules, write_codes
from metadata.enrichment.patterns import LONGEST_TEXT, substitute
from metadata.enrichment.rules import Condition, Fixed, MapCodes, Replace, Split

ALL = (
    Fixed(name="権利", field="rights", value="CC0", conditions=(Condition(field="rights", test="empty"),)),
    Replace(name="巻", field="volume", find=r"第(\d+)巻", replacement=r"\1", pattern=True),
    MapCodes(name="種別", field="material_type", codes=(("1", "図書"), ("2", "雑誌"))),
    Split(name="著者", field="creator", separator=";"),
)


def test_rules_are_the_same_after_being_written_and_read():
    assert read_rules(json.dumps(as_json(ALL)).encode()) == ALL


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (Fixed(name="a", field="isbn", value="1"), "field_unknown"),
        (Fixed(name="a", field="issued", value="明治39"), "value_wrong"),
        (Fixed(name="a", field="title", value="a\x00"), "text_wrong"),
        (Fixed(name="a", field="issued", value="1906", add=True), "cannot_add"),
        (Fixed(name="a", field="link", value="javascript:alert(1)"), "value_wrong"),
        (Fixed(name="a", field="note", value="x", conditions=(Condition(field="note", test="is"),)), "condition_value"),
        (Fixed(name="a", field="note", value="x", conditions=(Condition(field="?", test="empty"),)), "field_unknown"),
        (MapCodes(name="a", field="note", codes=(("1", "a"), ("1", "b"))), "code_twice"),
        (MapCodes(name="a", field="note", codes=(("", "a"),)), "code_empty"),
        (MapCodes(name="a", field="language", codes=(("J", "日本語"),)), "value_wrong"),
        (Split(name="a", field="title_reading", separator=";"), "cannot_split"),
        (Split(name="a", field="title", separator=";", into="item_location"), "cannot_add"),
        (Replace(name="a", field="title", find="(a", pattern=True), "pattern_wrong"),
        (Replace(name="a", field="title", find=r"(?=a)", pattern=True), "pattern_wrong"),
        (Replace(name="a", field="title", find=r"\C", pattern=True), "pattern_wrong"),
        (Replace(name="a", field="title", find="a*", pattern=True), "pattern_empty"),
        (Replace(name="a", field="title", find=r"\b", pattern=True), "pattern_empty"),
        (Replace(name="a", field="title", find="x" * 201, pattern=True), "pattern_long"),
        (Replace(name="a", field="title", find="(?:x{50}){19}y{99}", pattern=True), "pattern_large"),
        (Replace(name="a", field="title", find="(a)", replacement=r"\2", pattern=True), "replacement_wrong"),
        (Replace(name="a", field="title", find="(a)", replacement="\\", pattern=True), "replacement_wrong"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_with_a_reason(rule, code):
    with pytest.raises(RuleError) as caught:
        check_rule(rule)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "document_wrong"),
        (b"[]", "document_wrong"),
        (b"\xff", "document_wrong"),
        (b'{"rules": [{"kind": "program", "name": "a", "field": "title"}]}', "document_wrong"),
        (b'{"rules": [{"kind": "fixed", "name": "a", "field": "title", "value": "b", "code": "c"}]}', "document_wrong"),
        (b'{"rules": [{"kind": "fixed", "name": "", "field": "title", "value": "b"}]}', "document_wrong"),
        (json.dumps(as_json(ALL[:1] * 2)).encode(), "name_twice"),
        (json.dumps(as_json(ALL[:1] * 51)).encode(), "too_many_rules"),
        (b" " * (2 * 2**20 + 1), "document_large"),
    ],
)
def test_a_document_that_is_not_a_rule_set_is_refused(data, code):
    with pytest.raises(RuleError) as caught:
        read_rules(data)
    assert caught.value.code == code


def test_codes_are_pasted_as_tsv_or_csv():
    assert read_codes("\ufeff1\t図書\r\n2\t\r\n\r\n") == (("1", "図書"), ("2", ""))
    assert read_codes('1,"図書, 雑誌"\n') == (("1", "図書, 雑誌"),)
    assert read_codes(write_codes((("a\tb", 'c"d'),))) == (("a\tb", 'c"d'),)


@pytest.mark.parametrize("text", ["1", "1,2,3", '1,"2'])
def test_lines_without_two_columns_are_refused(text):
    with pytest.raises(RuleError, match="line_wrong"):
        read_codes(text)


@pytest.mark.parametrize("pattern", [r"(?:x+x+){100}y", r"(x|xx)+y", "x.*y|x", "(?:(?:x?){30}x{30}){8}y"])
def test_no_pattern_takes_long(pattern):
    check_rule(Replace(name="a", field="title", find=pattern, pattern=True))
    started = time.process_time()
    substitute(pattern, "", "x" * LONGEST_TEXT)
    assert time.process_time() - started < 2


def test_a_text_that_is_too_long_for_patterns_stays():
    assert substitute("x", "", "x" * (LONGEST_TEXT + 1)) == "x" * (LONGEST_TEXT + 1)


def test_what_json_can_carry_and_unicode_cannot_is_left_alone():
    assert substitute("x", "", "x\ud800") == "x\ud800"
