"""Dates of publication as catalogues print them, as W3CDTF (YYYY, YYYY-MM, YYYY-MM-DD). Pure; independent of the single
formats.

Of a range, the first date counts. A Japanese year becomes the Western year that it mostly falls into, as catalogues
do. Before 1873 the months and days belong to another calendar and are left out.
"""

import calendar
import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache

EARLIEST_YEAR = 700  # the oldest dated prints are from the eighth century
YEARS_AHEAD = 3  # for announced books
SOLAR_SINCE = 1873  # Japan adopted the Gregorian calendar

_W3CDTF = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_WITH_TIME = re.compile(r"\s*[0-9]{4}-[0-9]{2}-[0-9]{2}[T ](?!00:00(?::00(?:\.0+)?)?(?:Z|\+|\Z))[0-9]{2}:")
# "19910312", "199112": digits alone count only if they form a real date.
_COMPACT = re.compile(r"(?<![0-9])([0-9]{4})([0-9]{2})([0-9]{2})?(?![0-9])")
# "2006.10", "c2001", "1991年10月", "1963. 1. 5", "2018/09"; the year may stand anywhere.
_PRINTED = re.compile(
    r"(?<![0-9])([0-9]{4})(?:\s*[-./年]\s*([0-9]{1,2})(?![0-9])(?:\s*[-./月]\s*([0-9]{1,2})(?![0-9]))?|(?![0-9]))"
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
# "January 2004", "4 July 1976", "July 4, 1976".
_NAMED = re.compile(
    rf"(?:(?P<before>[0-9]{{1,2}})\s+)?\b(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
    r"(?:\s+(?P<after>[0-9]{1,2})(?:st|nd|rd|th)?)?,?\s+(?P<year>[0-9]{4})(?![0-9])",
    re.IGNORECASE,
)
# Name of the era, the Western year before its first year, and its last year (99 for the two latest eras).
_ERAS = {
    name: (int(year_before), int(last))
    for name, year_before, last in (
        row.split()
        for row in (
            "明治 1867 45,大正 1911 15,昭和 1925 64,平成 1988 99,令和 2018 99,慶長 1595 20,元和 1614 10,寛永 1623 21,"
            "正保 1643 5,慶安 1647 5,承応 1651 4,明暦 1654 4,万治 1657 4,寛文 1660 13,延宝 1672 9,天和 1680 4,"
            "貞享 1683 5,元禄 1687 17,宝永 1703 8,正徳 1710 6,享保 1715 21,元文 1735 6,寛保 1740 4,"
            "延享 1743 5,寛延 1747 4,"
            "宝暦 1750 14,明和 1763 9,安永 1771 10,天明 1780 9,寛政 1788 13,享和 1800 4,文化 1803 15,文政 1817 13,"
            "天保 1829 15,弘化 1843 5,嘉永 1847 7,安政 1853 7,万延 1859 2,文久 1860 4,元治 1863 2,慶応 1864 4"
        ).split(",")
    )
}
_SHORT = {name[0]: span for name, span in list(_ERAS.items())[:5]}
_LETTERS = dict(zip("MTSHR", _SHORT.values(), strict=True))
# Old forms of these characters, as title pages print them.
_OLD_FORMS = str.maketrans("應寬寶曆萬德祿", "応寛宝暦万徳禄")
_YEAR_MONTH_DAY = (
    r"\s*(?P<year>[0-9]{1,2}|元)(?![0-9])(?:\s*[年.]\s*(?:(?P<month>[0-9]{1,2})(?:\s*[月.]\s*(?P<day>[0-9]{1,2}))?)?)?"
)
_ERA = re.compile(rf"(?P<era>{'|'.join(_ERAS)}|[{''.join(_SHORT)}]){_YEAR_MONTH_DAY}")
_LETTER = re.compile(rf"(?<![A-Za-z0-9])(?P<era>[{''.join(_LETTERS)}])\.?{_YEAR_MONTH_DAY}")
_IMPERIAL = re.compile(r"(?:皇紀|紀元)\s*([0-9]{4})(?![0-9])")
_KANJI_NUMBER = re.compile("[〇一二三四五六七八九十]+")
_KANJI_DIGITS = str.maketrans("〇一二三四五六七八九", "0123456789")
# "19[87]", "昭和[62]": digits that the cataloguer supplied count like printed ones.
_BRACKETS = str.maketrans("", "", "[]〔〕［］")


@lru_cache(maxsize=4096)
def w3cdtf(text: str) -> str:
    """Return the text if it is a real date in one of the three forms and in a plausible year, else ""."""
    match = _W3CDTF.fullmatch(text)
    return _date(match[1], match[2], match[3]) if match else ""


def has_time_of_day(text: str) -> bool:
    """Whether the text gives a time of day, which marks a date of deposit or change, not of publication.

    Midnight does not count, because it stands for a whole day.
    """
    return _WITH_TIME.match(text) is not None


@lru_cache(maxsize=4096)
def read_date(text: str) -> str:
    """Return the date as W3CDTF, as exact as the printed form allows, or "" if no year is found."""
    normal = w3cdtf(text)
    if normal:
        return normal
    plain = unicodedata.normalize("NFKC", text)
    return next(filter(None, _readings(plain)), "")


def _readings(plain: str) -> Iterator[str]:
    """Yield the date by each printed form, the most reliable form first; "" for a form that gives no real date."""
    bare = _KANJI_NUMBER.sub(_digits, plain.translate(_BRACKETS).translate(_OLD_FORMS))
    yield _japanese(_ERA.search(bare), _ERAS | _SHORT)
    imperial = _IMPERIAL.search(bare)
    if imperial:
        yield _date(str(int(imperial[1]) - 660), None, None)
    for candidate in dict.fromkeys((bare, plain)):
        yield from _western(candidate)
    yield _japanese(_LETTER.search(bare), _LETTERS)


def _western(plain: str) -> Iterator[str]:
    compact = _COMPACT.search(plain)
    if compact:
        yield _date(compact[1], compact[2], compact[3])
    named = _NAMED.search(plain)
    if named:
        month = str(_MONTHS.index(named["month"].lower()) + 1)
        yield _closest(named["year"], month, named["before"] or named["after"])
    match = _PRINTED.search(plain)
    if match:
        yield _closest(match[1], match[2], match[3])


def _japanese(match: re.Match[str] | None, eras: dict[str, tuple[int, int]]) -> str:
    if match is None:
        return ""
    year_before, last = eras[match["era"]]
    number = 1 if match["year"] == "元" else int(match["year"])
    if not 1 <= number <= last:
        return ""
    year = year_before + number
    return _closest(str(year), match["month"], match["day"]) if year >= SOLAR_SINCE else _date(str(year), None, None)


def _digits(match: re.Match[str]) -> str:
    """六十二 → 62, 十 → 10, 一九八七 → 1987."""
    tens, ten, ones = match[0].rpartition("十")
    if not ten:
        return match[0].translate(_KANJI_DIGITS)
    return (tens.translate(_KANJI_DIGITS) or "1") + (ones.translate(_KANJI_DIGITS) or "0")


def _closest(year: str, month: str | None, day: str | None) -> str:
    """Return the most exact form that is a real date: "2001-02-30" gives the month, "1990-27" the year."""
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
