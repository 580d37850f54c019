"""How clusters grow: contradictions that are tolerated, weights of cores, points that one pair contributes."""

from itertools import combinations

import pytest

from aggregator.matching import Comparisons, Features, Rules
from aggregator.matching.groups.doubts import Doubt, doubt_within, doubts_between, standing_for
from aggregator.matching.groups.solve import NOT_RULED, Ruled, leading, solve, surplus
from aggregator.matching.groups.works import find_works, is_common_title, work_keys

RULES = Rules(certain=2.0, join=0.0, review=-2.0, floor=-4.0)
type Scores = dict[tuple[int, int], float]


def compared(scores: Scores, kinds: dict[int, int], rest: float) -> Comparisons:
    comparisons = Comparisons(lambda name: Features(title=str(name)), {})
    comparisons.learn({pair: scores.get(pair, rest) for pair in combinations(sorted(kinds), 2)})
    return comparisons


def solved(
    scores: Scores, kinds: dict[int, int], rest: float = -1.0, ruled: Ruled = NOT_RULED
) -> list[tuple[int, ...]]:
    edges = {pair: score for pair, score in scores.items() if score >= RULES.review}
    return [group.cores for group in solve(kinds, edges, compared(scores, kinds, rest), ruled, RULES)]


def test_three_that_agree_pair_by_pair_are_one_and_know_their_best_partner() -> None:
    scores = {(1, 2): 1.0, (1, 3): 3.0, (2, 3): 2.0}
    (group,) = solve(
        dict.fromkeys((1, 2, 3), 1), scores, compared(scores, dict.fromkeys((1, 2, 3), 1), 0), NOT_RULED, RULES
    )
    assert [(link.core, link.linked_to, link.score) for link in group.members] == [
        (1, 3, 3.0),
        (2, 3, 2.0),
        (3, 1, 3.0),
    ]


def test_a_pair_at_the_threshold_is_joined_and_one_below_is_not() -> None:
    assert solved({(1, 2): 0.0}, {1: 1, 2: 1}) == [(1, 2)]
    assert solved({(1, 2): -0.1}, {1: 1, 2: 1}) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("third", "groups"), [(-3.0, [(1, 2, 3)]), (-3.1, [(1, 2, 3)]), (-4.0, [(1, 2, 3)]), (-4.1, [(1, 2), (3,)])]
)
def test_a_pair_below_the_floor_contradicts(third: float, groups: list[tuple[int, ...]]) -> None:
    assert solved({(1, 2): 5.0, (2, 3): 4.0, (1, 3): third}, dict.fromkeys((1, 2, 3), 1)) == groups


def test_no_pair_contributes_more_than_three_points() -> None:
    assert surplus([10.0], 0.0) == 3.0
    assert surplus([-10.0], 0.0) == -3.0
    assert surplus([1.5, -0.5], 0.5) == 0.0
    assert solved({(1, 2): 5.0, (2, 3): 2.9, (1, 3): -3.0}, dict.fromkeys((1, 2, 3), 1)) == [(1, 2), (3,)]
    assert solved({(1, 2): 5.0, (2, 3): 3.0, (1, 3): -3.0}, dict.fromkeys((1, 2, 3), 1)) == [(1, 2, 3)]


@pytest.mark.parametrize(("kinds", "groups"), [(19, [(1, 2, 3)]), (18, [(1, 3), (2,)])])
def test_a_twentieth_of_the_pairs_may_contradict(kinds: int, groups: list[tuple[int, ...]]) -> None:
    """Core 1 has so many kinds, core 2, which contradicts core 3, has one."""
    scores = {(1, 2): 4.0, (1, 3): 5.0, (2, 3): -5.0}
    assert solved(scores, {1: kinds, 2: 1, 3: 1}) == groups


def test_a_pair_of_cores_counts_as_often_as_their_kinds_have_pairs() -> None:
    """Core 2 has two kinds: of 2 * (19 + 1) pairs across, two contradict."""
    scores = {(1, 2): 4.0, (1, 3): 5.0, (2, 3): -5.0}
    assert solved(scores, {1: 19, 2: 2, 3: 1}) == [(1, 2, 3)]
    assert solved(scores, {1: 18, 2: 2, 3: 1}) == [(1, 3), (2,)]
    assert solved(scores, {1: 18, 2: 2, 3: 2}) == [(1, 3), (2,)]


def test_in_a_group_with_an_unlikely_pair_everyone_knows_the_best_partner() -> None:
    kinds = dict.fromkeys((1, 2, 3), 1)
    scores = {(1, 2): 4.0, (2, 3): 5.0, (1, 3): -1.0}
    edges = {pair: score for pair, score in scores.items() if score >= RULES.review}
    (group,) = solve(kinds, edges, compared(scores, kinds, 0), NOT_RULED, RULES)
    assert [(link.core, link.linked_to, link.score) for link in group.members] == [
        (1, 2, 4.0),
        (2, 3, 5.0),
        (3, 2, 5.0),
    ]


