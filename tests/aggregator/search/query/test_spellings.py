"""Other spellings of a word, and the volumes a reader may mean."""

import pytest

from aggregator.search.query.spellings import MOST, arabic, kanji, other_spellings, volume_forms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("レポート", "リポト"),
        ("リポート", "レポト"),
        ("ディジタル", "デジタル"),
        ("デジタル", "デイジタル"),
        ("プラットホーム", "プラツトフオム"),
        ("ギリシャ", "ギリシア"),
        ("ギリシア", "ギリシヤ"),
        ("ゼネラル", "ジエネラル"),
        ("ｳｲﾙｽ", "ビルス"),
        ("第一巻", "第1巻"),
        ("第１巻", "第一巻"),
        ("二十三巻", "23巻"),
        ("第2次世界大戦", "第二次世界大戦"),
        ("第3版", "3版"),
    ],
)
def test_another_spelling_is_known(one: str, other: str) -> None:
    assert other in other_spellings(one)


@pytest.mark.parametrize(
    "word", ["こころ", "れぽーと", "吾輩", "フォーク", "ネコ", "十二国記", "1", "三四郎", "web", ""]
)
def test_most_words_have_one_spelling(word: str) -> None:
    assert other_spellings(word) == ()


def test_no_word_has_too_many_spellings() -> None:
    assert len(other_spellings("ディジタルフォーティシエゼネギアウォクォツィ")) <= MOST


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("第1巻", ("1", "一")),
        ("第二巻", ("2", "二")),
        ("vol.3", ("3", "三")),
        ("Vol. 12", ()),
        ("03巻", ("3", "三")),
        ("上巻", ("上",)),
        ("下", ()),
        ("1", ()),
        ("巻", ()),
        ("猫", ()),
    ],
)
def test_a_volume_is_reduced_to_its_number(typed: str, found: tuple[str, ...]) -> None:
    assert volume_forms(typed) == found


@pytest.mark.parametrize("number", [1, 9, 10, 11, 20, 23, 99, 100, 101, 110, 123, 999])
def test_numbers_in_kanji_and_back(number: int) -> None:
    assert arabic(kanji(number)) == number
