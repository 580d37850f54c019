"""Two records side by side: differences are marked, variants of spelling are not."""

import pytest

from aggregator.review.side_by_side import marked, matching_fields, other_fields
from metadata.record import Agent, BibliographicRecord, Title


def record(title: str, **fields: object) -> BibliographicRecord:
    return BibliographicRecord(titles=(Title(value=title),), **fields)  # type: ignore[arg-type]


def states(first: BibliographicRecord, second: BibliographicRecord) -> dict[str, str]:
    return {field.label: field.state for field in matching_fields(first, second)}


def test_each_field_has_a_state(settings) -> None:
    settings.LANGUAGE_CODE = "en"
    one = record("こころ", volumes=(Title(value="上"),), editions=("改版",))
    other = record("こころ", volumes=(Title(value="下"),))
    assert list(states(one, other).values()) == ["same", "differs", "one_side"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("國語学", "国語学"), ("Gries, Paul", "Paul Gries"), ("夏目, 漱石, 1867-1916", "夏目漱石")],
)
def test_variants_of_spelling_and_the_order_of_names_are_the_same(one: str, other: str) -> None:
    first, second = (BibliographicRecord(creators=(Agent(name=name),)) for name in (one, other))
    assert list(states(first, second).values()) == ["same"]


def test_readings_are_shown_but_not_compared() -> None:
    one, other = (
        BibliographicRecord(titles=(Title(value="こころ", transcription=reading),)) for reading in ("ココロ", "")
    )
    (found,) = matching_fields(one, other)
    assert (found.state, found.first, found.second) == (
        "same",
        ((("こころ", False), (" ココロ", False)),),
        ((("こころ", False),),),
    )


def test_differing_letters_are_marked() -> None:
    one, other = marked("世界史の窓 第1巻", "世界史の窓 第2巻")
    assert [text for text, differs in one if differs] == ["1"]
    assert [text for text, differs in other if differs] == ["2"]
    assert "".join(text for text, _differs in one) == "世界史の窓 第1巻"


@pytest.mark.parametrize(("one", "other"), [("こころ", "草枕"), ("あ" * 400, "あ" * 399 + "い"), ("", "草枕")])
def test_nothing_is_marked_in_long_or_wholly_different_texts(one: str, other: str) -> None:
    assert not any(differs for pieces in marked(one, other) for _text, differs in pieces)


def test_fields_that_matching_ignores_are_listed_separately() -> None:
    one, other = record("こころ", notes=("帯あり",)), record("こころ")
    assert [field.state for field in matching_fields(one, other)] == ["same"]
    assert [(field.first, field.second, field.state) for field in other_fields(one, other)] == [
        (((("帯あり", False),),), (), "one_side")
    ]
