"""JSON whose fields a library has declared: paths, the library's words, and values that are not as declared."""

import json

import pytest

from aggregator.availability.answers import Availability, State, UnreadableAnswer
from aggregator.availability.declared import Declared, read_declared
from aggregator.availability.json_values import MOST_NODES, values_at

COPIES = Declared(
    items="result.copies", status="state", due="due", queue="holds", place="shelf.name", href="url",
    words={State.AVAILABLE: ("棚",), State.NOT_LENT: ("available",)},
)  # fmt: skip


def read(answer: object, declared: Declared = COPIES) -> Availability:
    return read_declared(json.dumps(answer).encode(), declared)


def copies(*rows: dict) -> dict:
    return {"result": {"copies": list(rows)}}


def test_the_declared_values_are_read():
    first = {"state": "貸出中", "due": "2026年12月1日", "holds": 2, "url": "https://opac.example.jp/1"}
    second = {"state": "棚", "shelf": {"name": "2階"}}
    assert read(copies(first, second)) == Availability(
        state=State.AVAILABLE, copies=2, lendable=1, place="2階", href=""
    )
    assert read(copies(first)) == Availability(
        state=State.RESERVED, copies=1, due="2026-12-01", queue=2, href="https://opac.example.jp/1"
    )


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("貸出可", State.AVAILABLE),
        (" On Loan ", State.ON_LOAN),
        ("禁帯出", State.IN_HOUSE),
        (True, State.AVAILABLE),
        (False, State.NOT_LENT),
        ("available", State.NOT_LENT),
        ("？？", State.UNKNOWN),
        (None, State.UNKNOWN),
        ({"x": 1}, State.UNKNOWN),
    ],
)
def test_known_words_have_a_meaning_unless_the_library_has_declared_another(word, state):
    assert read(copies({"state": word})).state is state


def test_a_word_that_is_not_known_is_shown():
    assert read(copies({"state": "ゆくえ不明"})).note == "ゆくえ不明"


def test_a_count_alone_tells_whether_a_copy_is_there():
    declared = Declared(count="free", due="next")
    assert read({"free": 2}, declared) == Availability(state=State.AVAILABLE, copies=2, lendable=2)
    assert read({"free": 0, "next": "20261201"}, declared).state is State.ON_LOAN
    assert read([{"free": 0}, {"free": "1"}], declared).lendable == 1


def test_no_copies_are_unknown_but_other_fields_are_an_error():
    assert read(copies()) == Availability()
    with pytest.raises(UnreadableAnswer, match="no_fields other, x"):
        read(copies({"other": 1, "x": 2}))


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", [{"a": [{"b": [1, 2]}, {"b": 3}, 7]}]),
        ("a.b", [1, 2, 3]),
        ("a.1.b", [3]),
        ("a.99999999999", []),
        ("a.x.b", []),
        (".".join("a" * 100), []),
    ],
)
def test_paths_lead_to_all_values(path, found):
    assert values_at({"a": [{"b": [1, 2]}, {"b": 3}, 7]}, path) == found


def test_paths_cannot_multiply_for_ever():
    wide = {"a": [{"a": [{"a": 1}] * 1000}] * 1000}
    assert len(values_at(wide, "a.a.a")) == MOST_NODES
