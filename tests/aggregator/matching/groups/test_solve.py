"""Groups are deterministic, free of contradictions, and as staff ruled."""

import random
import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching import Comparisons, Group, Link, RuledPair, extract_features, match_keys
from aggregator.matching.groups.partition import partition
from metadata.record import BibliographicRecord
from tests.aggregator.matching.books import book
from tests.aggregator.matching.comparison.test_compare import _BOOKS, ISBN

FULL = {"author": "夏目漱石", "publisher": "岩波書店", "year": "1990"}


def ids(groups: Iterable[Group]) -> list[list[str]]:
    return [[link.id for link in group.members] for group in groups]


def solved(*records: BibliographicRecord, rulings: tuple[RuledPair, ...] = ()) -> list[list[str]]:
    return ids(partition({str(n): extract_features(record) for n, record in enumerate(records)}, rulings))


def test_descriptions_of_one_book_are_grouped_and_others_stay_alone() -> None:
    assert solved(book("こころ", **FULL), book("破戒", **FULL), book("ココロ", **FULL)) == [["0", "2"], ["1"]]


def test_one_record_is_a_group_without_a_link() -> None:
    (group,) = partition({"a": extract_features(book("こころ"))})
    assert group.members == (Link(id="a", linked_to="", score=0.0),)
    assert group.members[0].evidence(Comparisons(dict.__getitem__, {})) == ()


def test_no_members_give_no_groups() -> None:
    assert partition({}) == []


def test_a_link_names_the_strongest_partner_with_the_evidence() -> None:
    records = {
        "a": book("こころ", isbn=ISBN, **FULL),
        "b": book("こころ", **FULL),
        "c": book("こころ", isbn=ISBN, **FULL),
    }
    members = {key: extract_features(record) for key, record in records.items()}
    (group,) = partition(members)
    assert [link.linked_to for link in group.members] == ["c", "a", "a"]
    first = group.members[0]
    evidence = first.evidence(Comparisons(members.__getitem__, {}))
    assert first.score == pytest.approx(sum(item.weight for item in evidence))
    assert ("isbn", "same") in {(item.rule, item.outcome) for item in evidence}


def test_two_volumes_do_not_meet_through_a_description_without_volume() -> None:
    vague = book("罪と罰", isbn=ISBN, **FULL)
    groups = solved(book("罪と罰 上", isbn=ISBN, **FULL), vague, book("罪と罰 下", isbn=ISBN, **FULL))
    assert not any({"0", "2"} <= set(group) for group in groups)


def test_an_isbn_of_two_volumes_joins_neither_to_a_description_without_volume() -> None:
    vague = book("罪と罰", isbn=ISBN, **FULL)
    assert solved(book("罪と罰 上", isbn=ISBN, **FULL), vague, book("罪と罰 下", isbn=ISBN, **FULL)) == [
        ["0"],
        ["1"],
        ["2"],
    ]


def test_staff_can_join_what_the_rules_keep_apart() -> None:
    ruling = RuledPair(first="0", second="1", same=True)
    members = {"0": extract_features(book("こころ")), "1": extract_features(book("破戒"))}
    (group,) = partition(members, (ruling,))
    comparisons = Comparisons(members.__getitem__, {})
    assert [(link.linked_to, link.evidence(comparisons)[0].rule) for link in group.members] == [
        ("1", "staff"),
        ("0", "staff"),
    ]


def test_staff_can_keep_apart_what_the_rules_join_even_through_a_third() -> None:
    same = [book("こころ", **FULL)] * 3
    groups = solved(*same, rulings=(RuledPair(first="0", second="2", same=False),))
    assert len(groups) == 2
    assert not any({"0", "2"} <= set(group) for group in groups)


def test_rulings_about_other_records_change_nothing() -> None:
    assert solved(book("こころ"), book("破戒"), rulings=(RuledPair(first="0", second="x", same=True),)) == [
        ["0"],
        ["1"],
    ]


@given(st.lists(_BOOKS, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_members_does_not_matter(records: list[BibliographicRecord], dice: random.Random) -> None:
    members = [(str(n), extract_features(record)) for n, record in enumerate(records)]
    shuffled = members.copy()
    dice.shuffle(shuffled)
    groups = partition(dict(members))
    assert partition(dict(shuffled)) == groups
    assert sorted(name for group in ids(groups) for name in group) == sorted(dict(members))


@given(st.lists(_BOOKS, min_size=2, max_size=6))
def test_solving_parts_that_share_no_key_gives_the_same_groups(records: list[BibliographicRecord]) -> None:
    members = {str(n): extract_features(record) for n, record in enumerate(records)}
    keys = {name: set(match_keys(row)) for name, row in members.items()}
    alone = {name for name in members if not any(keys[name] & keys[other] for other in members if other != name)}
    rest = partition({name: row for name, row in members.items() if name not in alone})
    single = [group for name in alone for group in partition({name: members[name]})]
    assert sorted(ids(partition(members))) == sorted(ids((*rest, *single)))


def test_two_hundred_copies_are_grouped_in_seconds() -> None:
    start = time.process_time()
    assert len(solved(*[book("こころ", isbn=ISBN, **FULL)] * 200)) == 1
    assert time.process_time() - start < 20


def test_given_keys_decide_which_records_are_compared() -> None:
    members = {"a": extract_features(book("こころ", year="1990")), "b": extract_features(book("こころ", year="1990"))}
    known = {name: match_keys(row) for name, row in members.items()}
    assert partition(members, keys=known) == partition(members)
    assert len(partition(members, keys={"a": (1,), "b": (2,)})) == 2


def test_a_sparse_description_joins_through_a_certain_member_of_the_group() -> None:
    sure = book("罪と罰 3", extent="297p", **FULL)
    without_pages = book("罪と罰 3", author="夏目漱石", publisher="岩波書店", year="1990")
    volume_lost = book("罪と罰", extent="297p", **FULL)
    assert solved(without_pages, volume_lost) == [["0"], ["1"]]
    assert solved(without_pages, volume_lost, sure) == [["0", "1", "2"]]
