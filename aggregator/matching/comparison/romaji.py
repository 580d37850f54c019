"""Romanised Japanese as kana, so that it can be compared with a reading. Texts are folded, see `metadata.text.folding`.

Hepburn and Kunrei spellings give the same kana. Long vowels are left out, because romanisations differ in them (大野 is
Ono, Ohno, Ōno or Oono) and so do readings (オオノ, オーノ).
"""

import re
from functools import lru_cache

_ROWS = {
    "": "アイウエオ", "k": "カキクケコ", "s": "サシスセソ", "t": "タチツテト", "n": "ナニヌネノ", "h": "ハヒフヘホ",
    "m": "マミムメモ", "y": "ヤ ユ ヨ", "r": "ラリルレロ", "w": "ワ   オ", "g": "ガギグゲゴ", "z": "ザジズゼゾ",
    "d": "ダジズデド", "b": "バビブベボ", "p": "パピプペポ",
}  # fmt: skip
_SYLLABLES = {
    consonant + vowel: kana
    for consonant, row in _ROWS.items()
    for vowel, kana in zip("aiueo", row, strict=True)
    if kana != " "
}
_SYLLABLES |= {"shi": "シ", "chi": "チ", "tsu": "ツ", "fu": "フ", "ji": "ジ", "n": "ン", "m": "ン"}
_PALATAL = {"sh": "シ", "ch": "チ", "j": "ジ", "ty": "チ", "sy": "シ", "zy": "ジ", "jy": "ジ"} | {
    f"{consonant}y": row[1] for consonant, row in _ROWS.items() if consonant not in ("", "y", "w", "s", "t", "z", "d")
}
_SYLLABLES |= {
    consonant + vowel: kana + glide
    for consonant, kana in _PALATAL.items()
    for vowel, glide in zip("auo", "ヤユヨ", strict=True)
}
_SYLLABLE = re.compile("|".join(sorted(_SYLLABLES, key=len, reverse=True)))
_ROMAJI = re.compile(f"(?>{_SYLLABLE.pattern})++")  # atomic: "nya" is not tried as "n" and "ya", too
_DOUBLED = re.compile(r"([kstpgzdbj])(?=\1)|t(?=ch)|c(?=ch)")
_H = re.compile("(?<=o)h(?![aeiouy])")
_LONG = re.compile("(?<=[オコソトノホモヨロゴゾドボポ])[オウ]|(?<=[ウクスツヌフムユルグズブプ])ウ")


@lru_cache(maxsize=4096)
def kana_of(latin: str) -> str:
    """The kana of folded Latin letters without blanks, "" if these cannot be romanised Japanese."""
    plain = _H.sub("", _DOUBLED.sub("tsu", latin))
    if not _ROMAJI.fullmatch(plain):
        return ""
    return plain_vowels("".join([_SYLLABLES[syllable] for syllable in _SYLLABLE.findall(plain)]))


@lru_cache(maxsize=4096)
def plain_vowels(kana: str) -> str:
    """Folded kana with ハ as ワ and ヘ as エ (as spoken in particles) and without long vowels: オオツカ is オツカ."""
    return _LONG.sub("", _N.sub(_joined, kana).translate(_SPOKEN))


def _joined(match: re.Match[str]) -> str:
    """What replaces ン with the vowel after it: シンイチ is シニチ, because "shinichi" may be either."""
    return _AFTER_N[match[1]]


_N = re.compile("ン([アイウエオヤユヨ])")
_AFTER_N = dict(zip("アイウエオヤユヨ", ("ナ", "ニ", "ヌ", "ネ", "ノ", "ニヤ", "ニユ", "ニヨ"), strict=True))
_SPOKEN = str.maketrans("ハヘ", "ワエ")
