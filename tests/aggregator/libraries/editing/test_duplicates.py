"""Which libraries are probably one."""

from collections.abc import Sequence

import pytest

from aggregator.libraries.editing.duplicates import Described, Pair, probable_duplicates

NAME = "豊中市立岡町図書館"


def found(*libraries: Described, answered: Sequence[tuple[int, int]] = ()) -> list[Pair]:
    return probable_duplicates(libraries, answered)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (("27", "27203"), ("27", "27203"), "place"),
        (("27", "27203"), ("", ""), "unknown"),
        (("", ""), ("", ""), "unknown"),
        (("27", "27203"), ("27", ""), "prefecture"),
        (("27", "27203"), ("27", "27100"), None),
        (("27", "27203"), ("13", "13101"), None),
        (("27", ""), ("13", ""), None),
    ],
)
def test_the_places_of_two_libraries_of_one_name_decide(first, second, reason):
    pairs = found(Described(1, NAME, *first), Described(2, "豊中市立岡町図書館　", *second))
    assert pairs == ([Pair(1, 2, reason)] if reason else [])


def test_two_codes_of_the_same_kind_are_two_libraries():
    isil, fa = ("ISIL", "JP-1000001"), ("FA", "FA001234")
    first = Described(1, NAME, codes=frozenset({isil}))
    assert not found(first, Described(2, NAME, codes=frozenset({("ISIL", "JP-1000002"), fa})))
    assert found(first, Described(2, NAME, codes=frozenset({fa})))


@pytest.mark.parametrize("name", ["中央図書館", "市立図書館", "附属図書館", "本館", "図書室", "Central Library"])
def test_a_common_name_is_a_question_only_in_one_place(name):
    assert not found(Described(1, name), Described(2, name, "27", "27203"))
    assert found(Described(1, name, "27", "27203"), Described(2, name, "27", "27203"))


def test_a_name_of_many_libraries_is_a_question_only_in_one_place():
    rows = [Described(number, "ゆうゆう館") for number in range(1, 8)]
    assert not found(*rows)
    assert found(*rows, Described(8, "ゆうゆう館", "27", "27203"), Described(9, "ゆうゆう館", "27", "27203")) == [
        Pair(8, 9, "place")
    ]


def test_what_was_answered_is_not_asked_again():
    rows = Described(1, NAME), Described(2, NAME), Described(3, NAME)
    assert len(found(*rows)) == 3
    assert found(*rows, answered=[(1, 2), (1, 3)]) == [Pair(2, 3, "unknown")]


def test_thousands_of_one_name_are_compared_up_to_a_bound():
    assert len(found(*(Described(number, NAME, "27", "27203") for number in range(3000)))) == 50 * 49 // 2
