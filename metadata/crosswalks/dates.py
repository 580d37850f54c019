"""Dates of publication as catalogues print them, as W3CDTF (YYYY, YYYY-MM, YYYY-MM-DD). Pure; knows no format."""

import calendar
import re
import unicodedata
from datetime import UTC, datetime
from functools import lru_cache

EARLIEST_YEAR = 700  # the oldest dated prints are of the eighth century
YEARS_AHEAD = 3  # announced books

_W3CDTF = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
# "19910312", "199112": digits alone, which are a date only if it is a real one.
_COMPACT = re.compile(r"(?<![0-9])([0-9]{4})([0-9]{2})([0-9]{2})?(?![0-9])")
# "2006.10", "c2001", "1991年10月", "1963. 1. 5", "2018/09"; the year may stand anywhere.
_PRINTED = re.compile(
    r"(?<![0-9])([0-9]{4})(?:\s*[-./年]\s*([0-9]{1,2})(?![0-9])(?:\s*[-./月]\s*([0-9]{1,2})(?![0-9]))?|(?![0-9]))"
)
_ERAS = {"明": 1867, "大": 1911, "昭": 1925, "平": 1988, "令": 2018}
_ERA = re.compile(
    r"(?:(明)治?|(大)正?|(昭)和?|(平)成?|(令)和?)\s*([0-9]{1,2}|元)"
    r"(?:\s*[年.]\s*(?:([0-9]{1,2})(?:\s*[月.]\s*([0-9]{1,2}))?)?)?"
)


@lru_cache(maxsize=4096)
def w3cdtf(text: str) -> str:
    """The text, if it is a real date in one of the three forms and in a likely year; else ""."""
    match = _W3CDTF.fullmatch(text)
    return _date(match[1], match[2], match[3]) if match else ""


def read_date(text: str) -> str:
    """W3CDTF of a date in any form that catalogues print, as exact as it can be; "" if no year is found."""
    normal = w3cdtf(text)
    if normal:
        return normal
    plain = unicodedata.normalize("NFKC", text)
    era = _ERA.search(plain)
    if era:
        name = next(group for group in era.groups() if group)
        year = _ERAS[name] + (1 if era[6] == "元" else int(era[6]))
        return _closest(str(year), era[7], era[8])
    compact = _COMPACT.search(plain)
    found = _date(compact[1], compact[2], compact[3]) if compact else ""
    match = None if found else _PRINTED.search(plain)
    return _closest(match[1], match[2], match[3]) if match else found


def _closest(year: str, month: str | None, day: str | None) -> str:
    """The most exact form that is a real date: "2001-02-30" gives the month, "1990-27" the year."""
    return _date(year, month, day) or _date(year, month, None) or _date(year, None, None)


def _date(year: str, month: str | None, day: str | None) -> str:
    if not EARLIEST_YEAR <= int(year) <= datetime.now(UTC).year + YEARS_AHEAD:
        return ""
    if month is None:
        return year
    if not 1 <= int(month) <= 12:
        return ""
    if day is None:
        return f"{year}-{int(month):02}"
    if not 1 <= int(day) <= calendar.monthrange(int(year), int(month))[1]:
        return ""
    return f"{year}-{int(month):02}-{int(day):02}"
