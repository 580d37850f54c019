"""Kinds and cores: which descriptions count as one, and which row is compared for them."""

from typing import Any

import pytest

from aggregator.matching import Features, Rules, encode_features, extract_features
from aggregator.matching.groups.candidates import COMPARED_AT_MOST, candidate_pairs, fullest
from aggregator.matching.groups.cores import (
    core_number,
    fullness,
    group_by_core,
    kind_number,
    make_profile,
    stands_alone,
)
from tests.aggregator.matching.books import book

FULL: dict[str, Any] = {
    "title": "心",
    "full": "心小説",
    "isbns": ("9784003101018",),
    "year": 1990,
    "pages": 300,
    "month": 5,
    "series": ("文庫#1",),
}
RULES = Rules()


def same_core(*changes: dict[str, Any], base: dict[str, Any] = FULL) -> bool:
    return len({core_number(Features(**{**base, **change}), place) for place, change in enumerate(changes)}) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "草枕"),
        ("volume", "1"),
        ("is_set", True),
        ("edition", "2"),
        ("kind", "serial"),
        ("carrier", "paper"),
        ("isbns", ("9784003101025",)),
        ("year", 1991),
        ("pages", 301),
        ("issns", ("03875911",)),
        ("parts", ("上",)),
        ("part_volume", "1"),
        ("bare", True),
        ("likely", "paper"),
        ("pieces", 1),
        ("minutes", 60),
    ],
)
def test_what_tells_books_apart_makes_another_core(name: str, value: Any) -> None:
    assert not same_core({}, {name: value})


@pytest.mark.parametrize(("name", "value"), [("full", "心"), ("month", 6), ("series", ())])
def test_with_an_isbn_subtitle_month_and_series_make_none(name: str, value: Any) -> None:
    assert same_core({}, {name: value})
    assert not same_core({}, {name: value}, base=FULL | {"isbns": ()})


@pytest.mark.parametrize("name", ["persons", "publishers", "entries", "others", "ids"])
def test_names_and_further_titles_make_none(name: str) -> None:
    assert same_core({}, {name: ("x",)})


@pytest.mark.parametrize(
    ("said", "is_shared"),
    [
        ({"isbns": ("9784003101018",), "year": 1990}, True),
        ({"year": 1990, "pages": 300}, True),
        ({"isbns": ("9784003101018",), "pages": 300}, True),
        ({"year": 1990}, False),
        ({"pages": 300}, False),
        ({"isbns": ("9784003101018",)}, False),
        ({}, False),
    ],
)
def test_a_kind_that_says_too_little_is_its_own_core(said: dict[str, Any], is_shared: bool) -> None:
    assert same_core({}, {}, base={"title": "心", **said}) is is_shared


def test_equal_rows_are_one_kind_unless_one_is_named() -> None:
    row = encode_features(Features(**FULL))
    assert kind_number(row) == kind_number(row) != kind_number(row, "a")
    assert kind_number(row, "a") != kind_number(row, "b")


@pytest.mark.parametrize(
    ("record", "alone"),
    [
        (book("心", year="1990", author="夏目漱石", publisher="岩波書店"), False),
        (book("", isbn="4003101014"), True),
        (book("心"), True),
        (book("心", year="1990"), True),
        (book("吾輩は猫である", year="1990", author="夏目漱石"), False),
    ],
)
def test_a_record_that_says_little_stands_alone(record: Any, alone: bool) -> None:
    assert stands_alone(extract_features(record), RULES) is alone


def test_a_profile_has_the_most_frequent_values_and_all_names() -> None:
    rows = [
        Features(title="心", year=1990, persons=("夏目漱石",), height=19),
        Features(title="心", year=1991, persons=("夏目金之助", "夏目漱石"), height=20),
        Features(title="心", year=1991, publishers=("岩波書店",), height=20),
    ]
    profile = make_profile(rows)
    assert (profile.title, profile.year, profile.height) == ("心", 1991, 20)
    assert (profile.persons, profile.publishers) == (("夏目漱石", "夏目金之助"), ("岩波書店",))
    assert make_profile(rows[::-1]) == profile
    assert make_profile([Features(title="心", year=year) for year in (1991, 1990)]).year == 1990
    assert make_profile(rows[:1]) is rows[0]
    assert len(make_profile([Features(persons=(f"{place}",)) for place in range(12)]).persons) == 8


def test_cores_count_their_kinds_and_records() -> None:
    one, other = Features(**FULL), Features(**FULL, persons=("夏目漱石",))
    cores, core_of = group_by_core({"a": one, "b": one, "c": other, "d": one}, ["d"], RULES)
    assert core_of["a"] == core_of["b"] == core_of["c"] != core_of["d"]
    core = cores[core_of["a"]]
    assert (core.kinds, core.records, core.features.persons) == (2, 3, ("夏目漱石",))
    assert (cores[core_of["d"]].kinds, cores[core_of["d"]].records) == (1, 1)


def test_fullness_counts_the_fields_with_a_value() -> None:
    assert fullness(Features()) == 1  # its version
    assert fullness(Features(title="心", year=1990, persons=("a", "b"))) == 4


def test_cores_that_share_a_key_are_compared() -> None:
    keys = {3: [10, 20], 1: [10], 2: [20], 4: [30]}
    assert candidate_pairs(keys, dict.fromkeys(keys, 1)) == [(1, 3), (2, 3)]


def test_of_a_crowded_key_the_fullest_cores_are_compared_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregator.matching.groups.candidates.CROWD", 3)
    strong, weak = 10, 11
    fullness_of = {1: 5, 2: 1, 3: 9, 4: 7}
    everything = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert candidate_pairs({core: [weak] for core in (1, 2, 3)}, fullness_of) == [(1, 2), (1, 3), (2, 3)]
    assert candidate_pairs({core: [strong] for core in fullness_of}, fullness_of) == everything
    assert candidate_pairs({core: [weak] for core in fullness_of}, fullness_of) == []
    monkeypatch.setattr("aggregator.matching.groups.candidates.CROWD", 1)
    assert candidate_pairs({core: [strong] for core in fullness_of}, fullness_of) == [(1, 3), (2, 3), (3, 4)]


def test_a_key_that_too_many_cores_share_is_not_used() -> None:
    ranks = [(-1, 1), (-9, 2), (-9, 3)]
    assert fullest(10, ranks, COMPARED_AT_MOST) == ((-9, 2), (-9, 3), (-1, 1))
    assert fullest(10, ranks, COMPARED_AT_MOST + 1) == ()
    assert fullest(11, ranks, 3) == ()
