"""How two titles agree: one test for each outcome and each limit, in both directions."""

import time
from typing import Any

import pytest

from aggregator.matching import Features
from aggregator.matching.comparison.romaji import kana_of, plain_vowels
from aggregator.matching.comparison.titles import is_short, title_outcome


def titled(title: str, subtitle: str = "", **fields: Any) -> Features:
    return Features(title=title, full=title + subtitle, **fields)


def outcome(one: Features, other: Features) -> str:
    found = title_outcome(one, other)
    assert title_outcome(other, one) == found
    return found


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (titled("坊ツチヤン"), titled("坊ツチヤン"), "same"),
        (titled(""), titled("坊ツチヤン"), "unreadable"),
        (titled("坊ツチヤン"), titled("坊ツチヤン", "小説"), "core"),
        (titled("坊ツチ"), titled("坊ツチ", "小説"), "core_short"),
        (titled("坊ツチヤン", "小説"), titled("坊ツチヤン", "小説集"), "core"),
        (titled("坊ツチヤン", "小説"), titled("坊ツチヤン", "戯曲"), "subtitle_differs"),
        (titled("猫", "新しい物語の本"), titled("猫", "新しい物語ノ本"), "rather_similar"),
        (titled("猫", "第1部の物語の本"), titled("猫", "第2部の物語の本"), "subtitle_differs"),
        (titled("索引", "春"), titled("春"), "supplement"),
        (titled("数学索引"), titled("数学"), "supplement"),
        (titled("数学", "索引"), titled("数学入門"), "supplement"),
        (titled("mathematics", "index"), titled("mathematicsnow"), "overlapping"),
        (titled("猫", yomi="ネコ"), titled("根子", yomi="ネコ"), "reading"),
        (titled("猫", yomi="ネコ"), titled("".join(("ネ", "コ"))), "reading"),
        (titled("猫"), titled("ネコ"), "unreadable"),
        (titled("夏ノ猫", entries=("猫ノ国",)), titled("猫ノ国"), "other_title"),
        (titled("夏ノ猫", others=("猫ノ国",)), titled("猫ノ国"), "other_title"),
        (titled("猫", "ノ国"), titled("猫ノ国", "ノ旅"), "other_title"),
    ],
)
def test_titles(one: Features, other: Features, expected: str) -> None:
    assert outcome(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("図書館情報学概論入門読本篇", "図書館情報学概論入門読本編", "rather_similar"),  # 12 of 13
        ("図書館情報学概論入門読本全集上篇", "図書館情報学概論入門読本全集上編", "similar"),  # 15 of 16
        ("図書館情報学", "図書館情法学", "mistyped"),  # 5 of 6, one character
        ("図書館情", "図書館報", "mistyped"),
        ("図書館", "図書棺", "unrelated"),  # shorter than four
        ("図書館第1部情報学概論", "図書館第2部情報学概論", "unrelated"),
        ("図書館情", "図書館情報学概論", "begins"),
        ("図書館情報", "図書館情報学概論入門", "begins"),
        ("図書館", "図書館情報学概論", "unrelated"),
        ("情報学概論", "図書館情報学概論入門読本", "unrelated"),
        ("入門読本", "図書館情報学概論入門読本", "contained"),
        ("library sci", "library science and information", "contained"),  # eleven letters
        ("library scie", "library science and information", "begins"),  # twelve
        ("情報学概論図書館", "図書館情報学概論", "reordered"),
        ("図書館ノ歴史ト情報", "情報ト図書館ノ未来学", "overlapping"),
        ("図書館ノ歴史ト情報", "動物園ノ未来学", "unrelated"),
    ],
)
def test_likeness(one: str, other: str, expected: str) -> None:
    assert outcome(titled(one), titled(other)) == expected


def test_only_alike_subtitles_make_no_titles_alike() -> None:
    subtitle = "proceedingsoftheinternationalconference"
    assert outcome(titled("rail", subtitle), titled("freight", subtitle)) not in ("similar", "rather_similar")
    assert outcome(titled("railway", subtitle), titled("railways", subtitle)) == "similar"


@pytest.mark.parametrize(
    ("kana", "mixed", "expected"),
    [
        ("トケイジカケノオレンジ", "時計ジカケノオレンジ", "readable"),
        ("トケイジカケ", "時計ジカケノオレンジ", "unrelated"),
        ("トケイ", "時計", "unreadable"),  # too short to tell
        ("ケイ", "時計台ノ鐘", "unrelated"),
        ("トケイダイノカネ", "時計台ノ鐘", "readable"),
        ("トケイダイノカネノオトガナリヒビクトキマデ", "時計台ノ鐘", "readable"),
        ("アアアアアアアアアアアアアアアアアノカネ", "時計台ノ鐘", "unrelated"),  # more than five sounds for a sign
        ("トケイダイワナル", "時計台ハ鳴ル", "readable"),  # ハ is spoken ワ
    ],
)
def test_a_title_in_kana_may_be_the_reading_of_another(kana: str, mixed: str, expected: str) -> None:
    assert outcome(titled(kana), titled(mixed)) == expected


@pytest.mark.parametrize(
    ("latin", "other", "expected"),
    [
        ("tokeidai", titled("時計台", yomi="トケイダイ"), "reading"),
        ("tokeidainokane", titled("時計台", yomi="トケイダイ"), "reading"),
        ("tokei", titled("時計台", yomi="トケイダイ"), "unrelated"),
        ("tokeidai", titled("トケイダイ"), "reading"),
        ("clocktower", titled("時計台", yomi="トケイダイ"), "unrelated"),
        ("sakuranosono", titled("桜ノ園"), "romanised"),
        ("sakuranosono", titled("海ト空ト山"), "unrelated"),
    ],
)
def test_a_title_in_latin_letters_may_be_a_reading(latin: str, other: Features, expected: str) -> None:
    assert outcome(titled(latin), other) == expected


def test_short_titles() -> None:
    assert [is_short(title) for title in ("坊ツチヤ", "坊ツチヤン", "abcdefghij", "abcdefghijk")] == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("latin", "kana"),
    [
        ("natsume", "ナツメ"),
        ("ohno", "オノ"),
        ("oono", "オノ"),
        ("ono", "オノ"),
        ("sapporo", "サツポロ"),
        ("matcha", "マツチヤ"),
        ("shinichi", "シニチ"),
        ("kyoto", "キヨト"),
        ("kyouto", "キヨト"),
        ("tokyo", "トキヨ"),
        ("syakuhati", "シヤクワチ"),
        ("shakuhachi", "シヤクワチ"),
        ("jiyu", "ジユ"),
        ("fuyu", "フユ"),
        ("shimbun", "シンブン"),
        ("xylem", ""),
        ("smith", ""),
        ("", ""),
    ],
)
def test_romanised_japanese_as_kana(latin: str, kana: str) -> None:
    assert kana_of(latin) == kana


@pytest.mark.parametrize(
    ("kana", "plain"),
    [
        ("オオツカ", "オツカ"),
        ("シンイチ", "シニチ"),
        ("ハナ", "ワナ"),
        ("クウキ", "クキ"),
        ("コウベ", "コベ"),
        ("シンヤ", "シニヤ"),
    ],
)
def test_long_vowels_are_left_out(kana: str, plain: str) -> None:
    assert plain_vowels(kana) == plain


def test_latin_letters_that_can_be_divided_in_many_ways_take_little_time() -> None:
    begun = time.process_time()
    assert kana_of("nya" * 24 + "q") == ""
    assert time.process_time() - begun < 1  # about ten where each "nya" is tried as one syllable and as two
