"""Suggestions while a reader types. Every engine must give the same answers."""

import pytest
import tantivy

from aggregator.search.analysis.documents import analysed_all
from aggregator.search.analysis.fields import SUGGEST
from aggregator.search.base import Document
from aggregator.search.documents import Holders, document
from aggregator.search.suggest.entries import Suggestion, entry_terms, fold_all, make_entries
from aggregator.search.tantivy.documents import tantivy_documents
from aggregator.search.tantivy.schema import SCHEMA, register_tokenizers
from aggregator.search.tantivy.suggest import make_top_terms
from metadata.record import Agent, BibliographicRecord
from metadata.text.folding import fold_tight

KOKORO = ("こころ", "ココロ")
SOSEKI = ("夏目, 漱石", "ナツメ, ソウセキ")


def book(number: int, *titles, creators=(), subjects=()) -> Document:
    entries = make_entries(titles, creators, subjects)
    return Document(id=number, titles=tuple(form for entry in entries for form in entry.forms), suggestions=entries)


def labels(index, typed: str) -> list[str]:
    return [suggestion.label for suggestion in index.suggest(typed)]


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
def test_kana_and_latin_letters_find_titles_by_their_reading(shelf, typed):
    assert set(labels(shelf, typed)) == {"こころ", "心の科学"}


def test_a_completely_typed_text_comes_first(shelf):
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
    assert (label, kind) in [suggestion[:2] for suggestion in shelf.suggest(typed)]


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("漱石", "夏目, 漱石"),
        ("ソウセキ", "夏目, 漱石"),
        ("そうせ", "夏目, 漱石"),
        ("soseki", "夏目, 漱石"),
        ("sosek", "夏目, 漱石"),
        ("Sōseki", "夏目, 漱石"),
        ("猫", "吾輩は猫である"),
        ("猫であ", "吾輩は猫である"),
        ("ねこ", "吾輩は猫である"),
        ("neko de", "吾輩は猫である"),
        ("科学", "心の科学"),
        ("scien", "Library science"),
        ("gakko", "図書館の学校"),
    ],
)
def test_any_word_of_a_text_or_of_its_reading_finds_the_whole_text(shelf, typed, label):
    assert label in labels(shelf, typed)


def test_of_texts_with_as_many_books_those_that_begin_with_the_typed_word_come_first(index):
    index.update([book(1, ("吾輩は猫である",)), book(2, ("猫の本",)), book(3, ("猫",)), book(4, ("黒い猫",))])
    assert labels(index, "猫") == ["猫", "猫の本", "吾輩は猫である", "黒い猫"]


def test_commonly_confused_characters_find_the_text_too(index):
    index.update([book(1, ("赤光",), creators=[("斎藤, 茂吉", "サイトウ, モキチ")]), book(2, ("吾輩は猫である",))])
    assert labels(index, "斉藤") == ["斎藤, 茂吉"]
    assert labels(index, "我輩は") == ["吾輩は猫である"]


def test_texts_with_most_books_come_first(shelf):
    found = shelf.suggest("図書館")
    assert [(suggestion.label, suggestion.books) for suggestion in found] == [("図書館学", 2), ("図書館の学校", 1)]


@pytest.mark.parametrize("typed", ["", " ", "、", "ろ", "x" * 500, "\t", "\ts心理学", ".*", "心の科学\tt"])
def test_there_are_no_suggestions_for_a_beginning_that_nothing_has(shelf, typed):
    assert labels(shelf, typed) == []


def test_deleted_and_changed_books_are_no_longer_suggested(shelf):
    shelf.delete([1])
    assert labels(shelf, "こころ") == ["心の科学"]
    shelf.update([book(2, ("脳の科学", "ノウ ノ カガク"))])
    assert labels(shelf, "こころ") == []
    assert [suggestion.books for suggestion in shelf.suggest("夏目")] == [1]


def test_an_author_with_dates_in_some_records_is_one_suggestion_with_all_books(index):
    names = [("夏目, 漱石, 1867-1916", "ナツメ, ソウセキ, 1867-1916"), ("夏目, 漱石", "ナツメ, ソウセキ")]
    records = [
        BibliographicRecord(creators=(Agent(name=name, transcription=reading),)) for name, reading in [*names, names[0]]
    ]
    index.update([document(number, record, Holders((), 1)) for number, record in enumerate(records, 1)])
    for typed in ("夏目", "なつめ", "soseki", "ナツメソウセキ"):
        assert index.suggest(typed) == (Suggestion("夏目, 漱石", "creator", 3),)


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
def test_near_finds_books_with_nearly_the_typed_text(shelf, typed, found):
    assert (found in shelf.near(typed)) if found else not shelf.near(typed)


def test_long_titles_are_left_out_and_the_entries_per_book_are_limited():
    found = make_entries([("長" * 81,), ("短い",)], [(f"人{number}",) for number in range(50)], [])
    assert [entry.label for entry in found if entry.kind == "t"] == ["短い"]
    assert len(found) == 7


@pytest.mark.parametrize("texts", [["C++", "心"], ["a +", "b"], ["+", ""], ["", "x"], ["a + b", "c"], ["こころ"], []])
def test_folding_in_one_go_gives_the_same(texts):
    assert fold_all(texts) == [fold_tight(text) for text in texts]


def test_there_is_a_term_for_every_form():
    assert entry_terms(make_entries([KOKORO], [], [])) == ["ココロ\ttこころ"]
    assert entry_terms(make_entries([], [SOSEKI], [])) == [
        *("夏目漱石\tc夏目, 漱石", "ナツメソウセキ\tc夏目, 漱石"),
        *("漱石\tC夏目, 漱石", "ソウセキ\tC夏目, 漱石"),
    ]


def test_a_plus_sign_at_the_border_of_two_texts_belongs_to_one_of_them():
    entries = make_entries([], [], [("祭 +", "サイレイ")])
    (values,) = analysed_all([Document(id=1, subjects=("祭 +", "サイレイ"), suggestions=entries)])
    assert values[SUGGEST] == entry_terms(entries)


def test_top_terms_are_prepared_for_frequent_beginnings_of_any_script():
    index = register_tokenizers(tantivy.Index(SCHEMA))
    writer = index.writer(num_threads=1)
    for number, title in enumerate(("山の音", "山月記", "Walden", "White fang", "Война", "Вишнёвый сад", "猫")):
        writer.add_json(next(tantivy_documents([book(number, (title,))])))
    writer.commit()
    index.reload()
    assert set(make_top_terms(index.searcher(), crowd=1)) == {"山", "w", "в"}
