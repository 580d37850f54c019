"""The query language of the search box."""

import pytest

from aggregator.search.base import QueryError
from aggregator.search.query.language import parse
from aggregator.search.tree import MAX_DEPTH, All, Either, Node, Not, Phrase, Word, Years, depth, dump, load, size

CAT, DOG, BIRD = Word("猫"), Word("犬"), Word("鳥")


@pytest.mark.parametrize(
    ("typed", "tree"),
    [
        ("", All()),
        (" 　", All()),
        ("猫", CAT),
        ("猫 犬", All((CAT, DOG))),
        ("猫　犬", All((CAT, DOG))),
        ("猫 AND 犬", All((CAT, DOG))),
        ("猫 ＡＮＤ 犬", All((CAT, DOG))),
        ("猫 OR 犬", Either((CAT, DOG))),
        ("猫|犬｜鳥", Either((CAT, DOG, BIRD))),
        ("猫 OR 犬 鳥", Either((CAT, All((DOG, BIRD))))),
        ("(猫 OR 犬) 鳥", All((Either((CAT, DOG)), BIRD))),
        ("（猫 ＯＲ 犬）鳥", All((Either((CAT, DOG)), BIRD))),
        ("猫 -犬", All((CAT, Not(DOG)))),
        ("猫 －犬", All((CAT, Not(DOG)))),
        ("猫 NOT 犬", All((CAT, Not(DOG)))),
        ("NOT NOT 猫", CAT),
        ("-(猫 犬)", Not(All((CAT, DOG)))),
        ("A-B", Word("A-B")),
        ('"猫 犬" 鳥', All((Phrase("猫 犬"), BIRD))),
        ("“猫 犬”", Phrase("猫 犬")),
        ("猫「犬 鳥」", All((CAT, Phrase("犬 鳥")))),
        ("title:猫", Word("猫", "title")),
        ("ＴＩＴＬＥ：猫", Word("猫", "title")),
        ("著者：猫 犬", All((Word("猫", "creator"), DOG))),
        ("著者: 猫", Word("猫", "creator")),
        ("件名:(猫 OR 犬)", Either((Word("猫", "subject"), Word("犬", "subject")))),
        ('-出版者:"猫 犬"', Not(Phrase("猫 犬", "publisher"))),
        ("year:1990-2000", Years(1990, 2000)),
        ("1990..2000 猫", All((Years(1990, 2000), CAT))),
        ("出版年：１９９０年〜", Years(1990, 0)),
        ("year:..1990", Years(0, 1990)),
        ("year:1990", Years(1990, 1990)),
        ("ISBN 4-00-310101-4 猫", All((Word("9784003101018", "isbn"), CAT))),
        ("4003101014 9784101010137", Either((Word("9784003101018", "isbn"), Word("9784101010137", "isbn")))),
    ],
)
def test_the_typed_text_is_parsed(typed: str, tree: Node) -> None:
    assert parse(typed) == tree
    assert load(dump(tree)) == tree


@pytest.mark.parametrize(
    "word", ["andy", "organic", "and", "or", "not", "And", "ORACLE", "NOTE", "4003101015", "titles:"]
)
def test_a_word_that_looks_like_an_operator_is_a_word(word: str) -> None:
    assert parse(word) == Word(word)


@pytest.mark.parametrize(
    ("typed", "tree"),
    [
        ('"猫 犬', All((CAT, DOG))),
        ("猫」犬", All((CAT, DOG))),
        ("(猫", CAT),
        ("猫)", CAT),
        (")(猫((", CAT),
        ("()", All()),
        ("猫 OR", All((CAT, Word("OR")))),
        ("OR 猫", All((Word("OR"), CAT))),
        ("AND", Word("AND")),
        ("猫 NOT", All((CAT, Word("NOT")))),
        ("猫 | | 犬", Either((CAT, DOG))),
        ("|", All()),
        ("title:", Word("title:")),
        ("year:soon", Word("soon")),
        ("猫 - 犬", All((CAT, Word("-"), DOG))),
    ],
)
def test_malformed_text_is_parsed_as_a_person_means_it(typed: str, tree: Node) -> None:
    assert parse(typed) == tree


def test_words_typed_into_a_field_belong_to_that_field() -> None:
    assert parse("猫 -犬", "title") == All((Word("猫", "title"), Not(Word("犬", "title"))))
    assert parse("4003101014", "title") == Word("4003101014", "title")


@pytest.mark.parametrize(
    ("typed", "code", "place"),
    [("猫 " + "(" * (MAX_DEPTH + 1), "too_deep_brackets", 13), ("a|" * 100 + "b", "too_long", None)],
)
def test_too_much_is_refused_with_the_position(typed: str, code: str, place: int | None) -> None:
    with pytest.raises(QueryError) as refusal:
        parse(typed)
    assert (refusal.value.code, refusal.value.facts.get("place")) == (code, place)


def test_depth_and_size_of_a_tree() -> None:
    tree = parse("猫 (犬 OR -鳥)")
    assert (depth(tree), size(tree)) == (4, 6)
