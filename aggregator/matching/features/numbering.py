"""Volume and edition statements in one normalised form each. Works on texts, not on records."""

import re
import unicodedata
from functools import lru_cache

from metadata.text.folding import fold_tight

KANJI_DIGITS = "〇一二三四五六七八九十百"
_VALUES = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"壱": 1, "弐": 2, "参": 3}
_ROMAN = {"i": 1, "v": 5, "x": 10}

_SET = re.compile(
    r"全\s*(?!(?:1|一)(?![0-9〇一二三四五六七八九十]))[0-9〇一二三四五六七八九十]+|^\W*[0-9]+\s*(?:冊|v\.?|vols?\.?|volumes?)\W*$|\bset\b|セット|揃"
    r"|^[^0-9]*1\D?\s*[-~〜‐–―]\D{0,4}(?:[2-9]|[1-9][0-9]+)\D*$|^\W*上巻?\W*(?:中巻?\W*)?下巻?\W*$|^\W*前[編篇]\W*後[編篇]\W*$"
)
_SETS_IN_EXTENT = re.compile(r"^\W*([2-9]|[1-9][0-9]+)\s*(?:冊|v\.?(?![a-z])|vols?\b|volumes)")
_ARABIC = re.compile(r"[0-9]+")
_KANJI_NUMBER = re.compile(f"[{KANJI_DIGITS}壱弐参]{{1,9}}")
_ROMAN_NUMBER = re.compile(r"\b(?=[ivx]+\b)(?:x{0,3})(?:ix|iv|v?i{0,3})\b")
_PART = re.compile("[上中下前後]")
_YEARLY = re.compile("年")
_DIGITS = 5  # digits read of a number of volumes
_LONGEST = 80  # characters of a volume's name or numbers


@lru_cache(maxsize=4096)  # most records repeat the same few statements
def volume_form(text: str) -> str:
    """The bare designation: "第1巻", "v. 1", "(一)" and "I" are "1"; "上巻" is "上"; "第2巻 下" is "2下"."""
    plain = unicodedata.normalize("NFKC", text).lower()
    numbers = [digits.lstrip("0") or "0" for digits in _ARABIC.findall(plain)]
    part = _PART.search(plain)
    if not numbers:
        kanji = _KANJI_NUMBER.search(plain)
        roman = None if kanji else _ROMAN_NUMBER.search(plain)
        numbers = [str(kanji_number(kanji[0]))] if kanji else [str(_roman_number(roman[0]))] if roman else []
    if not numbers and not part:
        return fold_tight(plain)[:_LONGEST]
    return ("y" if _YEARLY.search(plain) else "") + "-".join(numbers)[:_LONGEST] + (part[0] if part else "")


@lru_cache(maxsize=4096)
def is_set(text: str) -> bool:
    """Whether a volume statement counts the volumes of a set: "全2巻", "3冊", "2 v."."""
    return bool(_SET.search(unicodedata.normalize("NFKC", text).lower()))


def count_volumes(extent: str) -> int:
    """The number of volumes that an extent states, 0 unless there are several: "2冊" is 2, "3 v. ; 22 cm" is 3."""
    if extent.isascii() and "v" not in extent and "V" not in extent:
        return 0
    match = _SETS_IN_EXTENT.match(unicodedata.normalize("NFKC", extent).lower())
    return int(match[1][:_DIGITS]) if match else 0


def kanji_number(text: str) -> int:
    """二十三 and 二三 are both 23."""
    total = current = 0
    for char in text:
        if char in "十百":
            total, current = total + (current or 1) * (10 if char == "十" else 100), 0
        else:
            current = current * 10 + _VALUES[char]
    return total + current


def _roman_number(text: str) -> int:
    values = [_ROMAN[char] for char in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)


_ORDINALS = dict(
    zip("first second third fourth fifth sixth seventh eighth ninth tenth".split(), map(str, range(1, 11)), strict=True)
)
_EDITION_NUMBER = re.compile(
    rf"第?\s*(?P<counted>[0-9]{{1,4}}|[{KANJI_DIGITS}]{{1,5}})\s*版|(?P<ordinal>[0-9]{{1,4}})\s*(?:st|nd|rd|th|d)\b"
    rf"|(?P<first>初版)|\b(?P<word>{'|'.join(_ORDINALS)})\b"
)
_EDITION_KINDS = (
    ("a", re.compile(r"増補|増訂|enlarged|expanded|augmented")),
    ("f", re.compile(r"復刻|複製|facsim")),
    ("l", re.compile(r"限定|愛蔵|豪華|特装|limited|deluxe")),
    ("n", re.compile(r"新版|\bnew\b|新訂|新編")),
    ("o", re.compile(r"新装|普及|保存版|軽装|ワイド|文庫|文庫版|コンパクト|完全版|international|paperback ed")),
    ("r", re.compile(r"改|revis|\brev\b|訂正|補訂|修訂|三訂")),
)


# A printing is not an edition: 第3刷, 再版 and 重版 name a printing, 改版 and 新装版 an edition.
_PRINTING = re.compile(
    rf"第?\s*(?:[0-9]{{1,4}}|[{KANJI_DIGITS}]{{1,5}}|初)\s*刷|[再重]版|\b[0-9a-z]+\s+(?:impression|printing)\b"
)
_FIRST_PRINTING = re.compile(r"1\s*刷|[一初]\s*刷|\b(?:1st|first)\s")
# 改版40版, 8版: publishers of pocket books number their printings so, but the eighth edition is 第8版
_COUNTS_PRINTINGS = re.compile(r"(?:\A\s*|改版\s*)(?:[7-9]|[1-9][0-9]{1,2})\s*版").search
_PRINTING_SIGNS = ("刷", "再版", "重版", "impression", "printing")


@lru_cache(maxsize=4096)
def edition_form(text: str) -> str:
    """Letters for the kind of edition, and its number: "改訂第2版" is "r2", "3rd ed." is "3"; "" where neither is
    found.
    """
    plain = _PRINTING.sub("", unicodedata.normalize("NFKC", text).lower())
    kinds = "".join(letter for letter, pattern in _EDITION_KINDS if pattern.search(plain))
    match = _EDITION_NUMBER.search(plain)
    if not match:
        return kinds
    if _COUNTS_PRINTINGS(plain):
        return kinds
    number = match["counted"] or match["ordinal"] or _ORDINALS[match["word"] or match.lastgroup or ""]
    return kinds + (number if number.isdecimal() else str(kanji_number(number)))


@lru_cache(maxsize=4096)
def is_later_printing(text: str) -> bool:
    """Whether a statement names a printing after the first, so that the date beside it may be that of the printing."""
    plain = unicodedata.normalize("NFKC", text).lower()
    if not any(sign in plain for sign in _PRINTING_SIGNS):
        return bool(_COUNTS_PRINTINGS(plain))
    match = _PRINTING.search(plain)
    return match is not None and not _FIRST_PRINTING.match(match[0].lstrip("第 "))
