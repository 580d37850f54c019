"""Words of printed texts: no part that is offered to readers cuts one."""

import pytest

from metadata.text.folding import fold
from metadata.text.printed_words import tails, whole_words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("吾輩は猫である", ["猫デアル"]),
        ("ワガハイ ワ ネコ デ アル", ["ネコデアル", "アル"]),
        ("夏目, 漱石", ["漱石"]),
        ("ナツメ, ソウセキ, 1867", ["ソウセキ1867", "1867"]),
        ("矢野, 直樹, 1962-", ["直樹1962", "1962"]),
        ("ショシ (キソ) : リロン/ジッセン", ["キソリロンジツセン", "リロンジツセン", "ジツセン"]),
        ("ウェブ2.0・データベース", ["デタベス"]),
        ("図書館情報学シリーズ", ["シリズ"]),
        ("The library's history", ["libraryshistory", "history"]),
        ("心", []),
        ("", []),
    ],
)
def test_the_tails_of_a_text_begin_with_its_later_words(text, found):
    assert tails(text, fold(text), 9) == found


def test_there_are_only_so_many_tails():
    assert tails("one two three four", "one two three four", 2) == ["twothreefour", "threefour"]


@pytest.mark.parametrize(
    ("text", "cut", "whole"),
    [
        ("図書館情報学シリーズ", "図書館情報学シリ", "図書館情報学シリーズ"),
        ("図書館情報学概論", "情報学概", "情報学概論"),
        ("吾輩は猫である", "猫", "猫"),
        ("猫の本", "猫", "猫"),
        ("ハウルの動く城", "動", "動く"),
        ("Library science", "brary", "Library"),
        ("心", "心", "心"),
    ],
)
def test_no_word_is_cut(text, cut, whole):
    start = text.index(cut)
    assert whole_words(text, start, start + len(cut)) == whole
