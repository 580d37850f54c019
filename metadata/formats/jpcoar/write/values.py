"""Whether values are of the types that JPCOAR's schema requires, and the form in which they are. Pure.

What has no such form belongs in a free-text element, see `metadata.formats.jpcoar.write.sheet`.
"""

import re
import unicodedata
from functools import lru_cache

from metadata.vocabularies.dcndl import language_code

_ZONE = r"(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))"
_DAY = rf"[0-9]{{4}}(?:-[0-9]{{2}}(?:-[0-9]{{2}}{_ZONE}?)?)?"
_DATE = re.compile(rf"{_DAY}(?:/(?:{_DAY})?)?|/{_DAY}")
_POSITIVE = re.compile("0*[1-9][0-9]*")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
_PAGES = re.compile(
    r"(?:pp?\.?|頁|ページ)?\s*([1-9][0-9]*)(?:\s*[-‐‑‒–—―−~〜]\s*(?:pp?\.?)?\s*([1-9][0-9]*))?\s*(?:pp?\.?|頁|ページ)?",
    re.IGNORECASE,
)


def is_date(text: str) -> bool:
    """Whether the text is a W3CDTF date or a period of two with a slash (RKMS-ISO8601)."""
    return _DATE.fullmatch(text) is not None


def is_positive(text: str) -> bool:
    return text.isascii() and _POSITIVE.fullmatch(text) is not None


def is_country(text: str) -> bool:
    return len(text) == 3 and text.isascii() and text.isalpha() and text.isupper()


def is_language(text: str) -> bool:
    """Whether the text has the form of an ISO 639-3 code."""
    return len(text) == 3 and text.isascii() and text.isalpha() and text.islower()


def is_within(text: str, limit: int) -> bool:
    """Whether the text is a coordinate, of at most `limit` degrees in either direction."""
    return text.isascii() and _NUMBER.fullmatch(text) is not None and abs(float(text)) <= limit


@lru_cache(maxsize=1024)
def language_tag(text: str) -> str:
    """Return the language as a tag of BCP 47 as far as possible ("ja_JP" → "ja-JP"), "" if it has not its form."""
    tag = text.strip().replace("_", "-")
    return tag if _LANGUAGE_TAG.fullmatch(tag) else ""


@lru_cache(maxsize=1024)
def iso639(text: str) -> str:
    """Return the three-letter code of a language as received, "und" for "other" and the like."""
    code = language_code(text)
    return code if is_language(code) else "und"


@lru_cache(maxsize=1024)
def page_numbers(text: str) -> tuple[str, str]:
    """Return first and last page of "p590～593"; "" for a page that is not there, or if the text has another form."""
    match = _PAGES.fullmatch(unicodedata.normalize("NFKC", text).strip().rstrip("."))
    return (match[1], match[2] or "") if match else ("", "")
