"""Which pairs a person should review, by scores alone."""

from itertools import combinations

from aggregator.matching import Comparisons, Features, Rules
from aggregator.matching.groups.doubts import doubts_between, doubts_within

RULES = Rules(certain=2.0, join=0.0, review=-2.0, floor=-4.0)


def comparisons(scores: dict[str, float]):
    """Comparisons with these scores ("ab": 1.0); all other pairs contradict."""
    comparisons = Comparisons(lambda name: Features(title=name), {})
    comparisons.learn(
        {(first, second): scores.get(first + second, -100.0) for first, second in combinations("abcd", 2)}
    )
    return comparisons


def asked(doubts) -> list[str]:
    return [doubt.first + doubt.second for doubt in doubts if doubt.asked]


def test_a_group_held_together_by_strong_pairs_needs_no_review():
    scores = {"ab": 3.0, "bc": 2.0, "ac": -1.0}
    assert asked(doubts_within("abc", comparisons(scores), [], RULES)) == []


def test_the_strongest_pair_between_the_certain_pieces_of_a_group_is_reviewed():
    scores = {"ab": 3.0, "cd": 3.0, "ac": 0.5, "bd": 1.0, "ad": 0.5, "bc": 0.5}
    (doubt,) = doubts_within("abcd", comparisons(scores), [], RULES)
    assert (doubt.first, doubt.second, doubt.joined) == ("b", "d", True)


def test_a_ruling_of_staff_makes_the_review_unnecessary():
    scores = {"ab": 3.0, "cd": 3.0, "ac": 0.5, "bd": 1.0, "ad": 0.5, "bc": 0.5}
    assert asked(doubts_within("abcd", comparisons(scores), [("a", "d")], RULES)) == []


def apart(scores: dict[str, float], *groups: str, different=()) -> list[str]:
    group_of = {name: sorted(group) for group in groups for name in group}
    by_name = {name: group_of[group[0]] for group in groups for name in group}
    likely = [(pair[0], pair[1]) for pair, score in scores.items() if score >= RULES.review]
    return asked(doubts_between(likely, by_name, different, comparisons(scores), RULES))


def test_two_groups_are_one_question_by_their_strongest_pair():
    scores = {"ac": -1.0, "ad": -0.5, "bc": -1.5, "bd": -3.0}
    assert apart(scores, "ab", "cd") == ["ad"]


def test_contradicting_groups_are_reviewed_only_where_a_pair_would_join():
    assert apart({"ac": -1.0}, "ab", "cd") == []
    assert apart({"ac": 1.0}, "ab", "cd") == ["ac"]


def test_two_groups_that_staff_hold_apart_need_no_review():
    scores = {"ac": 1.0, "ad": 0.5, "bc": 0.5, "bd": 0.5}
    assert apart(scores, "ab", "cd", different=[("b", "c")]) == []


def test_the_chance_of_an_error_falls_with_the_score_of_joined_pairs_and_rises_with_that_of_others():
    scores = {"ab": 0.1, "cd": 1.9}
    weak, strong = (next(doubts_within(pair, comparisons(scores), [], RULES)) for pair in ("ab", "cd"))
    assert 0 < strong.chance < weak.chance < 1
    groups = {name: [name] for name in "abcd"}
    first, second = doubts_between([("a", "b"), ("c", "d")], groups, [], comparisons(scores), RULES)
    assert (first.first, second.first) == ("c", "a")
    assert 0 < second.chance < first.chance < 1
