"""How many may share a key: fewer where it is made of parts of a title."""

from aggregator.matching import extract_features, match_keys
from aggregator.matching.blocking_keys import CROWD, WEAK_CROWD, crowd
from tests.aggregator.matching.books import book

ISBN = "9784003101018"


def test_identifiers_and_whole_titles_may_be_shared_by_more_than_parts_of_titles():
    keys = match_keys(extract_features(book("吾輩は猫である", isbn=ISBN, author="夏目漱石", year="1990")))
    assert [crowd(key) for key in keys] == [CROWD, CROWD, *[WEAK_CROWD] * 3]


def test_another_book_of_the_same_year_shares_only_what_says_little():
    one = match_keys(extract_features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    other = match_keys(extract_features(book("吾輩は猫であるか", author="夏目漱石", year="1990")))
    shared = set(one) & set(other)
    assert shared
    assert {crowd(key) for key in shared} == {WEAK_CROWD}


def test_the_keys_of_one_title_lie_side_by_side():
    keys = match_keys(extract_features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    places = [key >> 48 for key in keys]
    assert len(places) == 4
    assert len(set(places)) == 2  # the title alone, with the year, with the person; the person with the year


def test_another_book_of_a_person_and_year_is_not_met():
    one = match_keys(extract_features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    other = match_keys(extract_features(book("夢十夜", author="夏目漱石", year="1990")))
    assert not set(one) & set(other)


def test_a_title_that_begins_otherwise_is_met_by_its_end_or_its_pages():
    def met(extent: str) -> bool:
        kanji = match_keys(extract_features(book("時計じかけ", author="和田慎二", year="1990", extent=extent)))
        kana = match_keys(extract_features(book("トケイジカケ", author="和田慎二", year="1990", extent=extent)))
        return bool(set(kanji) & set(kana))

    assert met("")
    assert met("180p")
