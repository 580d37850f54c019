"""Which pairs a person is asked about, by scores alone."""

from itertools import combinations

from aggregator.matching import Comparisons, Features, Rules
from aggregator.matching.groups.doubts import between, within

RULES = Rules(certain=2.0, join=0.0, review=-2.0, floor=-4.0)


def judge(scores: dict[str, float]):
    """Scores of pairs ("ab": 1.0); what is not named contradicts."""
    judge = Comparisons(lambda name: Features(title=name), {})
    judge.learn({(first, second): scores.get(first + second, -100.0) for first, second in combinations("abcd", 2)})
    return judge


def asked(doubts) -> list[str]:
    return [each.first + each.second for each in doubts if each.asked]


def test_a_group_that_strong_pairs_hold_together_is_not_asked_about():
    scores = {"ab": 3.0, "bc": 2.0, "ac": -1.0}
    assert asked(within("abc", judge(scores), [], RULES)) == []


def test_the_strongest_pair_between_the_certain_pieces_of_a_group_is_asked_about():
    scores = {"ab": 3.0, "cd": 3.0, "ac": 0.5, "bd": 1.0, "ad": 0.5, "bc": 0.5}
    (doubt,) = within("abcd", judge(scores), [], RULES)
    assert (doubt.first, doubt.second, doubt.joined) == ("b", "d", True)


def test_what_staff_call_the_same_holds_pieces_together():
    scores = {"ab": 3.0, "cd": 3.0, "ac": 0.5, "bd": 1.0, "ad": 0.5, "bc": 0.5}
    assert asked(within("abcd", judge(scores), [("a", "d")], RULES)) == []


def apart(scores: dict[str, float], *groups: str, different=()) -> list[str]:
    of = {name: sorted(group) for group in groups for name in group}
    by_name = {name: of[group[0]] for group in groups for name in group}
    likely = [(pair[0], pair[1]) for pair, score in scores.items() if score >= RULES.review]
    return asked(between(likely, by_name, different, judge(scores), RULES))


def test_two_groups_are_one_question_by_their_strongest_pair():
    scores = {"ac": -1.0, "ad": -0.5, "bc": -1.5, "bd": -3.0}
    assert apart(scores, "ab", "cd") == ["ad"]


def test_two_groups_that_contradict_each_other_are_asked_about_only_where_a_pair_would_join():
    assert apart({"ac": -1.0}, "ab", "cd") == []
    assert apart({"ac": 1.0}, "ab", "cd") == ["ac"]


def test_two_groups_that_staff_hold_apart_are_not_asked_about():
    scores = {"ac": 1.0, "ad": 0.5, "bc": 0.5, "bd": 0.5}
    assert apart(scores, "ab", "cd", different=[("b", "c")]) == []


def test_the_chance_of_an_error_falls_with_the_score_of_what_is_joined_and_rises_with_that_of_what_is_apart():
    scores = {"ab": 0.1, "cd": 1.9}
    weak, strong = (next(within(pair, judge(scores), [], RULES)) for pair in ("ab", "cd"))
    assert 0 < strong.chance < weak.chance < 1
    groups = {name: [name] for name in "abcd"}
    first, second = between([("a", "b"), ("c", "d")], groups, [], judge(scores), RULES)
    assert (first.first, second.first) == ("c", "a")
    assert 0 < second.chance < first.chance < 1
