"""Scores as probabilities."""

import pytest

from aggregator.matching.comparison.weights import chance_of
from aggregator.matching.evaluation.calibration import chances, tenths


def test_the_curve_rises_and_gives_the_share_of_same_pairs():
    curve = chances(
        [(float(score), number < score, 1.0) for score in range(11) for number in range(10) for _ in range(9)]
    )
    assert list(curve) == sorted(curve)
    assert chance_of(5.0, curve) == pytest.approx(0.5, abs=0.05)


def test_scores_that_contradict_their_order_are_pooled():
    curve = chances([(score, same, 50.0) for score, same in ((0.0, True), (1.0, False), (2.0, True))])
    assert curve == ((0.5, 0.5), (2.0, 1.0))


def test_between_two_points_the_chance_lies_on_a_line():
    assert [chance_of(score, ((0.0, 0.2), (1.0, 0.4))) for score in (-9.0, 0.5, 9.0)] == [0.2, pytest.approx(0.3), 0.4]


def test_tenths_compare_what_is_stated_with_what_is_true():
    (low, high) = tenths([(0.05, False), (0.07, False), (1.0, True)])
    assert (low.pairs, low.stated, low.true, high.true) == (2, 0.06, 0, 1)


def test_without_pairs_nothing_is_known():
    assert chance_of(3.0, chances([])) == 0.5
