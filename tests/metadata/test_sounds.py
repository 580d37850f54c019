"""One form for kana and every way to write it in Latin letters."""

import pytest

from metadata.sounds import romanise, sound


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
