"""Titles, volumes and editions as catalogues print them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.matching.features.numbering import count_volumes, edition_form, is_later_printing, is_set, volume_form
from aggregator.matching.features.titles import _MARKS, _SUBTITLE, split_title


@pytest.mark.parametrize(
    ("printed", "core", "volume"),
    [
        ("坊っちゃん", "坊っちゃん", ""),
        ("受難の花（２）", "受難の花", "2"),
        ("日本近代文学大系 第三十二巻", "日本近代文学大系", "32"),
        ("日本近代文学大系 第三十二巻 北原白秋集", "日本近代文学大系", "32"),
        ("ﾋﾞﾝﾀ 下", "ビンタ", "下"),
        ("罪と罰 上巻", "罪と罰", "上"),
        ("文字伝心2", "文字伝心", "2"),
        ("数学Ⅱ", "数学", "2"),
        ("Foo Vol. 3", "Foo", "3"),
        ("Foo IX", "Foo", "9"),
        ("1984", "1984", ""),
        ("机の上", "机の上", ""),
        ("2001年宇宙の旅", "2001年宇宙の旅", ""),
        ("Nine Dragons (Harry Bosch, #15; Mickey Haller, #3)", "Nine Dragons", ""),
        ("日本人の心 1212 (集英社新書)", "日本人の心", ""),
        ("計算統計 1 11 (統計科学叢書)", "計算統計", "1"),
        ("受験世界史2 2 (問題シリーズ)", "受験世界史", "2"),
        ("オーバーステップ 上 ト2-01 (星海社FICTIONS)", "オーバーステップ", "上"),
        ("方程式のガロア群 B-2046 (ブルーバックス)", "方程式のガロア群", ""),
        ("新装版　伊丹万作全集1", "伊丹万作全集", "1"),
        ("初版　金枝篇　（下）", "初版  金枝篇", "下"),
        ("Computer Science Library-3 プログラミングの基礎", "プログラミングの基礎", ""),
        ("現代日本文學全集56　小杉天外　小栗風葉", "現代日本文學全集", "56"),
        ("A survey (Report (National Center))", "A survey", ""),
    ],
)
def test_the_volume_is_found_at_the_end_of_a_title(printed: str, core: str, volume: str) -> None:
    parts = split_title(printed)
    assert (parts.core, volume_form(parts.volume) if parts.volume else "") == (core, volume)


@pytest.mark.parametrize(
    "printed",
    ["こころ : 小説", "こころ：小説", "こころ　小説", "こころ ―小説", "こころ -- 小説", "こころ : 小説 / 夏目漱石著"],
)
def test_subtitles_are_split_off_however_they_are_printed(printed: str) -> None:
    assert split_title(printed)[:2] == ("こころ", "小説")


@given(st.from_regex(_SUBTITLE))
def test_every_text_with_a_subtitle_has_one_of_the_signs_that_are_looked_for_first(text: str) -> None:
    assert "  " in text or not _MARKS.isdisjoint(text)


@pytest.mark.parametrize(
    ("printed", "core", "edition"),
    [
        ("Python入門 改訂第2版", "Python入門", "r2"),
        ("生物学新版", "生物学", "n"),
        ("Introduction to algorithms (3rd ed.)", "Introduction to algorithms", "3"),
        ("Time series , 2nd ed", "Time series", "2"),
        ("電子出版", "電子出版", ""),
        ("図版", "図版", ""),
    ],
)
def test_the_edition_is_found_at_the_end_of_a_title(printed: str, core: str, edition: str) -> None:
    parts = split_title(printed)
    assert (parts.core, edition_form(parts.edition)) == (core, edition)


@pytest.mark.parametrize(
    ("printed", "form"),
    [
        ("第1巻", "1"),
        ("v. 1", "1"),
        ("(一)", "1"),
        ("I", "1"),
        ("XIV", "14"),
        ("第十二巻", "12"),
        ("二〇", "20"),
        ("上巻", "上"),
        ("第2巻 下", "2下"),
        ("第3巻第2号", "3-2"),
        ("平成3年版", "y3"),
        ("春の巻", "春ノ巻"),
    ],
)
def test_volumes_have_one_form(printed: str, form: str) -> None:
    assert volume_form(printed) == form


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("全2巻", True),
        ("2冊", True),
        ("3 v.", True),
        ("1-5", True),
        ("v. 1-8", True),
        ("v. 2", False),
        ("第2巻", False),
        ("2", False),
        ("3-2", False),
        ("上・下", True),
        ("上巻, 中巻, 下巻", True),
        ("上", False),
        ("下巻", False),
    ],
)
def test_sets_are_distinguished_from_volumes(printed: str, expected: bool) -> None:
    assert is_set(printed) is expected


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        ("2冊", 2),
        ("3 v. ; 22 cm", 3),
        ("１２冊", 12),
        ("1冊", 0),
        ("1 v.", 0),
        ("320p ; 19cm", 0),
        ("7 v. (268 p.)", 7),
    ],
)
def test_an_extent_may_count_volumes(extent: str, expected: int) -> None:
    assert count_volumes(extent) == expected


@pytest.mark.parametrize(
    ("printed", "form"),
    [
        ("2nd ed", "2"),
        ("改訂第３版", "r3"),
        ("第二版", "2"),
        ("First edition", "1"),
        ("初版", "1"),
        ("Rev. ed.", "r"),
        ("増補改訂版", "ar"),
        ("新装版", "o"),
        ("ペーパーバック", ""),
        ("初版第3刷", "1"),
        ("第1版第12刷", "1"),
        ("再版", ""),
        ("新訂再版", "n"),
        ("第二刷", ""),
        ("改版40版", "r"),
        ("8版", ""),
        ("21版", ""),
        ("第21版", "21"),
        ("2版", "2"),
    ],
)
def test_editions_have_one_form(printed: str, form: str) -> None:
    assert edition_form(printed) == form


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("初版第3刷", True),
        ("改版40版", True),
        ("21版", True),
        ("第21版", False),
        ("再版", True),
        ("2nd printing", True),
        ("第1刷", False),
        ("初刷", False),
        ("第2版", False),
    ],
)
def test_later_printings_are_told_from_first_ones(printed: str, expected: bool) -> None:
    assert is_later_printing(printed) is expected


def test_a_number_before_a_series_may_be_that_of_the_series() -> None:
    assert split_title("日本人の心 1212 (集英社新書)").series == "集英社新書 1212"
    assert split_title("Computer Science Library-3 プログラミングの基礎").series == "Computer Science Library-3"


@pytest.mark.parametrize("piece", ["(", "1", " - ", "第", "(1", "第1 ", " :", "{}[", "1-"])
def test_no_title_takes_long(piece: str) -> None:
    start = time.process_time()
    split_title(piece * 5_000)
    assert time.process_time() - start < 1
