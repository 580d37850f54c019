"""A search converted for live sources: every field, operator and range is converted or named as left out."""

import pytest

from aggregator.live.question import CHOSEN, TYPED, ask
from aggregator.search.base import CHOICES, CONDITIONS, FLAGS, Query
from harvesting.live.types import AllOf, AnyOf, Not, Word, Years


@pytest.mark.parametrize(
    ("typed", "question"),
    [
        ("猫", Word("any", "猫")),
        ("猫 犬", AllOf((Word("any", "猫"), Word("any", "犬")))),
        ("猫 OR 犬", AnyOf((Word("any", "猫"), Word("any", "犬")))),
        ("猫 -漫画", AllOf((Word("any", "猫"), Not(Word("any", "漫画"))))),
        ("「吾輩は猫」", Word("any", "吾輩は猫", phrase=True)),
        ("著者:漱石", Word("creator", "漱石")),
        ("title:こころ year:1990-2000", AllOf((Word("title", "こころ"), Years(1990, 2000)))),
        ("猫 1990..2000", AllOf((Word("any", "猫"), Years(1990, 2000)))),
        ("9784003101018", Word("isbn", "9784003101018")),
        ("ndc:913 猫", AllOf((Word("ndc", "913"), Word("any", "猫")))),
        (
            "(猫 OR title:犬) 写真",
            AllOf((AnyOf((Word("any", "猫"), Word("title", "犬"))), Word("any", "写真"))),
        ),
    ],
)
def test_what_readers_type_is_carried_over(typed, question):
    asked = ask(Query(q=typed))
    assert (asked.question, asked.left_out) == (question, ())


def test_fields_years_and_choices_are_carried_over():
    query = Query(
        title="こころ",
        creator="漱石",
        publisher="岩波",
        subject="小説",
        issn="0028-0836",
        from_year=1990,
        languages=("jpn", "eng"),
        ndcs=("913",),
        subjects=("日本文学",),
        excluded=(("title", "漫画"), ("language", "chi")),
    )
    assert ask(query).question == AllOf(
        (
            Word("title", "こころ"),
            Word("creator", "漱石"),
            Word("publisher", "岩波"),
            Word("subject", "小説"),
            Word("issn", "0028-0836"),
            AnyOf((Word("language", "jpn"), Word("language", "eng"))),
            Word("ndc", "913"),
            Word("subject", "日本文学", phrase=True),
            Years(1990, None),
            Not(Word("title", "漫画")),
            Not(Word("language", "chi")),
        )
    )
    assert ask(query).left_out == ()


def test_every_other_condition_is_named_never_dropped_silently():
    for name in CONDITIONS:
        if name in TYPED or name in CHOSEN:
            continue
        excluded = ask(Query(q="猫", excluded=((name, "x"),)))
        assert (excluded.question, excluded.left_out) == (Word("any", "猫"), (name,)), name
    for name, column in CHOICES.items():
        asked = ask(Query(q="猫", **{column: ("x",)}))
        assert (name in asked.left_out) != (name in CHOSEN), name
    for name in FLAGS:
        assert ask(Query(q="猫", **{name: True})).left_out == (name,)


def test_fields_without_a_counterpart_are_named():
    asked = ask(Query(q="猫 掲載誌:文学界 doi:10.1000/1 isbn:97840*"))
    assert (asked.question, asked.left_out) == (Word("any", "猫"), ("journal", "identifier", "masked"))
    assert not asked.narrowed


def test_a_lost_alternative_may_cost_hits_and_this_is_known():
    asked = ask(Query(q="猫 OR 掲載誌:文学界"))
    assert (asked.question, asked.left_out, asked.narrowed) == (Word("any", "猫"), ("journal",), True)


@pytest.mark.parametrize("query", [Query(), Query(q="-猫"), Query(from_year=1990), Query(q="doi:10.1000/1")])
def test_a_search_of_which_nothing_is_left_is_not_asked(query):
    assert ask(query).question is None


def test_an_alternative_that_only_excludes_is_named():
    asked = ask(Query(q="(猫 OR -犬) 写真"))
    assert asked.question == AllOf((Word("any", "猫"), Word("any", "写真")))
    assert (asked.left_out, asked.narrowed) == (("excluded",), True)
