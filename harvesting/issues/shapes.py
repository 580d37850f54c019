"""The shape of a value: which kinds of characters follow each other. Values with the same mistake have one shape. Pure.

Digits are counted, because an ISBN of nine digits is not one of ten: "978-4" is 999-9. Any number of characters of
another kind is one sign: "昭和50年" is 漢99漢, "Tokyo" is Aa. Every other character stands for itself, and a long value
ends in "…".
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, islice

MOST = 24  # signs of a shape

# Sign -> its characters, as a part of a regular expression that Python and PostgreSQL read alike.
_CLASSES = {
    "9": "0-9",
    "\N{FULLWIDTH DIGIT NINE}": "\N{FULLWIDTH DIGIT ZERO}-\N{FULLWIDTH DIGIT NINE}",
    "A": "A-Z",
    "a": "a-z",
    "あ": "ぁ-ゟ",
    "ア": "ァ-ヿ",
    "漢": "々〆〇一-鿿",
    "␣": " \t\r\n\u00a0\u3000",
}
_COUNTED = frozenset(list(_CLASSES)[:2])
_SIGNS = [(sign, re.compile(f"[{characters}]")) for sign, characters in _CLASSES.items()]
_REST = "…"


def shape(value: str) -> str:
    """Return the shape of a value."""
    signs = list(islice(_signs(value), MOST + 1))
    return "".join(signs[:MOST]) + (_REST if len(signs) > MOST else "")


def expression(shape_text: str) -> str:
    """Return the regular expression of the values that have a shape, for SQLite and PostgreSQL."""
    signs, is_open = (shape_text[:MOST], True) if len(shape_text) > MOST else (shape_text, False)
    pattern = "".join(map(_part, _without_repetition(signs)))
    if is_open:  # something follows that is not the rest of the last run
        last = signs[-1]
        pattern += (f"(?![{_CLASSES[last]}])" if _is_run(last) else "") + "."
    return rf"(?s)\A{pattern}" + ("" if is_open else r"\Z")


def _signs(value: str) -> Iterator[str]:
    for sign, run in groupby(value, _sign):
        yield from [sign] if _is_run(sign) else (sign for _ in run)


@lru_cache(maxsize=20_000)
def _sign(character: str) -> str:
    return next((sign for sign, characters in _SIGNS if characters.match(character)), character)


def _is_run(sign: str) -> bool:
    return sign in _CLASSES and sign not in _COUNTED


def _without_repetition(signs: str) -> list[str]:
    """The signs, with those of a run once: an expression with two of them in a row would take very long to fail."""
    return [sign for sign, run in groupby(signs) for sign in ([sign] if _is_run(sign) else run)]


def _part(sign: str) -> str:
    if sign not in _CLASSES:
        return re.escape(sign)
    return f"[{_CLASSES[sign]}]" + ("+" if _is_run(sign) else "")
