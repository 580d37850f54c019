"""Finds the encoding in which a document is really written when it declares a wrong one, by trial decoding. Pure.

The result is only a proposal for a person: text in one encoding can often be decoded in another one, too.
"""

import re
from typing import NamedTuple

# In order of preference if several fit: nearly all bytes are valid in the later ones. The names are known to Python
# and to libxml2; cp932 is what providers send under the name of Shift_JIS.
JAPANESE = ("EUC-JP", "cp932")
WESTERN = ("cp1252",)
# JIS: ASCII bytes only, so it never looks undecodable. Its shifts are control characters that XML forbids.
SHIFTED = "ISO-2022-JP"
_SHIFT = re.compile(rb"\x1b(?:\$[@B]|\([BJI])")
# The ends of records; a document without any is one part.
_RECORD_END = re.compile(rb"</(?:[\w.-]+:)?(?:record|item|entry)\s*>")
_HIGH = re.compile(rb"[\x80-\xff]+")
# What the codecs make of single bytes that are not text.
_NO_TEXT = re.compile("[\x80-\x9f\ue000-\uf8ff]")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
# One accented letter beside an ASCII letter, as in western languages.
_ACCENTED = re.compile(rb"(?:(?<=[A-Za-z])[\xc0-\xff](?![\x80-\xff])|(?<![\x80-\xff])[\xc0-\xff](?=[A-Za-z]))")


class Guess(NamedTuple):
    """An encoding that fits best, "" if none does. readable: how many of the `total` records can be decoded in it."""

    encoding: str = ""
    readable: int = 0
    total: int = 0


def guess_encoding(data: bytes) -> Guess:
    """Decode the records of a document in other encodings than UTF-8 and return the encoding that most of them fit."""
    parts = _RECORD_END.split(data)
    records = parts[:-1] or parts
    candidates: tuple[str, ...] = (*WESTERN, *JAPANESE) if _looks_western(data) else (*JAPANESE, *WESTERN)
    if has_shifts(data):
        candidates = (SHIFTED,)
    guesses = [Guess(name, sum(_fits(record, name) for record in records), len(records)) for name in candidates]
    best = max(guesses, key=lambda guess: guess.readable)
    return best if best.readable else Guess("", 0, len(records))


def has_shifts(data: bytes) -> bool:
    """Whether the bytes are text in ISO-2022-JP, with shifts between ASCII and kanji."""
    return _SHIFT.search(data) is not None and _fits(data, SHIFTED)


def is_japanese(data: bytes) -> bool:
    """Whether every record is text in a Japanese encoding; half-width katakana, which any byte may be, are no sign."""
    guess = guess_encoding(data)
    if guess.encoding not in JAPANESE or guess.readable < guess.total:
        return False
    text = data.decode(guess.encoding, "ignore")
    return 2 * len(_HALF_WIDTH.findall(text)) < len(text) - len(text.encode("ascii", "ignore"))


def _looks_western(data: bytes) -> bool:
    return 2 * len(_ACCENTED.findall(data)) > len(_HIGH.findall(data))


def _fits(data: bytes, name: str) -> bool:
    try:
        return _NO_TEXT.search(data.decode(name)) is None
    except UnicodeDecodeError:
        return False
