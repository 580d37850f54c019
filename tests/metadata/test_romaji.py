"""Letters typed for kana, and kana typed for letters."""

import pytest

from metadata.romaji import beginnings, kana, letters


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("kokoro", "ココロ"),
        ("Natsume Souseki", "ナツメソウセキ"),
        ("shinjuku", "シンジユク"),
        ("sinzyuku", "シンジユク"),
        ("gakkou", "ガツコウ"),
        ("matcha", "マツチヤ"),
        ("shimbunsha", "シンブンシヤ"),
        ("Tōkyō", "トウキヨウ"),
        ("kon'ya", "コンヤ"),
        ("library", ""),
        ("心", ""),
        ("", ""),
        ("2001", ""),
    ],
)
def test_letters_spell_kana(typed, folded):
    assert kana(typed)[0] == folded


def test_a_letter_at_the_end_stands_for_what_it_begins():
    assert beginnings("natsum") == ("ナツマ", "ナツミ", "ナツム", "ナツメ", "ナツモ")
    assert beginnings("natsume") == ("ナツメ",)
    assert beginnings("library") == ()
    assert beginnings("k") == ()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("ぃbらry", "library"), ("ひsとry", "history"), ("しmpぇ", "simple"), ("しゃけspえあれ", "shakespeare")],
)
def test_an_input_method_that_was_on_by_mistake_is_undone(typed, meant):
    assert meant in letters(typed)


@pytest.mark.parametrize("typed", ["夏目漱石", "library", ""])
def test_nothing_is_undone_without_kana(typed):
    assert letters(typed) == ()
