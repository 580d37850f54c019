"""Kana and Latin letters, each read as the other, by one table of syllables. Pure; knows no record.

`kana` takes Hepburn, Kunrei and what is typed into an input method; the result is folded as in
`metadata.text.folding`: large katakana, ヂ as ジ. `letters` undoes an input method that was on by mistake: ぃbらry was
to be "library". `romanise` spells kana in Hepburn letters; `sound` is one form for however a reading is spelled.
"""

import re
import unicodedata
from functools import lru_cache

from metadata.text.folding import fold_tight


def kana(text: str) -> tuple[str, str]:
    """The folded kana that Latin letters spell, and the letters at the end that begin another one; "" if none do."""
    word = unicodedata.normalize("NFKC", text).lower().strip()
    if not _LETTERS(word):
        return "", ""
    word = re.sub(r"[ -]", "", word.translate(_LONG))
    found: list[str] = []
    while word:
        spelled, length = _first_kana(word)
        if not length:
            break
        found.append(spelled)
        word = word[length:]
    begun = word if len(word) < _LONGEST and not set(word) & set(_VOWELS) else None
    return ("".join(found), begun) if found and begun is not None else ("", "")


def beginnings(text: str) -> tuple[str, ...]:
    """Every folded kana text that goes on where the letters of `text` end: "natsum" -> ナツマ ナツミ … ナツモ."""
    spelled, begun = kana(text)
    if not begun:
        return (spelled,) if spelled else ()
    nexts = dict.fromkeys(each for letters, each in _KANA.items() if letters.startswith(begun))
    more = ("ン",) if begun == "n" else ()
    return tuple(f"{spelled}{each}" for each in dict.fromkeys((*more, *(each[0] for each in nexts))))


def letters(text: str) -> tuple[str, ...]:
    """What was typed, if kana in `text` came from an input method that should have been off; () without kana."""
    katakana = _katakana(text)
    if not any("ァ" <= char <= "ヺ" for char in katakana):
        return ()
    plain = _spell(katakana, _TYPED)
    forms = (plain, _spell(katakana, _TYPED_HEPBURN), plain.replace("k", "c"))
    return tuple(dict.fromkeys(form for form in forms if form.isascii()))


def romanise(text: str) -> str:
    """Kana in Hepburn letters, long vowels as they are written (コウダン koudan); other letters stay."""
    spelled = _SPELLED.sub(lambda match: _HEPBURN[match[0]], _katakana(text))
    return _DOUBLED_KANA.sub(lambda match: "tc" if match[1] == "c" else match[1] * 2, spelled).replace("ッ", "")


@lru_cache(maxsize=65_536)  # readings repeat the same words
def sound(word: str) -> str:
    """One form for kana and every romanisation of it, long vowels short; "" for what cannot be read so.

    ソウセキ, そーせき, Sōseki, Sôseki, Souseki, Sohseki: "soseki"; シンイチ, Shin'ichi, Sin-iti: "shinichi". Words that
    differ in the length of a vowel only fall together: 大野 and 小野 are both "ono".
    """
    letters = fold_tight(romanise(word) if not word.isascii() else word)
    if not (letters.isascii() and letters.isalpha()):
        return ""
    for signs, pattern, spelling in _ONE_SPELLING:
        for sign in signs:
            if sign in letters:
                letters = pattern.sub(spelling, letters)
                break
    return letters if _SYLLABLES(letters) else ""


def _katakana(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text)
    return "".join(chr(ord(char) + 0x60) if "ぁ" <= char <= "ゖ" else char for char in normal)


def _first_kana(word: str) -> tuple[str, int]:
    if _DOUBLED_LETTER.match(word):
        return "ツ", 1
    for length in range(min(_LONGEST, len(word)), 0, -1):
        if word[:length] in _KANA:
            return _KANA[word[:length]], length
    return ("ン", 1) if word[0] in "nm" and len(word) > 1 and word[1] not in "aiueoy'" else ("", 0)


def _spell(katakana: str, table: dict[str, str]) -> str:
    found = ""
    for char in katakana:
        if char in _GLIDES and found.endswith("i"):  # シャ: sha, キャ: kya
            found = _glide(found[:-1], _GLIDES[char])
        else:
            found += table.get(char, char)
    return found.lower()


def _glide(stem: str, vowel: str) -> str:
    return f"{stem}{'' if stem.endswith(('sh', 'ch', 'j')) else 'y'}{vowel}"


_VOWELS = "aiueo"
# The first row that has a kana spells it; the rows at the end are only read.
_ROWS = {
    "": "アイウエオ",
    "k": "カキクケコ",
    "s": "サシスセソ",
    "t": "タチツテト",
    "n": "ナニヌネノ",
    "h": "ハヒフヘホ",
    "m": "マミムメモ",
    "y": "ヤイユエヨ",
    "r": "ラリルレロ",
    "w": "ワイウエオ",
    "g": "ガギグゲゴ",
    "z": "ザジズゼゾ",
    "d": "ダジズデド",
    "b": "バビブベボ",
    "p": "パピプペポ",
    "c": "カシクセコ",
    "q": "カキクケコ",
    "l": "ラリルレロ",
    "v": "バビブベボ",
}
_ROW_KANA = {f"{row}{vowel}": kana for row, cells in _ROWS.items() for vowel, kana in zip(_VOWELS, cells, strict=True)}
_KUNREI = {kana: letters for letters, kana in reversed(_ROW_KANA.items())}
_OTHERWISE = {"シ": "shi", "チ": "chi", "ツ": "tsu", "フ": "fu", "ジ": "ji"}  # Hepburn
_GLIDES = {"ャ": "a", "ュ": "u", "ョ": "o"}

