"""Folds texts to one form for searching and matching. Pure; independent of the record."""

import re
import unicodedata
from collections.abc import Callable

from metadata.text.kanji import KANJI

_DASH = "-"
_BLANK = " "


def fold(value: str) -> str:
    """Return the form in which texts are compared; words are separated by single blanks. Idempotent, linear in time.

    NFKC, lower case, Latin letters without diacritics, old and variant kanji in their present form, all kana as
    large katakana without long-vowel marks (ヴァ as バ, ヂ as ジ, ヲ as オ). Everything except letters, digits and "+"
    becomes a blank, but "C#" keeps its sharp.
    """
    if not value.isascii() and _composes(value):
        value = unicodedata.normalize("NFKC", value)  # compositions that a table of single characters cannot do
    folded = value.translate(_FOLDED)
    if _DASH in folded:
        # Old records print デ-タ: a hyphen after kana stands for the long-vowel mark.
        folded = _DASH_AFTER_KANA.sub("", folded).replace(_DASH, _BLANK)
    if "ヴ" in folded:
        folded = _VU.sub(lambda match: _VU_AS_B[match[1]], folded)
    if "#" in folded:
        folded = _LONE_SHARP.sub(_BLANK, folded)
    folded = _BLANK.join(folded.split())
    # Removing a selector can join characters that NFKC composes; and rare scripts are not in the table.
    return (
        folded
        if folded.isascii() or unicodedata.is_normalized("NFKC", folded)
        else fold(unicodedata.normalize("NFKC", folded))
    )


def _composes(value: str) -> bool:
    """Whether NFKC may combine several characters into one."""
    # Half-width voicing marks; `in` is ten times faster than a pattern.
    return "\uff9e" in value or "\uff9f" in value or not unicodedata.is_normalized("NFC", value)


def fold_tight(value: str) -> str:
    """Return `fold` without blanks: the form in which whole titles and names are compared."""
    return fold(value).replace(_BLANK, "")


_DASH_AFTER_KANA = re.compile("-(?<=[ァ-ヺ]-)-*")  # begins with the hyphen, so that it is tried nowhere else
_VU = re.compile("ヴ([アイエオヤユヨ]?)")
_VU_AS_B = {"": "ブ", "ア": "バ", "イ": "ビ", "エ": "ベ", "オ": "ボ", "ヤ": "ビヤ", "ユ": "ビユ", "ヨ": "ビヨ"}
_LONE_SHARP = re.compile("(?<![a-z])#+")

_SMALL_KANA = dict(
    zip(
        "ァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ",
        "アイウエオツヤユヨワカケクシストヌハヒフヘホムラリルレロ",
        strict=True,
    )
)
_SAME_SOUND = dict(zip("ヂヅヰヱヲヷヸヹヺ", "ジズイエオバビベボ", strict=True))
_KATAKANA = _SMALL_KANA | _SAME_SOUND

# Letters that Unicode does not decompose.
_LATIN = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
_SILENT = frozenset("ー'’‘ʼ`´\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u3099\u309a")
_DASHES = frozenset("-‐‑‒–—―−─━﹣－")
_KEPT = frozenset("+#")
# Left out: Hebrew to the Georgian extensions, and the radicals, which have nothing to fold.
_BLOCKS = (
    range(0x590),
    range(0x1E00, 0x2800),
    range(0x2E80, 0x3400),
    range(0xF900, 0xFB00),
    range(0xFE00, 0xFFF0),
    range(0xE0100, 0xE01F0),
)
_HIRAGANA_TO_KATAKANA = ord("ア") - ord("あ")


def _fold_char(code: int) -> int | str | None:
    """The folded form of a character, as the type that is cheapest for `str.translate`."""
    folded = "".join(map(_fold_letter, unicodedata.normalize("NFKC", chr(code)).casefold()))
    return ord(folded) if len(folded) == 1 else folded or None


def _fold_letter(char: str) -> str:
    """The folded form of one NFKC, case-folded character."""
    if char in _KEPT:
        return char
    if char in KANJI:
        return KANJI[char]
    if "ぁ" <= char <= "ゖ" or char in "ゝゞ":
        char = chr(ord(char) + _HIRAGANA_TO_KATAKANA)
    if char in _KATAKANA:
        return _KATAKANA[char]
    for is_member, form in _CLASSES:
        if is_member(char):
            return form
    return _without_diacritics(char) if char.isalnum() or unicodedata.category(char)[0] == "M" else _BLANK


def _is_selector(char: str) -> bool:
    """Whether a character is a variation selector (also an ideographic one) or a combining diacritic."""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or "\u0300" <= char <= "\u036f"


def _without_diacritics(char: str) -> str:
    """Remove diacritics from Latin letters only: in other scripts the mark makes another letter (ガ, й)."""
    if char in _LATIN:
        return _LATIN[char]
    base = unicodedata.normalize("NFD", char)[0]
    return base if "a" <= base <= "z" else char


_CLASSES: tuple[tuple[Callable[[str], bool], str], ...] = (
    (_SILENT.__contains__, ""),
    (_is_selector, ""),
    (_DASHES.__contains__, _DASH),
)
# A plain dict, built once, because one that is filled on demand is a third slower. Letters, symbols and kana of all
# scripts up to U+33FF, the compatibility and full width blocks, kanji. Other characters (Hangul, rare kanji) are kept.
_FOLDED: dict[int, int | str | None] = (
    {code: code for code in range(0x3400, 0xA000)}
    | {code: _fold_char(code) for block in _BLOCKS for code in block}
    | {ord(old): ord(new) for old, new in KANJI.items()}
)
