"""What is suggested while somebody types. Every engine must answer alike."""

import pytest
import tantivy

from aggregator.search.base import Document
from aggregator.search.suggest.entries import entries, keys, terms
from aggregator.search.tantivy.documents import tantivy_document
from aggregator.search.tantivy.schema import SCHEMA, register_tokenizers
from aggregator.search.tantivy.suggest import make_tops
from metadata.text.folding import fold_tight

KOKORO = ("こころ", "ココロ")
SOSEKI = ("夏目, 漱石", "ナツメ, ソウセキ")


def book(number: int, *titles, creators=(), subjects=()) -> Document:
    found = entries(titles, creators, subjects)
    return Document(id=number, titles=tuple(form for each in found for form in each.forms), suggestions=found)


def labels(index, typed: str) -> list[str]:
    return [each.label for each in index.suggest(typed)]


@pytest.fixture
def shelf(index):
    index.update(
        [
            book(1, KOKORO, creators=[SOSEKI]),
            book(2, ("心の科学", "ココロ ノ カガク"), subjects=[("心理学", "シンリガク")]),
            book(3, ("吾輩は猫である", "ワガハイ ワ ネコ デ アル"), creators=[SOSEKI]),
            book(4, ("Library science",), subjects=[("図書館学", "トショカンガク")]),
            book(5, ("図書館の学校", "トショカン ノ ガッコウ"), subjects=[("図書館学", "トショカンガク")]),
        ]
    )
    return index


@pytest.mark.parametrize("typed", ["こ", "こころ", "ココロ", "ｺｺﾛ", "kokor", "kokoro"])
def test_kana_and_letters_find_titles_by_their_reading(shelf, typed):
    assert set(labels(shelf, typed)) == {"こころ", "心の科学"}


def test_a_text_that_is_typed_to_its_end_comes_first(shelf):
    assert labels(shelf, "こころ")[0] == "こころ"


@pytest.mark.parametrize(
    ("typed", "label", "kind"),
    [
        ("夏", "夏目, 漱石", "creator"),
        ("夏目漱", "夏目, 漱石", "creator"),
        ("なつめ そ", "夏目, 漱石", "creator"),
        ("natsum", "夏目, 漱石", "creator"),
        ("lib", "Library science", "title"),
        ("LIBRARY S", "Library science", "title"),
        ("図書館学", "図書館学", "subject"),
        ("しんり", "心理学", "subject"),
    ],
)
def test_titles_creators_and_subjects_are_suggested(shelf, typed, label, kind):
    assert (label, kind) in [each[:2] for each in shelf.suggest(typed)]


def test_what_most_books_have_comes_first(shelf):
    found = shelf.suggest("図書館")
    assert [(each.label, each.books) for each in found] == [("図書館学", 2), ("図書館の学校", 1)]


@pytest.mark.parametrize("typed", ["", " ", "、", "ろ", "x" * 500, "\t", "\ts心理学", ".*", "心の科学\tt"])
def test_what_nothing_begins_with_suggests_nothing(shelf, typed):
    assert labels(shelf, typed) == []


def test_a_book_that_is_gone_or_changed_is_not_suggested_any_more(shelf):
    shelf.delete([1])
    assert labels(shelf, "こころ") == ["心の科学"]
    shelf.update([book(2, ("脳の科学", "ノウ ノ カガク"))])
    assert labels(shelf, "こころ") == []
    assert [each.books for each in shelf.suggest("夏目")] == [1]


def test_at_most_ten_and_not_all_of_one_kind(index):
    index.update(book(number, (f"夏の本{number}",), creators=[("夏目漱石",)]) for number in range(1, 40))
    found = index.suggest("夏")
    assert len(found) == 10
    assert found[0].label == "夏目漱石"


def test_an_empty_index_suggests_nothing(index):
    assert index.suggest("心") == ()
    index.tidy()


@pytest.mark.parametrize(
    ("typed", "found"), [("libary", 4), ("図書館の学枚", 5), ("夏日漱石", 1), ("zzzzzz", 0), ("心", 0)]
)
def test_books_with_nearly_what_was_typed_are_near(shelf, typed, found):
    assert (found in shelf.near(typed)) if found else not shelf.near(typed)


def test_a_long_title_is_left_out_and_a_book_gives_only_a_few():
    found = entries([("長" * 81,), ("短い",)], [(f"人{number}",) for number in range(50)], [])
    assert [each.label for each in found if each.kind == "t"] == ["短い"]
    assert len(found) == 7


@pytest.mark.parametrize("texts", [["C++", "心"], ["a +", "b"], ["+", ""], ["", "x"], ["a + b", "c"], ["こころ"], []])
def test_folding_in_one_go_gives_the_same(texts):
    assert keys(texts) == [fold_tight(each) for each in texts]


def test_a_term_stands_under_each_form():
    assert terms(entries([KOKORO], [], [])) == ["ココロ\ttこころ"]
    assert terms(entries([], [SOSEKI], [])) == ["夏目漱石\tc夏目, 漱石", "ナツメソウセキ\tc夏目, 漱石"]


def test_beginnings_of_any_script_that_many_terms_share_are_counted_beforehand():
    index = register_tokenizers(tantivy.Index(SCHEMA))
    writer = index.writer(num_threads=1)
    for number, title in enumerate(("山の音", "山月記", "Walden", "White fang", "Война", "Вишнёвый сад", "猫")):
        writer.add_document(tantivy_document(book(number, (title,))))
    writer.commit()
    index.reload()
    assert set(make_tops(index.searcher(), crowd=1)) == {"山", "w", "в"}
