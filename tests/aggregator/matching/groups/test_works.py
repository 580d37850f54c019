"""Works: groups with the same title and person, whatever their volume, edition and script."""

from msgspec import structs

from aggregator.matching import extract_features
from aggregator.matching.groups.works import FORMS_AT_MOST, find_works, work_keys
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


def test_a_classic_of_a_thousand_editions_is_one_work():
    rows = {
        str(n): extract_features(book("坊っちゃん", author="夏目漱石", publisher=f"書肆{n}", year=str(1900 + n % 120)))
        for n in range(1000)
    }
    assert len(find_works([[name] for name in rows], rows)) == 1


def test_a_title_that_very_many_different_titles_begin_with_makes_no_work():
    rows = {str(n): extract_features(book(f"報告 : 第{n}部会", author="調査会")) for n in range(FORMS_AT_MOST + 1)}
    assert len(find_works([[name] for name in rows], rows)) == FORMS_AT_MOST + 1


def test_a_long_title_without_a_person_meets_the_same_publisher():
    one = book("図書館情報学の現在", publisher="文理堂", year="1990")
    other = book("図書館情報学の現在", publisher="文理堂", year="2001")
    assert works_of(one, other, other, book("全集", publisher="文理堂")) == [[0, 1], [2]]


def test_the_keys_of_a_title_are_neighbours():
    row = extract_features(book("こころ", author="夏目漱石", year="1914"))
    row = structs.replace(row, yomi="", persons=("夏目漱石", "なつめそうせき", "natsume soseki"))
    other = structs.replace(row, title="坊っちゃん")
    ours, others = (sorted(work_keys([features]).keys) for features in (row, other))
    assert len(ours) == len(others) == 3
    assert ours[-1] - ours[0] < 1 << 40
    assert others[-1] - others[0] < 1 << 40
    assert ours[0] > others[-1] or others[0] > ours[-1]
