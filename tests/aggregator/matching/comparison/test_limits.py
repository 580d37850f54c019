"""Where one outcome ends and the next begins: numbers, lengths and likenesses at their limits; and symmetry."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching import Features, compare
from aggregator.matching.comparison.compare import outcomes

ISBNS = ("9784003101018",)


def outcome(rule: str, one: dict[str, Any], other: dict[str, Any]) -> str:
    """The outcome of a rule for two rows with the same title, in both directions."""
    rows = [Features(**{"title": "猫", "full": "猫", **fields}) for fields in (one, other)]
    found, back = (dict(outcomes(*pair)).get(rule, "") for pair in (rows, rows[::-1]))
    assert found == back
    return found


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        (100, "same"),
        (104, "near"),
        (105, "close"),
        (108, "close"),
        (109, "different"),
        (116, "different"),
        (117, "far"),
    ],
)
def test_pages_differ_by_so_many(pages: int, expected: str) -> None:
    assert outcome("pages", {"pages": 100}, {"pages": pages}) == expected


def test_an_unknown_number_says_nothing() -> None:
    for rule, name in (("pages", "pages"), ("size", "height"), ("length", "minutes"), ("length", "pieces")):
        assert outcome(rule, {name: 100}, {}) == ""
    assert outcome("year", {"year": 1990}, {}) == ""


def test_books_of_one_house_have_equal_pages_by_chance_if_their_titles_differ() -> None:
    one = {"title": "猫物語", "full": "猫物語春", "pages": 203}
    other = {"title": "猫物語", "full": "猫物語冬の朝", "pages": 203}
    assert outcome("title", one, other) == "subtitle_differs"
    assert outcome("pages", one, other) == "same"
    for shared in ({"publishers": ("角川書店",)}, {"series": ("角川文庫#1",)}):
        assert outcome("pages", one | shared, other | shared) == "common"
    numbered = {"series": ("角川文庫#2",)}
    assert outcome("pages", one | {"series": ("角川文庫#1",)}, other | numbered) == "common"
    assert outcome("pages", one | {"series": ("新潮文庫#2",)}, other | numbered) == "same"


@pytest.mark.parametrize(("height", "expected"), [(19, ""), (20, ""), (21, "different"), (18, ""), (17, "different")])
def test_heights_differ_by_more_than_a_centimetre(height: int, expected: str) -> None:
    assert outcome("size", {"height": 19}, {"height": height}) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"minutes": 97}, {"minutes": 98}, "same"),
        ({"minutes": 97}, {"minutes": 99}, "different"),
        ({"minutes": 97, "pieces": 1}, {"minutes": 97, "pieces": 2}, "same"),
        ({"pieces": 1}, {"pieces": 2}, "different"),
        ({"pieces": 2}, {"pieces": 2}, ""),
        ({"minutes": 97, "pieces": 1}, {"pieces": 2}, "different"),
    ],
)
def test_the_length_of_a_recording_counts_before_its_pieces(one, other, expected: str) -> None:
    assert outcome("length", one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((1990, 0), (1990, 0), "same"),
        ((1990, 5), (1990, 0), "same"),
        ((1990, 5), (1990, 5), "month"),
        ((1990, 5), (1990, 6), "next_month"),
        ((1990, 5), (1990, 7), "other_month"),
        ((1990, 12), (1991, 1), "near"),
        ((1990, 0), (1991, 0), "near"),
        ((1990, 0), (1992, 0), "far"),
        ((1990, 0), (2005, 0), "far"),
        ((1990, 1), (2005, 1), "far_months"),
        ((1990, 0), (2006, 0), "very_far"),
    ],
)
def test_dates_lie_so_far_apart(one: tuple[int, int], other: tuple[int, int], expected: str) -> None:
    dates = [{"year": year, "month": month} for year, month in (one, other)]
    assert outcome("year", *dates) == expected


@pytest.mark.parametrize(
    ("year", "expected"), [(1991, "near"), (1992, "printing"), (2005, "printing"), (2006, "very_far")]
)
def test_the_same_isbn_some_years_later_is_a_printing(year: int, expected: str) -> None:
    assert outcome("year", {"year": 1990, "isbns": ISBNS}, {"year": year, "isbns": ISBNS}) == expected
    other = {"year": year, "isbns": ("9784003101025",)}
    assert outcome("year", {"year": 1990, "isbns": ISBNS}, other) == expected.replace("printing", "far")


def test_only_the_later_of_two_dates_can_be_that_of_a_printing() -> None:
    assert outcome("year", {"year": 1990}, {"year": 1995, "reprinted": True}) == "reprinted"
    assert outcome("year", {"year": 1990, "reprinted": True}, {"year": 1995}) == "far"
    assert outcome("year", {"year": 1990, "month": 4}, {"year": 1990, "month": 9, "reprinted": True}) == "reprinted"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abcde", "abcdx", "similar"),  # four of five
        ("abcd", "abcx", "different"),  # three of four
        ("abcd", "xyabcd", "same"),
        ("abc", "xyabcz", "different"),  # three Latin letters are in a name by chance
        ("abc", "abc", "same"),
        ("三省", "三省堂", "same"),
    ],
)
def test_publishers_are_alike(one: str, other: str, expected: str) -> None:
    assert outcome("publisher", {"publishers": (one, "z")}, {"publishers": (other,)}) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("大江健三郎",), ("大江健二郎",), "similar"),
        (("夏目漱石",), ("夏目漱右",), "different"),
        (("夏目漱石",), (), ""),
        (("石森太郎",), ("石ノ森太郎",), "similar"),
        (("石森郎",), ("石ノ森郎",), "different"),  # a name of three characters is like too many others
        (("夏目漱石", "森鷗外"), ("芥川竜之介", "森鷗外"), "same"),
        (("terada t",), ("terada k",), "family_name"),
        (("terada t",), ("ueda t",), "different"),
        (("terada t", "夏目漱石"), ("ueda t",), "different"),
        (("terada t",), ("テラダトラヒコ",), "romanised"),
        (("terada t",), ("テラダ",), ""),  # nothing follows the family name
        (("terada",), ("テラダ",), "romanised"),
        (("terada",), ("テラダトラヒコ",), ""),
        (("terada t",), ("寺田寅彦",), ""),
    ],
)
def test_persons_are_alike(one: tuple[str, ...], other: tuple[str, ...], expected: str) -> None:
    assert outcome("author", {"persons": one}, {"persons": other}) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("文庫#1",), ("文庫#1",), "same"),
        (("文庫#1", "叢書#2"), ("叢書#2",), "same"),
        (("文庫#1",), ("文庫#2",), "different"),
        (("文庫#",), ("文庫#2",), ""),
        (("文庫#1",), ("叢書#2",), ""),
        (("文庫#1", "文庫#"), ("文庫#2",), "different"),  # stated with its number and without
    ],
)
def test_numbers_in_one_series_are_compared(one: tuple[str, ...], other: tuple[str, ...], expected: str) -> None:
    assert outcome("series", {"series": one}, {"series": other}) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("2", "2", "same"),
        ("2", "3", "different"),
        ("2", "r2", "same"),
        ("2", "r1", "unclear"),  # a first revised edition may be the second
        ("2", "11", "different"),
        ("r", "2", "unclear"),
        ("", "1", ""),
    ],
)
def test_editions_are_compared_by_their_numbers(one: str, other: str, expected: str) -> None:
    assert outcome("edition", {"edition": one}, {"edition": other}) == expected


@pytest.mark.parametrize(
    ("years", "expected"),
    [((1990, 1990), "one_side"), ((1990, 1991), "one_side_later"), ((1990, 0), "one_side_undated")],
)
def test_an_edition_on_one_side_counts_by_the_dates(years: tuple[int, int], expected: str) -> None:
    one, other = {"edition": "2", "year": years[0]}, {"year": years[1]}
    assert outcome("edition", one, other) == expected
    assert outcome("edition", one | {"isbns": ISBNS}, other | {"isbns": ISBNS}) == f"{expected}_isbn"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("JPNO:1", "NCID:a"), ("NCID:a",), "same"),
        (("JPNO:1", "NCID:a"), ("JPNO:2", "NCID:b"), "different_jpno"),
        (("JPNO:1", "NCID:a"), ("NCID:b",), "different"),
        (("JPNO:1",), ("NCID:b",), ""),
    ],
)
def test_numbers_of_one_scheme_are_compared(one: tuple[str, ...], other: tuple[str, ...], expected: str) -> None:
    assert outcome("number", {"ids": one}, {"ids": other}) == expected


@pytest.mark.parametrize(
    ("one", "other", "suspect", "expected"),
    [
        (("1",), ("1",), {}, "same"),
        (("1",), ("1",), {"1": "suspect"}, "suspect"),
        (("1", "2"), ("1", "2"), {}, "same"),
        (("1", "2"), ("1", "2"), {"1": "suspect"}, "list"),
        (("1", "2"), ("1", "3"), {}, "one_of"),
        (("1", "2"), ("1", "3"), {"1": "listed"}, "listed_one_of"),
        (("1", "2"), ("1",), {"1": "suspect"}, "suspect_one_of"),
        (("1",), ("2",), {}, "different"),
        (("1",), (), {}, ""),
    ],
)
def test_isbns_are_compared(
    one: tuple[str, ...], other: tuple[str, ...], suspect: dict[str, str], expected: str
) -> None:
    rows = [Features(title="猫", full="猫", isbns=isbns) for isbns in (one, other)]
    found = [dict(outcomes(*pair, suspect)).get("isbn", "") for pair in (rows, rows[::-1])]
    assert found == [expected, expected]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"carrier": "paper"}, {"carrier": "digital"}, "different"),
        ({"carrier": "paper"}, {"likely": "digital"}, "unsure"),
        ({"likely": "paper"}, {"likely": "digital"}, "unsure"),
        ({"carrier": "media"}, {"carrier": "sound"}, ""),
        ({"carrier": "transcript"}, {"carrier": "braille"}, ""),
        ({"carrier": "transcript"}, {"carrier": "video"}, "different"),
        ({"carrier": "media"}, {"carrier": "paper"}, "different"),
        ({"carrier": "paper"}, {}, ""),
        ({"carrier": "paper", "isbns": ISBNS}, {"likely": "digital", "isbns": ISBNS}, "unsure_isbn"),
    ],
)
def test_carriers_are_compared(one: dict[str, Any], other: dict[str, Any], expected: str) -> None:
    assert outcome("carrier", one, other) == expected


_FEW = st.sampled_from
_ROWS = st.builds(
    Features,
    title=_FEW(["", "猫", "ネコ", "neko", "猫物語", "猫物語集", "猫索引", "cat stories of tokyo"]),
    full=_FEW(["猫", "ネコ", "猫物語春", "猫物語冬の朝", "猫索引", "cat stories of tokyo and kyoto"]),
    yomi=_FEW(["", "ネコ"]),
    entries=_FEW([(), ("猫物語",)]),
    others=_FEW([(), ("猫",)]),
    volume=_FEW(["", "1", "2", "上", "下", "特別編"]),
    is_set=st.booleans(),
    edition=_FEW(["", "1", "2", "r1", "r", "11"]),
    year=_FEW([0, 1990, 1991, 2005, 2006]),
    month=_FEW([0, 5, 6]),
    reprinted=st.booleans(),
    persons=_FEW([(), ("石森郎",), ("石ノ森郎", "terada t"), ("terada k",), ("テラダ",)]),
    publishers=_FEW([(), ("三省",), ("三省堂", "abc"), ("abcd",)]),
    isbns=_FEW([(), ISBNS, (*ISBNS, "9784003101025")]),
    ids=_FEW([(), ("JPNO:1",), ("JPNO:2", "NCID:a")]),
    series=_FEW([(), ("文庫#1",), ("文庫#2",), ("文庫#1", "文庫#"), ("文庫#2", "文庫#1")]),
    parts=_FEW([(), ("猫物語",)]),
    part_volume=_FEW(["", "1"]),
    pages=_FEW([0, 100, 104]),
    volumes=_FEW([0, 2]),
    bare=st.booleans(),
    carrier=_FEW(["", "paper", "media"]),
    likely=_FEW(["", "digital"]),
    minutes=_FEW([0, 97, 98]),
    pieces=_FEW([0, 1, 2]),
    height=_FEW([0, 19, 21]),
)


@given(_ROWS, _ROWS)
def test_comparing_any_two_rows_is_symmetrical(one: Features, other: Features) -> None:
    assert compare(one, other) == compare(other, one)
