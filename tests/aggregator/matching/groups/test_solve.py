"""Groups are deterministic, free of contradictions, and as staff ruled."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching import RuledPair, extract_features, match_keys
from aggregator.matching.groups.partition import partition
from metadata.record import BibliographicRecord
from tests.aggregator.matching.books import book
from tests.aggregator.matching.comparison.test_compare import _BOOKS, ISBN

FULL = {"author": "夏目漱石", "publisher": "岩波書店", "year": "1990"}


def solved(*records: BibliographicRecord, rulings: tuple[RuledPair, ...] = ()) -> list[list[str]]:
    return partition({str(n): extract_features(record) for n, record in enumerate(records)}, rulings).records()


def test_descriptions_of_one_book_are_grouped_and_others_stay_alone() -> None:
    assert solved(book("こころ", **FULL), book("破戒", **FULL), book("ココロ", **FULL)) == [["0", "2"], ["1"]]


def test_one_record_is_a_group_without_a_link() -> None:
    matched = partition({"a": extract_features(book("こころ"))})
    assert matched.records() == [["a"]]
    (link,) = matched.groups[0].members
    assert (link.linked_to, link.score, link.evidence(matched.comparisons)) == (None, 0.0, ())


def test_no_members_give_no_groups() -> None:
    assert partition({}).groups == ()


def test_a_link_names_the_strongest_partner_with_the_evidence() -> None:
    records = {
        "a": book("こころ", isbn=ISBN, **FULL),
        "b": book("こころ", **FULL),
        "c": book("こころ", isbn=ISBN, extent="300p", **FULL),
    }
    matched = partition({key: extract_features(record) for key, record in records.items()})
    (group,) = matched.groups
    name_of = {core: name for name, core in matched.core_of.items()}
    links = {name_of[link.core]: link for link in group.members}
    assert name_of[links["a"].linked_to] == "c"
    evidence = links["a"].evidence(matched.comparisons)
    assert links["a"].score == pytest.approx(sum(item.weight for item in evidence))
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
    matched = partition(members, (ruling,))
    assert matched.records() == [["0", "1"]]
    links = matched.groups[0].members
    assert {link.linked_to for link in links} == set(matched.core_of.values())
    assert [link.evidence(matched.comparisons)[0].rule for link in links] == ["staff", "staff"]


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
    matched = partition(dict(members))
    assert partition(dict(shuffled)).groups == matched.groups
    assert sorted(name for group in matched.records() for name in group) == sorted(dict(members))


@given(st.lists(_BOOKS, min_size=2, max_size=6))
def test_solving_parts_that_share_no_key_gives_the_same_groups(records: list[BibliographicRecord]) -> None:
    members = {str(n): extract_features(record) for n, record in enumerate(records)}
    keys = {name: set(match_keys(row)) for name, row in members.items()}
    alone = {name for name in members if not any(keys[name] & keys[other] for other in members if other != name)}
    rest = partition({name: row for name, row in members.items() if name not in alone}).records()
    single = [group for name in alone for group in partition({name: members[name]}).records()]
    assert partition(members).records() == sorted((*rest, *single))


def test_any_number_of_copies_is_one_group_that_is_compared_once() -> None:
    row = extract_features(book("こころ", isbn=ISBN, **FULL))
    matched = partition({str(n): row for n in range(3000)})
    assert (len(matched.records()), matched.comparisons.made) == (1, 0)


def test_isolated_records_are_not_grouped() -> None:
    row = extract_features(book("こころ", isbn=ISBN, **FULL))
    assert partition({"a": row, "b": row, "c": row}, isolated=["b"]).records() == [["a", "c"], ["b"]]


def test_a_mistake_in_one_of_many_descriptions_does_not_split_a_book() -> None:
    spellings = [book("罪と罰", isbn=ISBN, extent=f"{290 + n}p", **FULL) for n in range(8)]
    spellings += [book("罪と罰", isbn=ISBN, extent=f"{290 + n}p", year="1991", author="夏目漱石") for n in range(8)]
    assert len(solved(*spellings)) == 1
    mistyped = book("罪と罰", isbn=ISBN, extent="29p", **FULL)
    assert max(map(len, solved(*spellings, mistyped))) >= len(spellings)


def test_a_sparse_description_joins_through_a_certain_member_of_the_group() -> None:
    sure = book("罪と罰 3", extent="297p", **FULL)
    without_pages = book("罪と罰 3", author="夏目漱石", publisher="岩波書店", year="1990")
    volume_lost = book("罪と罰", extent="297p", **FULL)
    assert solved(without_pages, volume_lost) == [["0"], ["1"]]
    assert solved(without_pages, volume_lost, sure) == [["0", "1", "2"]]


def test_a_description_with_little_but_its_title_does_not_part_those_it_resembles() -> None:
    bare = book("晩翠放談", year="1948", publisher="富山房")
    full = book("晩翠放談", author="土井晩翠", year="1948", publisher="富山房", extent="365p")
    undated = book("晩翠放談", author="土井晩翠", extent="365p")
    assert solved(bare, undated) == [["0"], ["1"]]
    assert solved(bare, full, undated) == [["0", "1", "2"]]
