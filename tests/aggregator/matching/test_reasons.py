"""Why records are grouped or not: the strongest path, its weakest link, the veto, the missing points."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching import Evidence, Features, compare, extract_features
from aggregator.matching import reasons as reasons_module
from aggregator.matching.comparison.decide import JOIN
from aggregator.matching.comparison.weights import MODEL
from aggregator.matching.reasons import find_ways, make_step, why_apart
from tests.aggregator.matching.books import book

ISBN = "978-4-00-310101-8"
FULL = book("こころ", author="夏目漱石", publisher="岩波書店", year="1989", isbn=ISBN, extent="300p")


def rows(**records) -> dict[str, Features]:
    return {name: extract_features(record) for name, record in records.items()}


@pytest.fixture
def totals(monkeypatch):
    """Set the score of any two records by their ids: totals({"ab": 2.0, …}); all others score -9."""

    def set_scores(scores: dict[str, float]) -> dict[str, Features]:
        def compare(one: Features, other: Features, _suspect: object) -> tuple[Evidence, ...]:
            pair = "".join(sorted((one.title, other.title)))
            return (Evidence("title", "same", scores.get(pair, -9.0)),)

        monkeypatch.setattr(reasons_module, "compare", compare)
        return {name: Features(title=name) for name in sorted(set("".join(scores)))}

    return set_scores


def test_two_records_that_join_need_no_others():
    members = rows(a=FULL, b=FULL)
    (way,) = find_ways("a", members)
    assert (way.to, way.indirect, way.steps) == ("b", False, (way.direct,))
    assert way.direct.evidence == compare(members["a"], members["b"])
    assert way.direct.missing == 0


def test_an_indirect_member_is_connected_by_the_path_with_the_strongest_weakest_link(totals):
    members = totals({"ab": 5.0, "bc": 2.0, "cd": 3.0, "ac": JOIN - 1.4, "bd": 1.0})
    found = {way.to: way for way in find_ways("a", members)}
    assert [(step.first, step.second) for step in found["d"].steps] == [("a", "b"), ("b", "c"), ("c", "d")]
    assert (found["d"].weakest.first, found["d"].weakest.second) == ("b", "c")
    assert (found["c"].indirect, found["c"].direct.missing) == (True, 1.4)
    assert not found["b"].indirect


SCORES = st.dictionaries(st.sampled_from(["ab", "ac", "ad", "bc", "bd", "cd"]), st.integers(-5, 5), min_size=6)


@given(scores=SCORES)
def test_no_path_has_a_stronger_weakest_link(scores):
    members = {name: Features(title=name) for name in "abcd"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            reasons_module,
            "compare",
            lambda one, other, _: (Evidence("t", "s", scores["".join(sorted((one.title, other.title)))]),),
        )
        found = {way.to: way for way in find_ways("a", members)}
    for end in "bcd":
        others = [name for name in "bcd" if name != end]
        paths = [("a", *between, end) for size in range(3) for between in permutations(others, size)]
        best = max(min(scores["".join(sorted(pair))] for pair in pairwise(path)) for path in paths)
        assert found[end].weakest.score == (found[end].direct.score if found[end].direct.joins else best)


def test_a_ruling_of_staff_is_the_strongest_link():
    members = rows(a=FULL, b=book("草枕"))
    (way,) = find_ways("a", members, same=[("a", "b")])
    assert [item.rule for item in way.direct.evidence] == ["staff"]
    assert not way.indirect


def test_a_veto_explains_why_records_are_apart():
    one, other = (book("こころ", volume=volume, author="夏目漱石", publisher="岩波書店") for volume in "12")
    members = rows(a=one, b=other)
    found = why_apart("a", "b", {"a": members["a"]}, {"b": members["b"]})
    assert [(item.rule, item.outcome) for item in found.step.vetoes] == [("volume", "different")]
    assert found.step.missing == 0


def test_missing_points_explain_why_records_are_apart(totals):
    members = totals({"ab": JOIN - 1.4})
    found = why_apart("a", "b", {"a": members["a"]}, {"b": members["b"]})
    assert found.step.missing == 1.4
    assert found.against == ()


def test_contradicting_pairs_explain_why_their_groups_are_apart(totals):
    members = totals({"ac": 3.0, "ab": 4.0, "cd": 4.0, "ad": MODEL.floor - 1, "bc": 1.0, "bd": -50.0})
    found = why_apart("a", "c", {name: members[name] for name in "ab"}, {name: members[name] for name in "cd"})
    assert found.step.joins
    assert [(step.first, step.second) for step in found.against] == [("b", "d"), ("a", "d")]
    assert (found.support, found.pairs) == (2, 4)


def test_groups_that_only_lack_points_show_the_average_per_pair(totals):
    members = totals({"ac": JOIN + 1, "ab": 4.0, "ad": JOIN - 2, "bc": JOIN - 2, "bd": JOIN - 1, "cd": 4.0})
    found = why_apart("a", "c", {name: members[name] for name in "ab"}, {name: members[name] for name in "cd"})
    assert (found.against, found.support, found.pairs, found.missing) == ((), 1, 4, 1.0)


def test_a_step_is_the_same_from_both_ends():
    members = rows(a=FULL, b=book("こころ", author="夏目漱石", isbn=ISBN))
    one, other = make_step("a", "b", members), make_step("b", "a", members)
    assert (one.score, one.evidence) == (other.score, other.evidence)
