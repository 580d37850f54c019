"""Kana from letters, letters from kana typed by mistake, and one form for all spellings of a reading."""

import time

import pytest

from metadata.text.romaji import MOST_PREFIXES, kana, kana_prefixes, romanise, sound, typed_letters


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
def test_letters_are_converted_to_kana(typed, folded):
    assert kana(typed)[0] == folded


def test_an_unfinished_syllable_is_completed():
    assert kana_prefixes("natsum")[:5] == ("ナツマ", "ナツミ", "ナツム", "ナツメ", "ナツモ")
    assert kana_prefixes("natsume")[0] == "ナツメ"
    assert kana_prefixes("library") == ()
    assert kana_prefixes("k") == ()


def test_long_vowels_may_be_typed_short():
    assert kana_prefixes("soseki") == ("ソセキ", "ソウセキ", "ソオセキ")
    assert "オオサカ" in kana_prefixes("osaka")
    assert "トウキヨウト" in kana_prefixes("tokyoto")
    assert "キユウシユウ" in kana_prefixes("kyushuu")
    assert len(kana_prefixes("sokososokososokososos")) == MOST_PREFIXES


@pytest.mark.parametrize(
    ("typed", "intended"),
    [("ぃbらry", "library"), ("ひsとry", "history"), ("しmpぇ", "simple"), ("しゃけspえあれ", "shakespeare")],
)
def test_an_input_method_that_was_on_by_mistake_is_undone(typed, intended):
    assert intended in typed_letters(typed)


@pytest.mark.parametrize("typed", ["夏目漱石", "library", ""])
def test_text_without_kana_gives_no_letters(typed):
    assert typed_letters(typed) == ()


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
def test_spellings_of_one_reading_have_one_sound(one: str, spellings: str) -> None:
    assert {sound(spelling) for spelling in spellings.split()} == {one}


@pytest.mark.parametrize("text", ["夏目", "the", "Smith", "なつめ漱石", "web3", "", "ー", "123", "Müller"])
def test_text_that_is_not_a_reading_has_no_sound(text: str) -> None:
    assert sound(text) == ""


def test_romanised_kana_keep_long_vowels() -> None:
    assert romanise("コウダンシャ") == "koudansha"


@pytest.mark.parametrize("times", [24, 20_000])
def test_a_word_that_can_be_divided_in_many_ways_takes_little_time(times: int) -> None:
    """Each "nya" is one syllable or two, so 24 of them, which anybody can type, took more than five seconds."""
    begun = time.process_time()
    assert sound("nya" * times + "q") == ""
    assert time.process_time() - begun < 1
