"""A set of records as groups: independent of order, and as staff ruled."""

import random

from aggregator.matching import RuledPair, Rules, extract_features
from aggregator.matching.groups.partition import partition
from metadata.record import Agent, BibliographicRecord, Title
from tests.aggregator.matching.books import book


def row(title, person="夏目漱石", year="1914"):
    record = BibliographicRecord(titles=(Title(value=title),), creators=(Agent(name=person),), issued=year)
    return extract_features(record)


ROWS = {
    "a": row("こころ"),
    "b": row("こころ"),
    "c": row("草枕"),
    "d": row("こゝろ 全"),
    "e": row("草枕", "別人", "1999"),
}


def names(matched):
    return matched.records()


def test_any_order_gives_the_same_groups():
    expected = names(partition(ROWS))
    assert ["a", "b"] in expected
    for seed in range(10):
        mixed = list(ROWS.items())
        random.Random(seed).shuffle(mixed)
        assert names(partition(dict(mixed))) == expected


def test_records_ruled_the_same_are_joined_without_a_common_key():
    ruled = [RuledPair(first="a", second="c", same=True)]
    assert any({"a", "c"} <= set(group) for group in names(partition(ROWS, ruled)))


def test_likely_pairs_are_those_from_the_threshold_of_review_on():
    full = {"author": "夏目漱石", "publisher": "岩波書店", "isbn": "9784003101018"}
    books = [book("こころ", year=year, **full) for year in ("1990", "1991")] + [
        book("こころ", author="別人", year="1950")
    ]
    matched = partition({str(place): extract_features(record) for place, record in enumerate(books)})
    review = Rules().review
    scores = {pair: matched.comparisons.score(*pair) for pair in matched.pairs}
    assert {pair: score for pair, score in scores.items() if score >= review} == matched.likely
    assert min(scores.values()) < review <= min(matched.likely.values())