def test_cores_with_more_kinds_weigh_more() -> None:
    scores = {(1, 2): 5.0, (2, 3): 2.0, (1, 3): -2.0}
    assert solved(scores, {1: 1, 2: 1, 3: 1}) == [(1, 2, 3)]
    assert solved(scores, {1: 2, 2: 1, 3: 1}) == [(1, 2), (3,)]
    assert solved(scores, {1: 1, 2: 2, 3: 1}) == [(1, 2, 3)]


@pytest.mark.parametrize("sound", [1, 2])
def test_of_equal_pairs_that_of_the_cores_with_most_kinds_comes_first(sound: int) -> None:
    """Which one was joined depended on numbers that are hashes, so half of the brief descriptions joined a mistake."""
    mistaken, kinds = 3 - sound, {1: 1, 2: 1, 3: 1} | {sound: 4}
    groups = solved({(1, 3): 3.0, (2, 3): 3.0, (1, 2): -9.0}, kinds)
    assert groups == sorted([(sound, 3), (mistaken,)])


def test_staff_join_and_part() -> None:
    kinds = dict.fromkeys((1, 2, 3), 1)
    scores = {(1, 2): 5.0, (1, 3): 4.0, (2, 3): 3.0}
    assert solved(scores, kinds, ruled=Ruled(different=frozenset({(2, 3)}))) == [(1, 2), (3,)]
    assert solved({}, kinds, -9.0, Ruled(same=frozenset({(1, 3)}))) == [(1, 3), (2,)]
    within = Ruled(same=frozenset({(1, 3)}), different=frozenset({(1, 2)})).within([1, 3])
    assert (within.same, within.different) == (frozenset({(1, 3)}), frozenset())


def test_a_group_is_asked_about_from_a_tenth_on() -> None:
    kinds = {1: 1, 2: 1}
    likely = {score: doubt_within(kinds, compared({(1, 2): score}, kinds, 0), (), RULES) for score in (1.9, 2.0, -1.0)}
    assert likely[2.0] is None
    assert isinstance(likely[1.9], Doubt) and isinstance(likely[-1.0], Doubt)
    assert likely[-1.0].chance > 0.1 > likely[1.9].chance
    assert (likely[-1.0].asked, likely[1.9].asked) == (True, False)


def test_the_cores_with_most_kinds_stand_for_a_group() -> None:
    group = {core: core % 5 for core in range(1, 13)}
    assert leading(group, group, 8) == [4, 9, 3, 8, 2, 7, 12, 1]
    assert leading(group, (1, 9, 4, 5), 2) == [4, 9]
    assert standing_for(group) == [1, 2, 3, 4, 7, 8, 9, 12]


def test_a_pair_inside_a_group_is_no_question_between_groups() -> None:
    one, other = {1: 1, 2: 1}, {3: 1}
    group_of = {1: one, 2: one, 3: other}
    scores = {(1, 2): 5.0, (1, 3): -1.0, (2, 3): -0.5}
    doubts = list(doubts_between(sorted(scores), group_of, (), compared(scores, {1: 1, 2: 1, 3: 1}, 0), RULES))
    assert [(doubt.first, doubt.second, doubt.joined, doubt.asked) for doubt in doubts] == [
        (2, 3, False, True),
        (1, 3, False, False),
    ]


@pytest.mark.parametrize(
    ("title", "is_long"), [("図書館情報学", False), ("図書館情報学史", True), ("a" * 13, False), ("a" * 14, True)]
)
def test_a_long_title_makes_a_work_with_its_publisher(title: str, is_long: bool) -> None:
    rows = {name: Features(title=title, full=title, publishers=("p",)) for name in "ab"}
    assert (find_works([["a"], ["b"]], rows) == [[0, 1]]) is is_long
    assert find_works([["a"], ["b"]], {**rows, "b": Features(title=title, full=title, persons=("x",))}) == [[0], [1]]


def test_a_work_is_known_by_titles_readings_originals_and_parts() -> None:
    def keys(**fields: object) -> frozenset[int]:
        return work_keys([Features(persons=("x",), **fields)]).keys

    assert keys(title="心") & keys(title="ココロ", originals=("心",))
    assert keys(title="心", yomi="ココロ") & keys(title="ココロ")
    assert keys(title="全集", parts=("心", "心小説")) & keys(title="心")
    assert not keys(title="全集", parts=("心", "心小説")) & keys(title="全集")
    assert not keys(title="全集", parts=("心", "心小説")) & keys(title="心小説")


def test_so_many_forms_or_books_make_a_title_common() -> None:
    assert not is_common_title({place: place for place in range(200)})
    assert is_common_title({place: place for place in range(201)})
    assert not is_common_title(dict.fromkeys(range(5000), 1))
    assert is_common_title(dict.fromkeys(range(5001), 1))
