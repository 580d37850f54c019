"""Blocking keys: which of them are weak, and which records share some."""

from aggregator.matching import Features, extract_features, match_keys
from aggregator.matching.blocking_keys import KEYS_AT_MOST, hash_texts, is_weak
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


def share(**changes: object) -> tuple[int, int]:
    """How many strong and weak keys two rows share, of which one has these changes."""
    base = {
        "title": "吾輩ハ猫デアル",
        "full": "吾輩ハ猫デアル",
        "isbns": ("1", "2", "3", "4"),
        "set_isbns": ("5", "6"),
        "issns": ("7", "8"),
        "ids": ("9", "10", "11"),
    }
    one, other = (set(match_keys(Features(**fields))) for fields in (base, base | changes))
    return len([key for key in one & other if not is_weak(key)]), len([key for key in one & other if is_weak(key)])


def test_so_many_numbers_become_keys():
    assert share() == (8, 0)  # three ISBNs, one set ISBN, one ISSN, two others, the title
    assert (
        share(isbns=("1", "2", "3"))
        == share(set_isbns=("5",))
        == share(issns=("7",))
        == share(ids=("9", "10"))
        == (8, 0)
    )
    assert share(isbns=("4",)) == (5, 0)
    assert share(set_isbns=("6",)) == share(issns=("8",)) == (7, 0)
    assert share(ids=("11",)) == (6, 0)


def test_a_title_and_its_further_forms_become_keys():
    row = Features(title="心", full="心小説", entries=("乙", "丙", "丁"), yomi="ココロ")
    shared = [
        len(set(match_keys(row)) & set(match_keys(Features(title=title, full=title))))
        for title in ("心", "心小説", "乙", "丙", "丁", "ココロ")
    ]
    assert shared == [1, 1, 1, 1, 0, 1]
    assert match_keys(Features(full="心", yomi="ココロ", year=1990, persons=("a",))) == ()


def test_titles_that_differ_only_after_their_first_characters_share_a_key():
    for letter, length in (("猫", 24), ("a", 48)):
        keys = [match_keys(Features(title=letter * length + end, full=letter * length + end)) for end in ("", "x", "y")]
        assert keys[0] == keys[1] == keys[2]
        assert match_keys(Features(title=letter * (length - 1), full=letter * (length - 1))) != keys[0]


def weak(**fields: object) -> set[int]:
    return {key for key in match_keys(Features(**fields)) if is_weak(key)}


def test_weak_keys_are_made_of_the_beginning_with_the_year_or_the_person():
    japanese, latin = "吾輩ハ猫デアル", "theoryofeverything"
    for title, of_year, of_person in ((japanese, 6, 4), (latin, 12, 8)):
        for length, fields in ((of_year, {"year": 1990}), (of_person, {"persons": ("夏目漱石",)})):
            whole = weak(title=title, full=title, **fields)
            begins, ends_before = title[:length] + "x", title[: length - 1] + "x"
            assert whole & weak(title=begins, full=begins, **fields)
            assert not whole & weak(title=ends_before, full=ends_before, **fields)


def test_keys_are_at_most_ten_and_strong_ones_come_first():
    row = Features(
        title="心",
        full="心小説",
        entries=("乙", "丙"),
        yomi="ココロ",
        year=1990,
        persons=("夏目漱石",),
        isbns=("1", "2", "3"),
        set_isbns=("4",),
        issns=("5",),
        ids=("6", "7"),
    )
    keys = match_keys(row)
    assert len(keys) == KEYS_AT_MOST == 10
    assert not any(map(is_weak, keys))
    assert list(keys[:7]) == [
        key & ~1 for key in hash_texts(("isbn 1", "isbn 2", "isbn 3", "set 4", "issn 5", "id 6", "id 7"))
    ]
