"""The measures against hand-counted partitions."""

import pytest

from aggregator.matching.evaluation.measures import joined_by_reason, measure, pairs_of, recall_by_tag, tally

TRUTH = {"a": "1", "b": "1", "c": "1", "d": "2", "e": "2"}


def test_the_truth_is_perfect():
    score = measure(TRUTH, TRUTH)
    assert (score.precision, score.recall, score.f1, score.b3_f1, score.largest) == (1, 1, 1, 1, 3)


def test_pairs_are_counted():
    score = measure({"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}, TRUTH)
    assert (score.precision, score.recall) == (1 / 2, 1 / 4)  # pairs found: ab, cd; true pairs: ab, ac, bc, de
    assert score.b3_precision == pytest.approx((1 + 1 + 1 / 2 + 1 / 2 + 1) / 5)
    assert score.b3_recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 / 2 + 1 / 2) / 5)


def test_nothing_joined_is_precise_and_finds_nothing():
    score = measure({name: name for name in TRUTH}, TRUTH)
    assert (score.precision, score.recall, score.f1, score.largest) == (1, 0, 0, 1)


def test_recall_by_tag_counts_pairs_that_bear_it():
    found = {"a": "x", "b": "x", "c": "y", "d": "z", "e": "z"}
    assert recall_by_tag(found, TRUTH, {"c": ["typo"]}) == {"clean": (2, 2), "typo": (0, 2)}


def test_look_alikes_are_counted_by_reason():
    found = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}
    pairs = [("c", "d", "volume"), ("d", "e", "volume"), ("a", "gone", "volume")]
    assert joined_by_reason(found, pairs) == {"volume": (1, 2)}


@pytest.mark.parametrize(("own", "its", "joined"), [("x", "x", 1), ("x", "y", 0), ("y", "x", 0)])
def test_two_clusters_are_different_whichever_has_the_first_name(own, its, joined):
    found = {"a": own, "b": its}
    assert joined_by_reason(found, [("a", "b", "volume")]) == {"volume": (joined, 1)}
    assert recall_by_tag(found, {"a": "1", "b": "1"}, {}) == {"clean": (joined, 1)}


def test_tallies_of_parts_add_up_to_the_whole():
    found, truth = {"a": "1", "b": "1", "c": "2"}, {"a": "x", "b": "y", "c": "y"}
    parts = [tally(found, truth, records) for records in (["a"], ["b", "c"])]
    assert (parts[0] + parts[1]).score() == measure(found, truth)


def test_pairs_of_a_partition_are_counted():
    assert pairs_of(TRUTH.values()) == 4  # ab, ac, bc, de