# Letters to folded kana. The kana before a small ヤ, ユ, ヨ:
_STEMS = dict(
    zip(
        "ky sh sy ch ty cy ny hy my ry gy j jy zy dy by py".split(),
        "キ シ シ チ チ チ ニ ヒ ミ リ ギ ジ ジ ジ ジ ビ ピ".split(),
        strict=True,
    )
)
_KANA = (
    _ROW_KANA
    | {
        f"{stem}{vowel}": f"{kana}{end}"
        for stem, kana in _STEMS.items()
        for vowel, end in zip("aueo", "ヤユエヨ", strict=True)
    }
    | {f"f{vowel}": f"フ{end}" for vowel, end in zip("aieo", "アイエオ", strict=True)}
    | {letters: kana for kana, letters in _OTHERWISE.items()}
    | {"thi": "テイ", "dhi": "デイ", "n'": "ン", "nn": "ン"}
)
_DOUBLED_LETTER = re.compile(r"([bcdfghjkmpqrstvwyz])\1|tch")
_LONG = {ord("ā"): "aa", ord("ī"): "ii", ord("ū"): "uu", ord("ē"): "ei", ord("ō"): "ou"}
_LETTERS = re.compile(r"[a-zāīūēō' -]+").fullmatch
_LONGEST = 3

# Kana to the keys that type it.
_TYPED = (
    _KUNREI
    | {"ヲ": "wo", "ン": "n", "ー": "-", "ッ": "ltu", "ャ": "lya"}
    | {small: f"l{vowel}" for small, vowel in zip("ァィゥェォ", _VOWELS, strict=True)}
)
_TYPED_HEPBURN = _TYPED | _OTHERWISE | {"ヂ": "di", "ヅ": "du"}

# Kana to what is heard. キャ kya, シャ sha, ファ fa, ティ ti, ヴァ va: a small letter takes the vowel's place.
_HEPBURN = (
    _KUNREI
    | _OTHERWISE
    | {"ヂ": "ji", "ヅ": "zu", "ヰ": "i", "ヱ": "e", "ヲ": "o", "ン": "n", "ヴ": "vu", "ー": "", "・": " "}
    | dict(zip("ァィゥェォャュョヮ", "a i u e o ya yu yo wa".split(), strict=True))
)
_HEPBURN |= {
    f"{big}{small}": _glide(_HEPBURN[big][:-1], vowel)
    for big in "キギシジチヂニヒビピミリ"
    for small, vowel in _GLIDES.items()
}
_HEPBURN |= {
    f"{big}{small}": f"{_HEPBURN[big][:-1] or 'w'}{vowel}"
    for big in "フヴツシチジウテデト"
    for small, vowel in zip("ァィェォ", "aieo", strict=True)
}
_SPELLED = re.compile("|".join(sorted(map(re.escape, _HEPBURN), key=len, reverse=True)))
_DOUBLED_KANA = re.compile("ッ([bcdfghjkmprstwyz])")
# In this order. Kunrei and other spellings become Hepburn; m before b, m, p is ン; キヨ and キョ, which old readings do
# not tell apart, are one; then long vowels are short. First what each needs: most words have none of it, and
# to look for it costs a tenth of the pattern.
_ONE_SPELLING = tuple(
    (signs.split(), re.compile(pattern), spelling)
    for signs, pattern, spelling in (
        ("oh", r"oh(?![aiueoy])", "o"),
        ("l", "l", "r"),
        ("v", "v", "b"),
        ("tch tty tti", r"tch|tty|tt(?=i)", "cch"),
        ("sy si", r"sy|s(?=i)", "sh"),
        ("ty cy ti", r"ty|cy|t(?=i)", "ch"),
        ("zy jy dy dj zi di", r"zy|jy|dy|dj|[zd](?=i)", "j"),
        ("tu", r"(?<!t)tu", "tsu"),
        ("hu", r"(?<![sc])hu", "fu"),
        ("zu du", r"d?zu|du", "zu"),
        ("wo", "wo", "o"),
        ("uw", "uw(?=[aei])", "u"),
        ("mb mm mp", r"m(?=[bmp])", "n"),
        ("iy", r"(sh|ch|j)iy(?=[auo])", r"\1"),
        ("iy", r"(?<=[kgnhbpmr])iy(?=[auo])", "y"),
        ("ou", "ou", "o"),
        ("aa ii uu ee oo", r"([aiueo])\1+", r"\1"),
    )
)
_SYLLABLES = re.compile(
    r"(?:(?:kk|ss|tt|cc|pp|gg|dd|bb|jj|zz|ff|hh)?(?=[a-z])(?:[kgnhbpmr]y?|sh?|ch|ts|[ztdjfwy])?[aiueo]|n(?![aiueo]))+"
).fullmatch
