"""The pattern of a question: the signs of different books, whatever speaks for the same book beside them."""

from aggregator.matching import Evidence
from aggregator.matching.patterns import NO_SIGNS, pattern_of, signs_in
from aggregator.matching.signs import Side, sign_of

SAME, OTHER_YEAR, OTHER_TITLE = (
    Evidence("title", "same", 4),
    Evidence("year", "very_far", -3),
    Evidence("title", "unrelated", -9),
)


def test_only_the_signs_of_different_books_make_the_pattern():
    assert (sign_of(SAME).side, sign_of(OTHER_YEAR).side) == (Side.SAME, Side.DIFFERENT)
    assert pattern_of([SAME, OTHER_YEAR]) == pattern_of([OTHER_YEAR]) == "year=very_far"
    assert (
        pattern_of([OTHER_YEAR, OTHER_TITLE])
        == pattern_of([OTHER_TITLE, OTHER_YEAR])
        == "title=unrelated,year=very_far"
    )
    assert pattern_of([SAME]) == pattern_of([]) == NO_SIGNS


def test_a_pattern_is_read_back():
    assert signs_in(pattern_of([OTHER_YEAR, OTHER_TITLE])) == [("title", "unrelated"), ("year", "very_far")]
    assert signs_in(NO_SIGNS) == []
