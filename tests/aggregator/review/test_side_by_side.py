"""Two records beside each other: what differs is marked, spelling is not."""

import pytest

from aggregator.review.side_by_side import marked, others, telling
from metadata.record import Agent, BibliographicRecord, Title


def record(title: str, **fields: object) -> BibliographicRecord:
    return BibliographicRecord(titles=(Title(value=title),), **fields)  # type: ignore[arg-type]


def states(first: BibliographicRecord, second: BibliographicRecord) -> dict[str, str]:
    return {each.label: each.state for each in telling(first, second)}


def test_fields_say_whether_they_agree(settings) -> None:
    settings.LANGUAGE_CODE = "en"
    one = record("こころ", volumes=(Title(value="上"),), editions=("改版",))
    other = record("こころ", volumes=(Title(value="下"),))
    assert list(states(one, other).values()) == ["same", "differs", "one_side"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("國語学", "国語学"), ("Gries, Paul", "Paul Gries"), ("夏目, 漱石, 1867-1916", "夏目漱石")],
)
def test_spelling_and_the_order_of_names_are_no_difference(one: str, other: str) -> None:
    found = states(BibliographicRecord(creators=(Agent(name=one),)), BibliographicRecord(creators=(Agent(name=other),)))
    assert list(found.values()) == ["same"]


def test_readings_are_shown_and_not_compared() -> None:
    one, other = (BibliographicRecord(titles=(Title(value="こころ", transcription=each),)) for each in ("ココロ", ""))
    (found,) = telling(one, other)
    assert (found.state, found.first, found.second) == (
        "same",
        ((("こころ", False), (" ココロ", False)),),
        ((("こころ", False),),),
    )


def test_the_letters_that_differ_are_marked() -> None:
    one, other = marked("世界史の窓 第1巻", "世界史の窓 第2巻")
    assert [text for text, differs in one if differs] == ["1"]
    assert [text for text, differs in other if differs] == ["2"]
    assert "".join(text for text, _differs in one) == "世界史の窓 第1巻"


@pytest.mark.parametrize(("one", "other"), [("こころ", "草枕"), ("あ" * 400, "あ" * 399 + "い"), ("", "草枕")])
def test_nothing_is_marked_where_hardly_a_letter_agrees_or_the_text_is_long(one: str, other: str) -> None:
    assert not any(differs for pieces in marked(one, other) for _text, differs in pieces)


def test_what_matching_does_not_go_by_stands_apart() -> None:
    one, other = record("こころ", notes=("帯あり",)), record("こころ")
    assert [each.state for each in telling(one, other)] == ["same"]
    assert [(each.first, each.second, each.state) for each in others(one, other)] == [
        (((("帯あり", False),),), (), "one_side")
    ]
