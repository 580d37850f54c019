"""The letters under which headings are listed: the kana of a reading, or a Latin letter. Pure."""

import unicodedata

from metadata.text.folding import fold_tight

ROWS = (
    "アイウエオ",
    "カキクケコ",
    "サシスセソ",
    "タチツテト",
    "ナニヌネノ",
    "ハヒフヘホ",
    "マミムメモ",
    "ヤユヨ",
    "ラリルレロ",
    "ワン",
)
LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS, OTHER = "0", "_"  # digits; everything else: kanji without a reading, other scripts
LETTERS = (*"".join(ROWS), *LATIN, DIGITS, OTHER)
LONGEST_KEY = 60


def sort_key(label: str, reading: str) -> str:
    """Return what a heading is sorted by: its folded reading, or the label where there is none."""
    return (fold_tight(reading) or fold_tight(label) or label)[:LONGEST_KEY]


def letter_of(key: str) -> str:
    """Return the letter of a sort key: ガ is listed under カ, é under E."""
    first = unicodedata.normalize("NFD", key[:1])[:1].upper()
    if first.isdecimal():
        return DIGITS
    return first if first in LETTERS and first != OTHER else OTHER


def shown(letter: str) -> str:
    """Return a letter as pages print it: あ, A, 0–9; "" for OTHER, which pages name in words."""
    if "ァ" <= letter <= "ヺ":
        return chr(ord(letter) - 0x60)
    return {DIGITS: "0–9", OTHER: ""}.get(letter, letter)
