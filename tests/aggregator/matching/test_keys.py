"""Blocking keys: which of them are weak, and which records share some."""

from aggregator.matching import extract_features, match_keys
from aggregator.matching.blocking_keys import is_weak
from tests.aggregator.matching.books import book

ISBN = "9784003101018"


def test_keys_of_parts_of_titles_are_weak():
    keys = match_keys(extract_features(book("吾輩は猫である", isbn=ISBN, author="夏目漱石", year="1990")))
    assert [is_weak(key) for key in keys] == [False, False, True, True, True]


def test_another_book_of_the_same_year_shares_weak_keys_only():
    one = match_keys(extract_features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    other = match_keys(extract_features(book("吾輩は猫であるか", author="夏目漱石", year="1990")))
    shared = set(one) & set(other)
    assert shared
    assert all(is_weak(key) for key in shared)


def test_the_keys_of_one_title_are_close_to_each_other():
    keys = match_keys(extract_features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    locations = [key >> 48 for key in keys]
    assert len(locations) == 4
    assert len(set(locations)) == 2  # three begin with the title (alone, with year, with person), one with the person


def test_another_book_of_the_same_person_and_year_shares_no_key():
    one = match_keys(extract_features(book("吾輩は猫である", author="夏目漱石", year="1990")))
    other = match_keys(extract_features(book("夢十夜", author="夏目漱石", year="1990")))
    assert not set(one) & set(other)


def test_a_title_with_another_beginning_shares_a_key_by_its_end_or_its_pages():
    def share_a_key(extent: str) -> bool:
        kanji = match_keys(extract_features(book("時計じかけ", author="和田慎二", year="1990", extent=extent)))
        kana = match_keys(extract_features(book("トケイジカケ", author="和田慎二", year="1990", extent=extent)))
        return bool(set(kanji) & set(kana))

    assert share_a_key("")
    assert share_a_key("180p")
