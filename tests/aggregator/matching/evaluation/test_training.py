"""Weights from counted patterns."""

from aggregator.matching.evaluation.training import count_patterns, fit, fold_of, mix

SAME, OTHER = (("isbn", "same"),), (("isbn", "different"),)


def test_outcomes_of_same_records_get_a_higher_weight():
    weights, _bias = fit({SAME: (1, 99), OTHER: (99, 1)})
    assert weights[SAME[0]] > 1 > -1 > weights[OTHER[0]]


def test_more_pairs_of_the_same_kind_increase_a_weight():
    few, many = (fit({SAME: (0, n), OTHER: (n, 0)})[0][SAME[0]] for n in (2, 200))
    assert many > few


def test_the_order_of_the_pairs_does_not_matter():
    pairs = [(SAME, True), (OTHER, False), (SAME + OTHER, True), (SAME, False)]
    assert fit(count_patterns(pairs)) == fit(count_patterns(reversed(pairs)))


def test_families_are_spread_over_all_folds_and_always_the_same():
    assert {fold_of(f"m{n}", 5) for n in range(50)} == set(range(5))
    assert fold_of("m1", 5) == fold_of("m1", 5)


def test_agreement_never_subtracts_and_disagreement_never_adds():
    weights, _bias = fit({SAME: (99, 1), OTHER: (1, 99)})
    assert (weights[SAME[0]], weights[OTHER[0]]) == (0, 0)


def test_some_disagreements_are_near_a_veto_whatever_the_pairs_say():
    national = ("number", "different_jpno")
    assert fit({(national,): (1, 1), SAME: (1, 99)})[0][national] <= -6


def test_a_kind_of_data_counts_by_its_worth():
    assert mix([({SAME: (1, 2)}, 1.0), ({SAME: (3, 0), OTHER: (1, 0)}, 0.5)]) == {SAME: (2.5, 2.0), OTHER: (0.5, 0.0)}
