"""Signs for and against: every outcome is classified, and no weight turns an agreement into a sign of difference."""

import pytest

from aggregator.matching import VETO, Evidence
from aggregator.matching.explain import rule_outcomes
from aggregator.matching.signs import LEAST, NATURES, STRONG, Nature, Side, Strength, sign_of, signs


def test_every_outcome_that_has_a_sentence_is_classified_and_no_other():
    rules = {outcome for outcome in NATURES if outcome[0] != "staff"}
    assert rules == set(rule_outcomes())


@pytest.mark.parametrize("weight", [VETO, -4.0, -0.5, -LEAST, 0.0, LEAST, 0.5, 4.0])
def test_agreements_never_speak_against_and_all_else_never_for_the_same_book(weight):
    sides = {outcome: sign_of(Evidence(*outcome, weight)).side for outcome in NATURES}
    for outcome, nature in NATURES.items():
        if nature is Nature.AGREEMENT:
            assert sides[outcome] is (Side.SAME if weight >= LEAST else Side.NEITHER), outcome
        else:
            assert sides[outcome] is (Side.DIFFERENT if weight <= -LEAST else Side.NEITHER), outcome


@pytest.mark.parametrize(
    ("weight", "strength"),
    [(-STRONG, Strength.STRONG), (-STRONG + 0.1, Strength.WEAK), (0.4, Strength.NONE), (VETO, Strength.DECISIVE)],
)
def test_the_size_of_the_weight_says_how_strong_a_difference_is(weight, strength):
    assert sign_of(Evidence("publisher", "different", weight)).strength is strength


@pytest.mark.parametrize(
    ("weight", "side", "strength"),
    [
        (1.5, Side.SAME, Strength.STRONG),
        (1.4, Side.SAME, Strength.WEAK),
        (0.05, Side.SAME, Strength.WEAK),
        (0.04, Side.NEITHER, Strength.NONE),
        (-0.05, Side.NEITHER, Strength.NONE),
    ],
)
def test_the_least_weights_of_an_agreement(weight, side, strength):
    sign = sign_of(Evidence("publisher", "same", weight))
    assert (sign.side, sign.strength) == (side, strength)


def test_a_ruling_is_decisive():
    assert sign_of(Evidence("staff", "same", 100.0)).strength is Strength.DECISIVE


def test_an_outcome_of_another_version_of_the_matcher_counts_as_unknown():
    assert sign_of(Evidence("weather", "fine", 3.0)).side is Side.NEITHER
    assert sign_of(Evidence("weather", "rainy", -3.0)).side is Side.DIFFERENT


def test_the_strongest_sign_comes_first():
    found = signs((Evidence("title", "same", 1.0), Evidence("isbn", "same", 3.5), Evidence("year", "far", -2.0)))
    assert [sign.evidence.rule for sign in found] == ["isbn", "year", "title"]
