"""Splitting text into terms, without an engine."""

from hypothesis import given
from hypothesis import strategies as st

from aggregator.search.query.segment import is_character, phrase, segment, segment_fields, terms
from metadata.text.folding import fold

MIXED = st.text(alphabet="東京大学はカ3a9 ・,", max_size=30)


def test_a_run_becomes_overlapping_pairs() -> None:
    assert terms("吾輩は猫") == ("吾輩", "輩ハ", "ハ猫")


def test_words_stay_whole() -> None:
    assert terms("The Web-site 2.0") == ("the", "web", "site", "2", "0")


def test_beside_a_word_the_outermost_character_of_a_run_is_a_term() -> None:
    assert terms("大和Web3月号") == ("大和", "和", "web3", "月", "月号")


def test_a_run_continues_across_spaces_and_punctuation() -> None:
    assert terms("夏目, 漱石") == terms("夏目漱石") == terms("夏目・漱石")


def test_one_character_alone_is_a_term() -> None:
    assert terms("月") == ("月",)
    assert is_character("月")
    assert not any(map(is_character, ("a", "3", "月号", "ж")))


def test_values_of_a_field_are_separate() -> None:
    assert "京大" not in segment(("東京", "大学")).terms.split()
    assert segment(("東京", "Web", "大学 案内")).keys == ("東京", "web", "大学案内")


def test_characters_are_those_of_scripts_without_spaces() -> None:
    assert set(segment(("猫と犬 abc 3",)).characters) - {" ", "\0"} == set("猫ト犬")


def test_a_phrase_of_pairs_uses_every_second_one_and_the_last() -> None:
    assert phrase(terms("東京大学")) == [(0, "東京"), (2, "大学")]
    assert phrase(terms("東京大")) == [(0, "東京"), (1, "京大")]
    assert phrase(terms("第3回")) == [(0, "第"), (1, "3"), (2, "回")]


@given(MIXED, MIXED)
def test_a_phrase_matches_only_where_all_its_terms_match(wanted: str, text: str) -> None:
    part, whole = terms(wanted), segment((text, wanted[:3], wanted[2:])).terms.split()
    positions = range(len(whole))
    by_phrase = [
        position
        for position in positions
        if all(whole[position + step : position + step + 1] == [term] for step, term in phrase(part))
    ]
    by_terms = [position for position in positions if tuple(whole[position : position + len(part)]) == part]
    assert by_phrase == by_terms or not part


def test_nothing_to_search_for_gives_no_terms() -> None:
    assert terms("") == terms("、。!") == terms("\0") == terms("\ud800😀") == ()
    assert segment(()).terms == ""


@given(MIXED, st.data())
def test_the_terms_of_a_part_are_adjacent_in_the_whole(text: str, data: st.DataObject) -> None:
    """Phrase queries rely on this. A part that splits a word does not count."""
    whole = terms(text)
    chunks = fold(text).split()
    first = data.draw(st.integers(0, len(chunks)))
    last = data.draw(st.integers(first, len(chunks)))
    part = terms(" ".join(chunks[first:last]))
    if len(part) > 1:
        assert any(whole[start : start + len(part)] == part for start in range(len(whole)))


@given(st.text(alphabet="東京大学はカ", min_size=2, max_size=20), st.data())
def test_any_two_characters_of_a_run_are_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    assert set(terms(text[start : start + 2])) <= set(terms(text))


@given(st.lists(st.text(max_size=20), max_size=4))
def test_any_text_can_be_split(values: list[str]) -> None:
    segments = segment(values)
    assert not any(term.isspace() for term in segments.terms.split())
    segments.terms.encode()


@given(st.lists(st.lists(st.text(alphabet="東カa3ж+# ・\u0301\0\1", max_size=6), max_size=3), max_size=3))
def test_fields_split_in_one_go_equal_fields_split_one_by_one(fields: list[list[str]]) -> None:
    assert segment_fields(*fields) == tuple(map(segment, fields))
