"""Which letters of a text are marked."""

import pytest

from aggregator.results.highlight import Piece, pieces, words
from aggregator.search.query.language import parse


def marked_words(text: str, typed: str) -> list[str]:
    return [piece.text for piece in pieces(text, words_of(typed)) if piece.found]


def words_of(typed: str) -> tuple[str, ...]:
    return words(("", "title"), parse(typed))


def test_words_are_marked_as_printed_and_no_text_is_lost():
    cut = pieces("吾輩は猫である 上", words_of("猫"))
    assert cut == [Piece("吾輩は"), Piece("猫", True), Piece("である 上")]


@pytest.mark.parametrize(
    ("text", "typed", "marked"),
    [
        ("広辞苑 第7版", "廣辭苑", ["広辞苑"]),
        ("コンピューター入門", "コンピュータ", ["コンピューター"]),
        ("ＰＹＴＨＯＮ入門", "python", ["ＰＹＴＨＯＮ"]),
        ("Café society", "cafe", ["Café"]),
        ("The art of smart art", "art", ["art", "art"]),
        ("本の本", "本", ["本", "本"]),
        ("図書館と本", "本 図書館", ["図書館", "本"]),
        ("図書館学", "図書 図書館", ["図書館"]),
        ("こころ", "", []),
        ("こころ", "-こころ", []),
        ("cats and dogs", "cats AND dogs", ["cats", "dogs"]),
        ("こころ", "。、", []),
        ("war and peace, and war", '"war and peace"', ["war and peace"]),
        ("夏目, 漱石", "夏目,漱石", ["夏目", "漱石"]),
        ("最新リポート", "レポート", ["リポート"]),
        ("こころ", "title:こころ 著者:夏目", ["こころ"]),
        ("夏目", "title:こころ 著者:夏目", []),
        ("犬と猫", "猫 OR 犬", ["犬", "猫"]),
        ("C++入門", "C++", ["C++"]),
    ],
)
def test_a_word_is_marked_in_every_equivalent_spelling(text, typed, marked):
    assert marked_words(text, typed) == marked


def test_a_very_long_text_is_kept_whole():
    text = "本" * 10_000
    assert "".join(piece.text for piece in pieces(text, words_of("本"))) == text
