"""Dates as catalogues print them."""

import pytest

from metadata.crosswalks.dates import read_date, w3cdtf


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("2006.10", "2006-10"),
        ("c2001", "2001"),
        ("[1997]", "1997"),
        ("1991年10月3日", "1991-10-03"),
        ("1963. 1. 5", "1963-01-05"),
        ("199112", "1991-12"),
        ("19770724", "1977-07-24"),
        ("c19770724.", "1977-07-24"),
        ("１９９１．１２", "1991-12"),
        ("2018/09", "2018-09"),
        ("昭62", "1987"),
        ("昭和31年2月19日", "1956-02-19"),
        ("令和3.4", "2021-04"),
        ("平成元年", "1989"),
        ("明39", "1906"),
        ("53(4) 1987.10", "1987-10"),
        ("2012-01-30T17:24:34+09:00", "2012-01-30"),
        ("2001-02-30", "2001-02"),
        ("1990-27", "1990"),
        ("[20--]", ""),
        ("出版年不明", ""),
        ("", ""),
        ("9999", ""),
        ("19770732", ""),
        ("199113", ""),
        ("20120130172434", ""),
        ("123", ""),
    ],
)
def test_printed_dates_become_w3cdtf(printed, expected):
    assert read_date(printed) == expected


@pytest.mark.parametrize("text", ["2006", "2006-10", "2006-10-31", "2004-02-29"])
def test_w3cdtf_stays(text):
    assert w3cdtf(text) == text


@pytest.mark.parametrize("text", ["2006-13", "2005-02-29", "06", "2006.10", "0001", "9999", "2006-1"])
def test_what_is_no_date_is_refused(text):
    assert w3cdtf(text) == ""
