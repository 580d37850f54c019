"""Kana in Latin letters, and one form for however a reading is spelled. Pure; knows no record."""

import re
import unicodedata
from functools import lru_cache

from metadata.text import fold_tight


def romanise(text: str) -> str:
    """Kana in Hepburn letters, long vowels as they are written (コウダン koudan); other letters stay."""
    kana = "".join(_as_katakana(char) for char in unicodedata.normalize("NFKC", text))
    spelled = _KANA.sub(lambda match: _HEPBURN[match[0]], kana)
    return _DOUBLED.sub(lambda match: "tc" if match[1] == "c" else match[1] * 2, spelled).replace("ッ", "")


@lru_cache(maxsize=65_536)  # readings repeat the same words
def sound(word: str) -> str:
    """One form for kana and every romanisation of it, long vowels short; "" for what cannot be read so.

    ソウセキ, そーせき, Sōseki, Sôseki, Souseki, Sohseki: "soseki"; シンイチ, Shin'ichi, Sin-iti: "shinichi". Words that
    differ in the length of a vowel only fall together: 大野 and 小野 are both "ono".
    """
    letters = fold_tight(romanise(word) if not word.isascii() else word)
    if not (letters.isascii() and letters.isalpha()):
        return ""
    for pattern, spelling in _ONE_SPELLING:
        letters = pattern.sub(spelling, letters)
    return letters if _SYLLABLES(letters) else ""


def _as_katakana(char: str) -> str:
    return chr(ord(char) + 0x60) if "ぁ" <= char <= "ゖ" else char


_DOUBLED = re.compile("ッ([bcdfghjkmprstwyz])")
_HEPBURN = dict(
    zip(
        "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヰヱヲンガギグゲゴザジズゼゾ"
        "ダヂヅデドバビブベボパピプペポヴァィゥェォャュョヮ",
        "a i u e o ka ki ku ke ko sa shi su se so ta chi tsu te to na ni nu ne no ha hi fu he ho ma mi mu me mo "
        "ya yu yo ra ri ru re ro wa i e o n ga gi gu ge go za ji zu ze zo "
        "da ji zu de do ba bi bu be bo pa pi pu pe po vu a i u e o ya yu yo wa".split(),
        strict=True,
    )
) | {"ー": "", "・": " "}
# キャ kya, シャ sha, ファ fa, ティ ti, ヴァ va: a small letter takes the vowel's place.
_HEPBURN |= {
    f"{big}{small}": f"{stem}{'' if stem in ('sh', 'ch', 'j') else 'y'}{vowel}"
    for big, stem in zip("キギシジチヂニヒビピミリ", "k g sh j ch j n h b p m r".split(), strict=True)
    for small, vowel in zip("ャュョ", "auo", strict=True)
}
_HEPBURN |= {
    f"{big}{small}": f"{stem}{vowel}"
    for big, stem in zip("フヴツシチジウテデト", "f v ts sh ch j w t d t".split(), strict=True)
    for small, vowel in zip("ァィェォ", "aieo", strict=True)
}
_KANA = re.compile("|".join(sorted(map(re.escape, _HEPBURN), key=len, reverse=True)))
# In this order. Kunrei and other spellings become Hepburn; m before b, m, p is ン; キヨ and キョ, which old readings do
# not tell apart, are one; then long vowels are short.
_ONE_SPELLING = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"oh(?![aiueoy])", "o"),
        ("l", "r"),
        ("v", "b"),
        (r"tch|tty|tt(?=i)", "cch"),
        (r"sy|s(?=i)", "sh"),
        (r"ty|cy|t(?=i)", "ch"),
        (r"zy|jy|dy|dj|[zd](?=i)", "j"),
        (r"(?<!t)tu", "tsu"),
        (r"(?<![sc])hu", "fu"),
        (r"d?zu|du", "zu"),
        ("wo", "o"),
        ("uw(?=[aei])", "u"),
        (r"m(?=[bmp])", "n"),
        (r"(sh|ch|j)iy(?=[auo])", r"\1"),
        (r"(?<=[kgnhbpmr])iy(?=[auo])", "y"),
        ("ou", "o"),
        (r"([aiueo])\1+", r"\1"),
    )
)
_SYLLABLES = re.compile(
    r"(?:(?:kk|ss|tt|cc|pp|gg|dd|bb|jj|zz|ff|hh)?(?=[a-z])(?:[kgnhbpmr]y?|sh?|ch|ts|[ztdjfwy])?[aiueo]|n(?![aiueo]))+"
).fullmatch
