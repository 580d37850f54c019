"""How many may share a key: fewer where it is made of parts of a title."""

from aggregator.matching import features, match_keys
from aggregator.matching.keys import CROWD, WEAK_CROWD, crowd
from tests.aggregator.matching.books import book

ISBN = "9784003101018"


def test_identifiers_and_whole_titles_may_be_shared_by_more_than_parts_of_titles():
    keys = match_keys(features(book("吾輩は猫である", isbn=ISBN, author="夏目漱石", year="1990")))
    assert [crowd(key) for key in keys] == [CROWD, CROWD, *[WEAK_CROWD] * 3]


def test_another_book_of_the_same_year_shares_only_what_says_little():
    one = match_keys(features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    other = match_keys(features(book("吾輩は猫であるか", author="夏目漱石", year="1990")))
    shared = set(one) & set(other)
    assert shared
    assert {crowd(key) for key in shared} == {WEAK_CROWD}


def test_the_keys_of_one_title_lie_side_by_side():
    keys = match_keys(features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    places = [key >> 48 for key in keys]
    assert len(places) == 4
    assert len(set(places)) == 2  # the title alone, with the year, with the person; the person with the year
