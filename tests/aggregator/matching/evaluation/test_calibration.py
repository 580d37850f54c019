"""Scores as probabilities."""

import pytest

from aggregator.matching.comparison.weights import chance_of
from aggregator.matching.evaluation.calibration import Tenth, chances, steps, tenths


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


def test_steps_have_so_many_pairs_that_their_probability_is_known() -> None:
    scored = [(place / 1000, place % 10 < place // 1000, 1.0) for place in range(10_000)]
    points = steps(scored)
    for low, high in zip(points[::2], points[1::2], strict=True):
        assert low[1] == high[1]
        assert sum(low[0] <= score <= high[0] for score, _same, _weight in scored) >= 300
    assert [chance for _score, chance in points] == sorted(chance for _score, chance in points)
    assert all(abs(chance_of(score + 0.5, points) - score / 10) < 0.05 for score in range(10))


def test_between_two_steps_there_is_nothing() -> None:
    points = steps([(0.0, False, 300.0), (1.0, True, 300.0)])
    assert points == ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
    assert [chance_of(score, points) for score in (-1.0, 0.0, 0.99, 1.0, 2.0)] == [0.0, 0.0, 0.0, 1.0, 1.0]


def test_equal_scores_have_equal_probabilities() -> None:
    points = steps([(1.0, place % 4 == 0, 1.0) for place in range(4000)] + [(2.0, True, 1.0)] * 400)
    assert [chance_of(score, points) for score in (1.0, 2.0)] == [0.25, 1.0]


def test_the_last_step_is_no_smaller_than_the_others() -> None:
    few = [(0.0, False, 300.0), (1.0, False, 4000.0), (2.0, True, 200.0)]
    assert steps(few) == ((0.0, 0.0), (1.0, 0.0), (1.0, 0.0476), (2.0, 0.0476))


def test_steps_that_contradict_their_order_are_one() -> None:
    assert steps([(0.0, True, 300.0), (1.0, False, 300.0)]) == ((0.0, 0.5), (1.0, 0.5))
    assert chance_of(3.0, steps([])) == 0.5


def test_the_margin_of_a_share_shrinks_with_the_number_of_pairs() -> None:
    """Agresti-Coull: 100 of 400 and four more, two of them the same, are 102 of 404."""
    assert Tenth(pairs=400, stated=0.2, true=0.25).margin == 0.042
    assert Tenth(pairs=12, stated=0.5, true=0.5).margin == 0.245
