"""Which pairs a person should review, by scores alone."""

from itertools import combinations

from aggregator.matching import Comparisons, Features, Rules
from aggregator.matching.groups.doubts import doubt_within, doubts_between, worth

RULES = Rules(certain=2.0, join=0.0, review=-2.0, floor=-4.0)


def comparisons(scores: dict[str, float]):
    """Comparisons with these scores ("ab": 1.0); all other pairs contradict."""
    comparisons = Comparisons(lambda name: Features(title=name), {})
    comparisons.learn(
        {(first, second): scores.get(first + second, -100.0) for first, second in combinations("abcd", 2)}
    )
    return comparisons


def within(scores: dict[str, float], names: str = "abcd", same=(), kinds=None):
    return doubt_within(dict.fromkeys(names, 1) | (kinds or {}), comparisons(scores), same, RULES)


def test_a_group_of_which_every_pair_is_certain_is_no_question():
    assert within({"ab": 3.0, "bc": 2.0, "ac": 2.5}, "abc") is None


def test_a_group_is_one_question_shown_by_its_least_likely_pair():
    doubt = within({"ab": 3.0, "cd": 3.0, "ac": 0.5, "bd": 1.0, "ad": 0.4, "bc": 0.5})
    assert (doubt.first, doubt.second, doubt.joined, doubt.asked) == ("a", "d", True, True)


def test_a_group_that_strong_pairs_connect_is_asked_about_if_its_other_pairs_are_unlikely():
    doubt = within({"ab": 3.0, "bc": 3.0, "ac": -2.0}, "abc")
    assert (doubt.first, doubt.second) == ("a", "c")


def test_what_is_as_likely_as_a_pair_that_staff_call_the_same_is_not_asked():
    scores = {"ab": 3.0, "cd": 3.0, "ac": 0.5, "bd": 1.0, "ad": 0.4, "bc": 0.5}
    assert within(scores, same=[("a", "d")]) is None
    assert within(scores, same=[("a", "c")]).second == "d"


def test_the_chance_of_a_group_is_the_share_of_its_pairs_that_are_expected_to_be_wrong():
    scores = {"ab": 3.0, "ac": 0.5, "bc": 0.5}
    one, many = within(scores, "abc"), within(scores, "abc", kinds={"c": 10})
    assert 0 < one.chance < many.chance < 1


def between(scores: dict[str, float], *groups: str, different=(), kinds=None):
    sizes = [{name: (kinds or {}).get(name, 1) for name in group} for group in groups]
    group_of = {name: group for group in sizes for name in group}
    likely = [(pair[0], pair[1]) for pair, score in scores.items() if score >= RULES.review]
    return list(doubts_between(likely, group_of, different, comparisons(scores), RULES))


def asked(*args, **kwargs) -> list[str]:
    return [doubt.first + doubt.second for doubt in between(*args, **kwargs) if doubt.asked]


def test_two_groups_are_one_question_by_their_strongest_pair():
    assert asked({"ac": -1.0, "ad": -0.5, "bc": -1.5, "bd": -1.0}, "ab", "cd") == ["ad"]


def test_two_groups_of_which_most_pairs_contradict_are_no_question():
    assert asked({"ac": -1.0}, "ab", "cd", kinds={"b": 9, "d": 9}) == []
    assert asked({"ac": -1.0}, "a", "c") == ["ac"]


def test_every_likely_pair_across_groups_is_returned_and_one_of_them_has_the_chance():
    doubts = between({"ac": -1.0, "ad": -0.5}, "ab", "cd")
    assert len(doubts) == 2
    assert [doubt.chance > 0 for doubt in doubts] == [True, False]


def test_two_groups_that_staff_hold_apart_are_no_question():
    scores = {"ac": 1.0, "ad": 0.5, "bc": 0.5, "bd": 0.5}
    assert asked(scores, "ab", "cd") == ["ac"]
    assert asked(scores, "ab", "cd", different=[("b", "c")]) == []


def test_the_chance_of_an_error_falls_with_the_score_of_joined_pairs_and_rises_with_that_of_others():
    scores = {"ab": 0.1, "cd": 1.9}
    weak, strong = within(scores, "ab"), within(scores, "cd")
    assert 0 < strong.chance < weak.chance < 1
    first, second = between(scores, *"abcd")
    assert (first.first, second.first) == ("c", "a")
    assert 0 < second.chance < first.chance < 1


def test_a_question_is_worth_the_pairs_of_records_that_may_be_wrong():
    assert worth(0.5, 4) == 3
    assert worth(0.5, 4, 3) == 6
    assert worth(0.5, 1) == 0


def test_a_known_chance_is_not_computed_again():
    group_of = {"a": {"a": 1}, "c": {"c": 1}}
    (doubt,) = doubts_between([("a", "c")], group_of, (), comparisons({"ac": -1.0}), RULES, {("a", "c"): 0.25})
    assert (doubt.chance, doubt.asked) == (0.25, True)


def test_a_pair_that_stands_for_a_question_never_has_the_chance_0():
    (doubt,) = between({"ac": -1.0}, "ab", "cd", kinds={"b": 99, "d": 99})
    assert doubt.chance > 0
