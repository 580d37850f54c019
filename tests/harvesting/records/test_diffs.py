"""Two versions of a record beside each other."""

from harvesting.records.diffs import CONTEXT, Pair, beside, diff


def pairs(older: list[str], newer: list[str]) -> list[Pair]:
    return list(beside(diff("\n".join(older).encode(), "\n".join(newer).encode())))


def test_changed_lines_stand_beside_those_that_replace_them():
    assert pairs(["<a>", "old", "<b>"], ["<a>", "new", "more", "<b>"]) == [
        Pair("<a>", "<a>", "same"),
        Pair("old", "new", "changed"),
        Pair("", "more", "changed"),
        Pair("<b>", "<b>", "same"),
    ]


def test_omitted_lines_are_one_gap():
    middle = [f"line {number}" for number in range(3 * CONTEXT)]
    found = pairs(["a", *middle, "b"], ["A", *middle, "B"])
    assert [pair.kind for pair in found].count("gap") == 1
    assert found[0] == Pair("a", "A", "changed") and found[-1] == Pair("b", "B", "changed")


def test_equal_versions_have_no_pairs():
    assert pairs(["a"], ["a"]) == []
