"""Works: groups with the same title and person, whatever their volume, edition and script."""

from aggregator.matching import extract_features
from aggregator.matching.groups.works import find_works
from tests.aggregator.matching.books import book

GROUPS = [["a"], ["b", "c"], ["d"], ["e"]]


def works_of(*records):
    rows = {name: extract_features(record) for name, record in zip("abcde", records, strict=False)}
    return find_works([[name for name in group if name in rows] for group in GROUPS if group[0] in rows], rows)


def test_two_editions_of_one_book_are_one_work():
    one = book("こころ", author="夏目漱石", year="1914")
    assert works_of(one, book("こころ 改訂版", author="夏目漱石", year="1990"), one) == [[0, 1]]


def test_any_form_of_a_name_in_a_group_counts_for_all_of_it():
    latin = book("こころ", author="Natsume, Soseki")
    assert works_of(latin, book("こころ", author="夏目漱石"), latin, book("こころ", author="夏目漱石")) == [[0, 1, 2]]


def test_titles_without_a_person_stay_alone():
    assert works_of(book("全集"), book("全集"), book("全集"), book("全集")) == [[0], [1], [2]]


def test_the_same_title_of_another_person_is_another_work():
    assert works_of(book("全集", author="夏目漱石"), book("全集", author="森鴎外")) == [[0], [1]]


def test_a_title_and_person_shared_by_too_many_groups_make_no_work():
    rows = {str(n): extract_features(book("日記", author="夏目漱石")) for n in range(81)}
    assert len(find_works([[name] for name in rows], rows)) == 81
