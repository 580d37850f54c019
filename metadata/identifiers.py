"""Normalises identifiers and recognises them in untyped text. Pure; independent of the record and the formats.

ISBN (ISO 2108) and ISSN (ISO 3297). The ISSN check digit and the hyphenation of ISBNs come from python-stdnum
(https://arthurdejong.org/python-stdnum/). The ISBN check digit is needed for every record and calculated here.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import accumulate, pairwise, starmap
from operator import mul
from typing import Any

from stdnum import isbn as _isbn
from stdnum import issn as _issn
from stdnum import numdb

# Removes blanks and every dash that is typed for a hyphen; converts full width digits to ASCII.
_DASHES = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc\uff70\uff0d"
_LOOSE: dict[int, str | None] = {ord(char): None for char in f" \t\r\n\u3000\u00a0{_DASHES}"}
_LOOSE |= {0xFF10 + digit: str(digit) for digit in range(10)} | {ord(char): "X" for char in "xＸｘ"}
_WEIGHTS_13 = (1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)
# A label before the number and qualifiers after it: "ISBN 4-00-310101-4 (上)", "9781937735180 (set)".
_ISBN_EXTRAS = re.compile(r"\A\s*(?:urn:)?isbn(?:-1[03])?[\s:：]*|\s*[(（][^()（）]*[)）]\s*\Z", re.IGNORECASE)


def normalise(scheme: str, text: str) -> str:
    """Return the normal form for comparison, "" if `text` is not valid for the scheme.

    ISBN, SetISBN: 13 digits; ISSN, ISSNL: 8 characters; both without hyphens. DOI: bare, lower case. JPNO, NDLBibID,
    NIIBibID, NCID: upper-case letters and digits (JPNO without "JP"). Any other scheme: the trimmed text.
    """
    normal_form = _NORMAL_FORMS.get(scheme)
    return normal_form(text) if normal_form else text.strip()


def recognise(text: str) -> tuple[str, str]:
    """Return (scheme, normal value) of an untyped identifier, as in dc:identifier; ("", trimmed text) if unknown."""
    trimmed = text.strip()
    if trimmed.isdecimal():
        return _recognise_digits(trimmed)
    match = _PREFIXED.match(trimmed)
    if match:
        scheme = _SCHEME_OF_PREFIX[next(group for group in match.groupdict() if match[group])]
        value = normalise(scheme, trimmed[match.end() :])
        if scheme == "ISBN" and SET_QUALIFIER.search(trimmed):
            scheme = "SetISBN"
        return (scheme, value) if value else ("", trimmed)
    return _recognise_bare(trimmed)


def isbn10(isbn13: str) -> str:
    """Return the 10-character form of an ISBN, "" where there is none (979…, or not 13 digits)."""
    if len(isbn13) != 13 or not isbn13.startswith("978"):
        return ""
    return isbn13[3:12] + _check10(isbn13[3:12])


def hyphenate(isbn13: str) -> str:
    """Return the ISBN with hyphens if the range table knows its group, else unchanged."""
    if len(isbn13) != 13:
        return isbn13
    if not (isbn13.isascii() and isbn13.isdecimal()):
        return str(_isbn.format(isbn13))
    return "-".join(map(isbn13.__getitem__, _parts(bisect_right(_starts(), isbn13[:12]) - 1)))


@cache
def _starts() -> list[str]:
    """Return the first twelve digits from which the range table may divide numbers in another way than before.

    The table is searched line by line, which takes twenty times as long as finding the place of a number here.
    """
    starts = {"0" * 12}

    def gather(ranges: list[Any], before: str) -> None:
        for length, low, high, _properties, inner in ranges:
            starts.add(f"{before}{low}".ljust(12, "0"))
            after = int(f"{before}{high}".ljust(12, "9")) + 1
            starts.add(f"{after:012}")
            for number in range(int(low), int(high) + 1) if inner else ():
                gather(inner, f"{before}{number:0{length}}")

    gather(numdb.get("isbn").prefixes, "")
    return sorted(starts)


@lru_cache(maxsize=2048)
def _parts(place: int) -> tuple[slice, ...]:
    """Return the parts of all numbers between two starts. place: index of the first start."""
    parts = str(_isbn.format(_starts()[place] + "0")).split("-")
    return tuple(starmap(slice, pairwise(accumulate(map(len, parts), initial=0))))


def _normal_isbn(text: str) -> str:
    """13 digits. A 9-digit SBN is refused: 9 digits from a provider are mostly an ISBN that lost a digit."""
    return _isbn13(text.replace("-", "")) or _isbn13(_ISBN_EXTRAS.sub("", text).translate(_LOOSE))


def _isbn13(compact: str) -> str:
    """13 digits of an ISBN-10 or ISBN-13 without hyphens, "" if it is neither."""
    if not compact.isascii():
        return ""
    if len(compact) == 13 and compact.isdigit() and compact.startswith(("978", "979")):
        # ASCII codes serve as digits: they add 48, the code of "0", times the sum of the weights, a multiple of 10.
        return "" if sum(map(mul, compact.encode(), _WEIGHTS_13)) % 10 else compact
    if len(compact) == 10 and compact[:9].isdigit() and _check10(compact[:9]) == compact[9]:
        body = f"978{compact[:9]}"
        return f"{body}{-sum(map(mul, f'{body}0'.encode(), _WEIGHTS_13)) % 10}"
    return ""


def _check10(nine: str) -> str:
    """The check character of an ISBN-10: modulo 11, X for 10."""
    check = -sum(map(mul, map(int, nine), range(10, 1, -1))) % 11
    return "X" if check == 10 else str(check)


def _normal_issn(text: str) -> str:
    compact = text.translate(_LOOSE)
    return compact if len(compact) == 8 and compact.isascii() and _issn.is_valid(compact) else ""


def _normal_doi(text: str) -> str:
    """Bare and lower case (DOI Handbook 3.5: ASCII case is not significant)."""
    match = _DOI.search(text)
    return f"{match[1]}/{match[2]}".lower() if match else ""


def _normal_jpno(text: str) -> str:
    """全国書誌番号 without the country prefix or hyphens ("JP21234567", "21-234567")."""
    compact = text.translate(_LOOSE).upper().removeprefix("JP")
    return compact if compact.isascii() and compact.isalnum() else ""


def _normal_bib_id(text: str) -> str:
    """NDLBibID and NCID: upper-case letters and digits ("BA12345678", check character X included)."""
    compact = text.translate(_LOOSE).upper()
    return compact if compact.isascii() and compact.isalnum() else ""


_NORMAL_FORMS: dict[str, Callable[[str], str]] = {
    "ISBN": _normal_isbn,
    "SetISBN": _normal_isbn,
    "ISSN": _normal_issn,
    "ISSNL": _normal_issn,
    "DOI": _normal_doi,
    "JPNO": _normal_jpno,
    "NDLBibID": _normal_bib_id,
    "NIIBibID": _normal_bib_id,
    "NCID": _normal_bib_id,
}

_DOI = re.compile(r"(10\.[0-9]{4,9}(?:\.[0-9]+)*)(?:/|%2[Ff])(\S+)")

# Prefixes of the value: URNs (RFC 8141), info: URIs, resolvers, and labels as people type them.
_PREFIXED = re.compile(
    r"""(?: (?P<isbn>  urn:isbn: | (?:https?://)?iss\.ndl\.go\.jp/isbn/ | isbn(?:-1[03])?\s*[:：]?\s*(?=[0-9０-９]) )
          | (?P<issn>  urn:issn: | (?:https?://)?iss\.ndl\.go\.jp/issnl?/ | (?:p-?|e-?)?issn\s*[:：]?\s*(?=[0-9０-９]) )
          | (?P<doi>   (?:https?://)?(?:dx\.|www\.)?doi\.org/ | info:doi/ | urn:doi: | doi\s*[:：]\s*(?=10\.) )
          | (?P<ncid>  (?:https?://)?ci\.nii\.ac\.jp/ncid/ | info:ncid/ | ncid\s*[:：]?\s*(?=[AB]) )
          | (?P<jpno>  jpno\s*[:：]?\s*(?=[0-9０-９]) | (?:https?://)?id\.ndl\.go\.jp/jpno/ | jp(?=[0-9]{8}\Z) )
          | (?P<ndl>   (?:https?://)?id\.ndl\.go\.jp/bib/ ) )""",
    re.VERBOSE | re.IGNORECASE,
)
_SCHEME_OF_PREFIX = {
    "isbn": "ISBN",
    "issn": "ISSN",
    "doi": "DOI",
    "ncid": "NIIBibID",
    "jpno": "JPNO",
    "ndl": "NDLBibID",
}

# "ISBN 978-4-00-092581-1 (set)", as printed: the ISBN of all volumes together.
SET_QUALIFIER = re.compile(r"\s*[(（]\s*(?:set|セット|全[0-9０-９]+[冊巻])\s*[)）]\s*\Z", re.IGNORECASE)

_BARE_ISBN = re.compile(r"[0-9０-９][0-9０-９\-‐－]{8,15}[0-9０-９XxＸｘ]\Z")
_BARE_ISSN = re.compile(r"[0-9]{4}-[0-9]{3}[0-9Xx]\Z")
_BARE_DOI = re.compile(r"10\.[0-9]{4,9}/\S+\Z")


def _recognise_digits(text: str) -> tuple[str, str]:
    """A text of digits only is an ISBN if it has 10 or 13 digits and a valid check digit."""
    value = _normal_isbn(text) if len(text) in (10, 13) else ""
    return ("ISBN", value) if value else ("", text)


def _recognise_bare(text: str) -> tuple[str, str]:
    """Recognise an ISBN, ISSN or DOI without a prefix by its pattern and check digit."""
    for pattern, scheme in ((_BARE_ISBN, "ISBN"), (_BARE_ISSN, "ISSN"), (_BARE_DOI, "DOI")):
        if pattern.match(text):
            value = normalise(scheme, text)
            if value:
                return scheme, value
    return "", text
