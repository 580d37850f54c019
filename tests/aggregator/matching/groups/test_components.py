"""Components of likely pairs and their groups, also where there are too many cores to compare all pairs."""

import random

import pytest

from aggregator.matching import Features, RuledPair, extract_features
from aggregator.matching.groups import components as module
from aggregator.matching.groups.components import components
from aggregator.matching.groups.partition import partition
from tests.aggregator.matching.books import book

PEOPLE = {"author": "ドストエフスキー", "publisher": "岩波書店"}
ISBNS = ("9784003101018", "9784101010014")


def described(count: int) -> dict[str, Features]:
    """Two volumes, each in many descriptions that differ in the year of the printing and in the number of pages."""
    dice = random.Random(count)
    return {
        f"{volume} {place}": extract_features(
            book(
                "罪と罰",
                volume=volume,
                isbn=isbn if dice.random() < 0.8 else "",
                year=f"{dice.choice([1999, 1999, 2000, 2001])}",
                extent=dice.choice(["", f"{431 + place % 3}p", f"{300 + place}p"]),
                **PEOPLE,
            )
        )
        for volume, isbn in zip(("上", "下"), ISBNS, strict=True)
        for place in range(count)
    }


def test_components_are_connected_by_pairs():
    assert components("fedcba", [("a", "b"), ("c", "b"), ("d", "e")]) == [["a", "b", "c"], ["d", "e"], ["f"]]


def test_a_book_of_very_many_descriptions_is_one_book(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more of them than are compared pair by pair, too."""
    records = described(60)
    for limit in (1000, 40, 20, 10):
        monkeypatch.setattr(module, "LARGE", limit)
        groups = partition(records).records()
        assert [len(group) for group in sorted(groups, key=len)[-2:]] >= [55, 55]
        assert all(len({name[0] for name in group}) == 1 for group in groups)


def test_a_large_component_needs_few_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number grows with that of the descriptions, not with its square."""
    monkeypatch.setattr(module, "LARGE", 50)
    monkeypatch.setattr("aggregator.matching.groups.candidates.CROWD", 10)
    made = [partition(described(count)).comparisons.made for count in (200, 400)]
    assert made[1] < 2.5 * made[0]


def test_rulings_hold_in_a_large_component_too(monkeypatch: pytest.MonkeyPatch) -> None:
    records = described(60)
    large, other_volume = sorted(partition(records).records(), key=len)[-2:]
    first, second, other = large[10], large[11], other_volume[5]
    rulings = [RuledPair(first=first, second=second, same=False), RuledPair(first=first, second=other, same=True)]
    monkeypatch.setattr(module, "LARGE", 20)
    group_of = {name: group for group in partition(records, rulings).records() for name in group}
    assert second not in group_of[first]
    assert other in group_of[first]


def test_any_order_gives_the_same_groups_of_a_large_component(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 20)
    records = described(40)
    expected = partition(records).records()
    for seed in range(3):
        mixed = list(records.items())
        random.Random(seed).shuffle(mixed)
        assert partition(dict(mixed)).records() == expected
