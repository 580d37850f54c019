"""How volumes, sets and parts of series agree: one test for each outcome, in both directions."""

from typing import Any

import pytest

from aggregator.matching import Features
from aggregator.matching.comparison.volumes import volume_of_part, volume_outcome

SET: dict[str, Any] = {"is_set": True}


def outcome(one: dict[str, Any], other: dict[str, Any], isbn: str = "") -> str:
    rows = Features(**one), Features(**other)
    found = volume_outcome(*rows, isbn)
    assert volume_outcome(*rows[::-1], isbn) == found
    return found


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({}, {}, ""),
        ({"volume": "1"}, {"volume": "1"}, "same"),
        ({"volume": "1", "bare": True}, {"volume": "1"}, "same"),
        ({"volume": "1", "bare": True}, {"volume": "1", "bare": True}, "same_bare"),
        ({"volume": "1"}, {"volume": "2"}, "different"),
        ({"volume": "1"}, {}, "one_side"),
        ({"volume": "1", "bare": True}, {}, "one_side_bare"),
        ({"volume": "1", "bare": True, "series": ("文庫#1", "罪#1")}, {}, "one_side_series"),
        ({"volume": "1", "bare": True, "series": ("文庫#2", "罪#1")}, {}, "one_side_bare"),
        ({"volume": "1", "bare": True, "series": ("罪#1",)}, {}, "one_side_bare"),  # the series that it is itself
        ({"volume": "1", "series": ("文庫#1", "罪#1")}, {}, "one_side"),
        ({"volume": "1", "parts": ("上ノ巻",)}, {"parts": ("上ノ巻",)}, "one_side_titled"),
        ({"volume": "1", "parts": ("上ノ巻",)}, {"parts": ("下ノ巻",)}, "one_side"),
    ],
)
def test_volumes(one: dict[str, Any], other: dict[str, Any], expected: str) -> None:
    assert outcome(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("上", "1", "unclear"),
        ("上", "前", "unclear"),
        ("上", "2", "different"),
        ("中", "2", "unclear"),
        ("中", "3", "different"),
        ("下", "2", "unclear"),
        ("下", "3", "unclear"),
        ("下", "後", "unclear"),
        ("下", "4", "different"),
        ("前", "1", "unclear"),
        ("後", "2", "unclear"),
        ("後", "1", "different"),
        ("上", "下", "different"),
        ("3", "春ノ巻", "unclear"),  # a name may stand for a number
        ("3", "春", "different"),
        ("3", "春2", "different"),
        ("春ノ巻", "夏ノ巻", "different"),
    ],
)
def test_different_statements_of_perhaps_one_volume(one: str, other: str, expected: str) -> None:
    assert outcome({"volume": one}, {"volume": other}) == expected


@pytest.mark.parametrize(
    ("isbn", "expected"),
    [
        ("same", "one_side_isbn"),
        ("one_of", "one_side_isbn"),
        ("list", "one_side_isbn"),
        ("listed", "one_side_listed"),
        ("listed_one_of", "one_side_listed"),
        ("suspect", "one_side"),
        ("different_volume", "one_side"),
    ],
)
def test_a_volume_on_one_side_by_the_isbn(isbn: str, expected: str) -> None:
    assert outcome({"volume": "1"}, {"isbns": ("a",)}, isbn) == expected
    with_several = outcome({"volume": "1"}, {"isbns": ("a", "b")}, isbn)
    assert with_several == ("one_side_isbn" if isbn == "list" else "perhaps_set")


@pytest.mark.parametrize(
    ("one", "other", "isbn", "expected"),
    [
        (SET, SET, "", "set"),
        (SET | {"volumes": 2}, SET, "", "set"),
        (SET | {"volumes": 2}, SET | {"volumes": 2}, "", "set_counted"),
        (SET | {"volumes": 2}, SET | {"volumes": 3}, "", "set_miscounted"),
        (SET, {"volume": "1"}, "", "set_against_volume"),
        (SET, {"volume": "1", "bare": True}, "", "set_against_bare"),
        (SET | {"volumes": 2}, {"volume": "1", "volumes": 2}, "", "set_unclear"),
        (SET | {"volumes": 2}, {"volume": "1", "volumes": 3}, "", "set_against_volume"),
        (SET, {"volume": "1", "volumes": 0}, "", "set_against_volume"),
        (SET, {}, "list", "set_listed"),
        (SET | {"isbns": ("a", "b")}, {"isbns": ("a",)}, "one_of", "one_of_set"),
        (SET | {"isbns": ("a", "b")}, {"isbns": ("a", "b")}, "one_of", "set_unclear"),
        (SET | {"isbns": ("a",)}, {"isbns": ("a", "b")}, "one_of", "set_unclear"),
        (SET | {"isbns": ("a", "b")}, {"isbns": ("c",)}, "different_volume", "set_unclear"),
        (SET | {"isbns": ("a", "b")}, {}, "", "set_unclear"),
        (SET, {}, "", "set_unclear"),
    ],
)
def test_sets(one: dict[str, Any], other: dict[str, Any], isbn: str, expected: str) -> None:
    assert outcome(one, other, isbn) == expected


WHOLE = {"title": "全集", "parts": ("心", "心小説"), "pages": 300}
OWN = {"title": "心", "pages": 300}


@pytest.mark.parametrize(
    ("whole", "own", "expected"),
    [
        ({"volume": "3"}, {"series": ("全集#3",)}, "part_same"),
        ({"volume": "3"}, {"series": ("全集#4",)}, "part_different"),
        ({"volume": "3"}, {"series": ("全集#3",), "volume": "2"}, "part_same_one_side"),
        ({"volume": "3", "part_volume": "2"}, {"series": ("全集#3",), "volume": "2"}, "part_same"),
        ({"volume": "3"}, {"series": ("選集#3",)}, "part"),
        ({"volume": "3"}, {"series": ("全集#",)}, "part"),
        ({}, {"series": ("全集#3",)}, "part"),
        ({"volume": "3"}, {"volume": "3"}, "same"),
        ({"part_volume": "2"}, {"volume": "2"}, "same"),
        ({"part_volume": "2"}, {"volume": "1"}, "different"),
        ({"part_volume": "2"}, {"title": "心小説", "volume": "1"}, "part_one_side"),
        ({"part_volume": "2"}, {}, "part_one_side"),
        ({"part_volume": "2"}, {"title": "心小説"}, "part"),
        ({}, {"volume": "1"}, "part_one_side"),
        ({}, {}, "part"),
        (SET, SET, "part_set"),
        (SET, {}, "part_against_set"),
        ({"pages": 0} | SET, {"pages": 0}, "part_set"),
        ({"pages": 0} | SET, {}, "part_against_set"),
    ],
)
def test_a_part_under_its_series_and_by_itself(whole: dict[str, Any], own: dict[str, Any], expected: str) -> None:
    rows = Features(**WHOLE | whole), Features(**OWN | own)
    assert volume_of_part(*rows) == volume_of_part(*rows[::-1]) == expected
