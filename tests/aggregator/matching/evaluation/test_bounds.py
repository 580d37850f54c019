"""Learning at its limits: bounds of weights, steps of the fit, bins of the curve, measures of nothing."""

import math

import pytest

from aggregator.matching.comparison.weights import Model
from aggregator.matching.evaluation.bounds import UNBOUNDED, bounds_of, within_bounds
from aggregator.matching.evaluation.calibration import chances, tenths
from aggregator.matching.evaluation.cross_validation import Thresholds
from aggregator.matching.evaluation.measures import harmonic, measure, tally
from aggregator.matching.evaluation.training import fit, fold_of

INFINITE = float("inf")


@pytest.mark.parametrize(
    ("outcome", "limits"),
    [
        (("isbn", "same"), (0.0, INFINITE)),
        (("pages", "close"), (0.0, INFINITE)),
        (("isbn", "different"), (-INFINITE, 0.0)),
        (("carrier", "unsure_isbn"), (-INFINITE, 0.0)),
        (("number", "different_jpno"), (-INFINITE, -6.0)),
        (("length", "different"), (-INFINITE, -5.0)),
        (("number", "different"), (-INFINITE, -3.0)),
        (("title", "subtitle_differs"), (-INFINITE, -1.5)),
        (("title", "overlapping"), (-INFINITE, -2.0)),
        (("title", "contained"), (-INFINITE, -2.0)),
        (("title", "rather_similar"), (-INFINITE, -1.2)),
        (("pages", "common"), (0.0, 1.0)),
        (("author", "similar"), (0.0, 0.3)),
        (("title", "similar"), (0.0, 0.5)),
        (("pages", "different"), (-INFINITE, 0.0)),
        (("weather", "fine"), UNBOUNDED),
    ],
)
def test_every_outcome_has_its_bounds(outcome, limits):
    assert bounds_of(outcome) == limits


def test_a_weight_beyond_a_bound_is_the_bound():
    assert [within_bounds(("author", "similar"), weight) for weight in (-1.0, 0.2, 0.9)] == [0.0, 0.2, 0.3]
    assert within_bounds(("number", "different"), 0.0) == -3.0
    assert within_bounds(("weather", "fine"), 7.0) == 7.0


def test_without_a_penalty_weights_are_the_log_odds_of_the_counts():
    free = (("weather", "fine"),)
    weights, bias = fit({free: (20.0, 80.0), (): (50.0, 50.0)}, ridge=1e-9)
    assert bias == pytest.approx(0.0, abs=1e-3)
    assert weights[free[0]] == pytest.approx(math.log(4), abs=1e-3)


def test_weights_of_outcomes_that_come_together_add_up():
    fine, warm = ("weather", "fine"), ("weather", "warm")
    counts = {(fine,): (20.0, 80.0), (warm,): (50.0, 50.0), (fine, warm): (10.0, 40.0), (): (50.0, 50.0)}
    weights, bias = fit(counts, ridge=1e-9)
    assert (weights[fine], weights[warm], bias) == (
        pytest.approx(math.log(4), abs=1e-3),
        pytest.approx(0.0, abs=1e-3),
        pytest.approx(0.0, abs=1e-3),
    )


def test_a_penalty_draws_weights_to_zero_but_not_the_bias():
    free = (("weather", "fine"),)
    loose, tight = (fit({free: (20.0, 80.0), (): (10.0, 90.0)}, ridge=ridge) for ridge in (0.01, 100.0))
    assert abs(tight[0][free[0]]) < abs(loose[0][free[0]])
    assert tight[1] > 1.0


def test_a_pattern_that_is_always_the_same_gets_a_finite_weight():
    free = (("weather", "fine"),)
    weights, _bias = fit({free: (0.0, 10_000.0), (): (10_000.0, 0.0)})
    assert 5 < weights[free[0]] < 60


def test_folds_never_change():
    assert [fold_of(family, 5) for family in ("", "a", "b", "ab", "family 17")] == [0, 2, 3, 0, fold_of("family 17", 5)]
    assert fold_of("é", 1_000_003) == 195 * 31 + 169
    assert fold_of("z" * 4, 1_000_003) == 122 * (31**3 + 31**2 + 31 + 1) % 1_000_003


def test_scores_are_counted_in_bins_of_their_width_and_size():
    flat = [(place / 100, place % 2 == 0, 1.0) for place in range(200)]
    assert len(chances(flat)) < 5
    rising = [(float(score), number < score, 30.0) for score in range(5) for number in range(5)]
    curve = chances(rising)
    assert curve == tuple((float(score), score / 5) for score in range(5))


def test_a_share_of_exactly_one_is_in_the_last_tenth():
    found = tenths([(1.0, True), (0.95, False), (0.1, False), (0.0999, True)])
    assert [(tenth.pairs, tenth.stated, tenth.true) for tenth in found] == [
        (1, 0.1, 1.0),
        (1, 0.1, 0.0),
        (2, 0.975, 0.5),
    ]


def test_thresholds_are_log_odds():
    usual = Thresholds()
    assert (usual.certain, usual.join, usual.review, usual.floor) == (2.0, 0.0, -2.0, -3.0)


def test_without_measured_chances_a_score_is_the_log_odds_without_the_bias():
    model = Model(version=2, features=7, weights={}, bias=-2.0, certain=5.0, join=2.0, review=0.0, floor=-3.0)
    assert [model.chance(score) for score in (2.0, 3.0, 0.5)] == [
        0.5,
        pytest.approx(1 / (1 + math.exp(-1))),
        pytest.approx(1 / (1 + math.exp(1.5))),
    ]


def test_measures_of_nothing():
    assert harmonic(0.0, 0.0) == 0.0
    assert harmonic(0.5, 1.0) == pytest.approx(2 / 3)
    empty = measure({}, {})
    assert (empty.precision, empty.recall, empty.b3_precision, empty.largest) == (1.0, 1.0, 0.0, 0)
    part = tally({"a": "x", "b": "x", "c": "y"}, {"a": "1", "b": "1", "c": "1"}, ["a"])
    assert (part.records, part.joined, part.belong, part.common, part.largest) == (1, 1, 2, 1, 2)
    assert (part.b3_precision, part.b3_recall) == (1.0, pytest.approx(2 / 3))
