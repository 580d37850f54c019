"""Letters typed for kana, kana typed for letters, and one form for every way to write a reading."""

import pytest

from metadata.text.romaji import beginnings, kana, letters, romanise, sound


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


@pytest.mark.parametrize(
    ("one", "spellings"),
    [
        ("soseki", "ソウセキ そーせき Sōseki Sôseki Souseki Sohseki SOOSEKI ｿｳｾｷ"),
        ("shinichi", "シンイチ Shin'ichi Sin-iti shinichi"),
        ("tokyo", "トウキョウ トーキョー トウキヨウ Tōkyō Toukyou"),
        ("nihonbashi", "ニホンバシ Nihonbashi Nihombashi Nihonbasi"),
        ("oe", "オオエ Ōe Ooe Oe"),
        ("tsuzuki", "ツヅキ Tsuzuki Tuduki Tudzuki"),
        ("junichiro", "ジュンイチロウ Jun'ichirō Zyun'itiro"),
        ("kocchi", "コッチ Kotchi Kocchi Kotti"),
        ("fuji", "フジ Fuji Huzi"),
        ("sato", "サトウ Satoh Satou Satō"),
        ("chugoku", "チュウゴク Chūgoku Tyûgoku"),
        ("baiorin", "ヴァイオリン バイオリン"),
    ],
)
def test_spellings_of_one_reading_are_one(one: str, spellings: str) -> None:
    assert {sound(each) for each in spellings.split()} == {one}


@pytest.mark.parametrize("text", ["夏目", "the", "Smith", "なつめ漱石", "web3", "", "ー", "123", "Müller"])
def test_what_cannot_be_read_so_has_no_sound(text: str) -> None:
    assert sound(text) == ""


def test_kana_in_letters_keep_their_long_vowels() -> None:
    assert romanise("コウダンシャ") == "koudansha"
