"""Numbers of volumes and editions at the limits of what is read."""

import pytest

from aggregator.matching.features.numbering import count_volumes, edition_form, is_set, kanji_number, volume_form


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("〇", 0),
        ("一", 1),
        ("九", 9),
        ("十", 10),
        ("十一", 11),
        ("二十", 20),
        ("二十三", 23),
        ("二三", 23),
        ("百", 100),
        ("百一", 101),
        ("三百二十一", 321),
        ("百十", 110),
        ("壱弐参", 123),
    ],
)
def test_kanji_numbers(text: str, number: int) -> None:
    assert kanji_number(text) == number


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("001", "1"),
        ("0", "0"),
        ("第1巻上", "1上"),
        ("3-2", "3-2"),
        ("IV", "4"),
        ("ix", "9"),
        ("XIX", "19"),
        ("xxxviii", "38"),
        ("1990年版", "y1990"),
        ("第壱巻", "1"),
        ("前編", "前"),
        ("春" * 100, "春" * 80),
        ("-".join("1" * 60), "-".join("1" * 40) + "-"),
        ("", ""),
    ],
)
def test_volumes(text: str, form: str) -> None:
    assert volume_form(text) == form


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("全1巻", False),
        ("全一冊", False),
        ("全10巻", True),
        ("全十巻", True),
        ("1-2", True),
        ("1-1", False),
        ("1-12", True),
        ("2-5", False),
        ("上・中・下", True),
        ("前編・後編", True),
        ("3 vols.", True),
        ("Set", True),
        ("セット", True),
        ("揃", True),
    ],
)
def test_sets(text: str, expected: bool) -> None:
    assert is_set(text) is expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2 v.", 2),
        ("9冊", 9),
        ("10 volumes", 10),
        ("1冊", 0),
        ("0冊", 0),
        ("2 vinyl discs", 0),
        ("xii, 2 v.", 0),
        ("123456 v.", 12345),
        ("V. 2", 0),
        ("297p", 0),
    ],
)
def test_volumes_in_an_extent(text: str, count: int) -> None:
    assert count_volumes(text) == count


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("tenth edition", "10"),
        ("second ed.", "2"),
        ("21st ed.", "21"),
        ("第十版", "10"),
        ("7版", ""),
        ("6版", "6"),
        ("改版6版", "r6"),
        ("改版10版", "r"),
        ("初版", "1"),
        ("復刻版", "f"),
        ("限定版", "l"),
        ("新版", "n"),
        ("文庫版", "o"),
        ("増補改訂新版", "anr"),
        ("第2版第3刷", "2"),
        ("3rd impression", ""),
        ("", ""),
    ],
)
def test_editions(text: str, form: str) -> None:
    assert edition_form(text) == form
