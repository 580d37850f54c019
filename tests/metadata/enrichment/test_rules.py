"""What each kind of enrichment rule does to a record, and what a set of them guarantees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metadata.enrichment.fields import FIELDS
from metadata.enrichment.rules import Condition, Fixed, MapCodes, Replace, RuleSet, Split, apply_rule
from metadata.record import Agent, BibliographicRecord, Item, MaterialType, Subject, Title
from tests.metadata.records import RECORD

BOOK = "http://ndl.go.jp/ndltype/Book"


def record(**columns) -> BibliographicRecord:
    return BibliographicRecord(titles=(Title(value="坊っちゃん", transcription="ボッチャン"),), **columns)


def test_a_fixed_value_takes_the_place_of_what_was_there():
    rule = Fixed(name="権利", field="rights", value="CC0")
    assert apply_rule(rule, record(rights=("不明", "?"))).rights == ("CC0",)
    assert apply_rule(rule, record()).rights == ("CC0",)


def test_a_value_can_be_added_to_what_is_there_once():
    rule = Fixed(name="件名", field="subject", value="郷土資料", add=True)
    once = apply_rule(rule, record(subjects=(Subject(value="913.6", scheme="NDC10"), Subject(value="小説"))))
    assert [subject.value for subject in once.subjects] == ["小説", "郷土資料", "913.6"]
    assert apply_rule(rule, once) == once


def test_a_text_is_replaced_and_what_belongs_to_it_stays():
    rule = Replace(name="点", field="title", find="っちゃん", replacement="ッチャン")
    assert apply_rule(rule, record()).titles == (Title(value="坊ッチャン", transcription="ボッチャン"),)


def test_find_is_literal_unless_it_is_a_pattern():
    volumes = (Title(value="第3巻."),)
    assert apply_rule(Replace(name="a", field="volume", find="."), record(volumes=volumes)).volume == "第3巻"
    pattern = Replace(name="a", field="volume", find=r"第(\d+)巻\.?", replacement=r"\1", pattern=True)
    assert apply_rule(pattern, record(volumes=volumes)).volume == "3"


def test_a_text_of_which_nothing_remains_is_removed():
    rule = Replace(name="a", field="note", find="なし")
    assert apply_rule(rule, record(notes=("なし", "付録あり"))).notes == ("付録あり",)


def test_codes_are_mapped_and_others_stay():
    rule = MapCodes(name="a", field="material_type", codes=(("1", "図書"), ("9", "")))
    types = (MaterialType(label="1"), MaterialType(label="9"), MaterialType(label="地図帳"))
    assert apply_rule(rule, record(material_types=types)).material_types == (
        MaterialType(uri=BOOK, label="図書"),
        MaterialType(label="地図帳"),
    )
    assert rule.uncovered(["1", "地図帳", "9", "図書"]) == ["地図帳"]


def test_codes_of_libraries_are_mapped_inside_the_items():
    rule = MapCodes(name="a", field="item_library_code", codes=(("A01", "JP-1000001"),))
    items = (Item(library_code="A01", call_number="913"), Item(library_code="B"))
    assert [item.library_code for item in apply_rule(rule, record(items=items)).items] == ["JP-1000001", "B"]


def test_a_text_is_split_into_several_or_into_another_field():
    agents = (Agent(name="夏目漱石; 森鷗外", role="著"),)
    split = apply_rule(Split(name="a", field="creator", separator=";"), record(creators=agents))
    assert [agent.name for agent in split.creators] == ["夏目漱石", "森鷗外"]
    into = Split(name="a", field="title", separator="。", into="volume")
    result = apply_rule(into, BibliographicRecord(titles=(Title(value="源氏物語。上"),)))
    assert (result.title, result.volume) == ("源氏物語", "上")
    assert apply_rule(into, record()) == record()


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Condition(field="publisher", test="is", value="岩波書店"), True),
        (Condition(field="publisher", test="is", value="岩波"), False),
        (Condition(field="publisher", test="contains", value="岩波"), True),
        (Condition(field="note", test="empty"), True),
        (Condition(field="note", test="filled"), False),
        (Condition(field="material_type", test="is", value="図書"), True),
    ],
)
def test_a_rule_leaves_records_alone_that_do_not_meet_its_conditions(condition, holds):
    described = record(publishers=(Agent(name="岩波書店"),), material_types=(MaterialType(uri=BOOK),))
    rule = Fixed(name="a", field="language", value="jpn", conditions=(condition,))
    assert (apply_rule(rule, described).languages == ("jpn",)) is holds


@pytest.mark.parametrize(
    "rule",
    [
        Replace(name="a", field="issued", find="1906", replacement="明治39"),
        Replace(name="a", field="language", find="jpn", replacement="日本語"),
        Replace(name="a", field="title", find="っ", replacement="っ" * 2000 * 3),
        Split(name="a", field="abstract", separator="x"),
    ],
)
def test_a_result_that_the_field_cannot_take_changes_nothing(rule):
    described = record(issued="1906", languages=("jpn",), abstracts=("ax" * 300,))
    assert apply_rule(rule, described) is described


def test_rules_apply_in_their_order_and_only_those_are_named_that_changed_something():
    rules = RuleSet(
        version=3,
        rules=(
            Replace(name="一", field="title", find="坊", replacement="房"),
            Replace(name="二", field="title", find="坊", replacement="棒"),
            Replace(name="三", field="title", find="房", replacement="坊や"),
        ),
    )
    applied = rules.apply(record())
    assert (applied.record.title, applied.names) == ("坊やっちゃん", ("一", "三"))


def test_rules_that_undo_each_other_change_nothing():
    rules = (
        Replace(name="一", field="title", find="坊", replacement="房"),
        Replace(name="二", field="title", find="房", replacement="坊"),
    )
    described = record()
    assert RuleSet(version=1, rules=rules).apply(described).record is described


TEXT = st.text(min_size=1, max_size=3)
ANY_FIELD = st.sampled_from(sorted(FIELDS))
RULES = st.one_of(
    st.builds(Fixed, name=st.just("f"), field=ANY_FIELD, value=TEXT, add=st.booleans()),
    st.builds(Replace, name=st.just("r"), field=ANY_FIELD, find=TEXT, replacement=TEXT),
    st.builds(Replace, name=st.just("p"), field=ANY_FIELD, find=st.sampled_from([r"\pL", r"\d+", "(.)."]),
              replacement=st.sampled_from(["", "x"]), pattern=st.just(True)),
    st.builds(Split, name=st.just("s"), field=ANY_FIELD, separator=TEXT),
    st.builds(MapCodes, name=st.just("m"), field=ANY_FIELD,
              codes=st.dictionaries(TEXT, TEXT, min_size=1, max_size=3).map(lambda codes: tuple(codes.items()))),
)  # fmt: skip


@given(RECORD, st.lists(RULES, max_size=4).map(tuple))
def test_the_same_rules_always_make_the_same_of_a_record(described, rules):
    applied = RuleSet(version=1, rules=rules).apply(described)
    assert RuleSet(version=1, rules=rules).apply(described) == applied
    assert bool(applied.names) is (applied.record is not described)


@given(RECORD, RULES)
def test_what_rules_put_into_a_field_is_always_valid_there(described, rule):
    result = apply_rule(rule, described)
    for name in rule.targets():
        before = FIELDS[name].texts(described)
        assert FIELDS[name].accepts(FIELDS[name].texts(result), before)
