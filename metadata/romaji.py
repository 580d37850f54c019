"""Kana and Latin letters typed one for the other. Pure; knows no record.

`kana` takes Hepburn, Kunrei and what is typed into an input method; the result is folded as in `metadata.text`: large
katakana, ヂ as ジ. `letters` undoes an input method that was on by mistake: ぃbらry was to be "library".
"""

import re
import unicodedata

_VOWELS = "aiueo"
_ROWS = {
    "": "アイウエオ",
    "k": "カキクケコ",
    "c": "カシクセコ",
    "q": "カキクケコ",
    "s": "サシスセソ",
    "t": "タチツテト",
    "n": "ナニヌネノ",
    "h": "ハヒフヘホ",
    "m": "マミムメモ",
    "y": "ヤイユエヨ",
    "r": "ラリルレロ",
    "l": "ラリルレロ",
    "w": "ワイウエオ",
    "g": "ガギグゲゴ",
    "z": "ザジズゼゾ",
    "d": "ダジズデド",
    "b": "バビブベボ",
    "v": "バビブベボ",
    "p": "パピプペポ",
}
# The kana before a small ヤ, ユ, ヨ.
_STEMS = dict(
    zip(
        "ky sh sy ch ty cy ny hy my ry gy j jy zy dy by py".split(),
        "キ シ シ チ チ チ ニ ヒ ミ リ ギ ジ ジ ジ ジ ビ ピ".split(),
        strict=True,
    )
)
_KANA = {f"{row}{vowel}": kana for row, cells in _ROWS.items() for vowel, kana in zip(_VOWELS, cells, strict=True)}
_KANA |= {
    f"{stem}{vowel}": f"{kana}{end}"
    for stem, kana in _STEMS.items()
    for vowel, end in zip("aueo", "ヤユエヨ", strict=True)
}
_KANA |= {f"f{vowel}": f"フ{end}" for vowel, end in zip("aieo", "アイエオ", strict=True)}
_KANA |= {
    "shi": "シ",
    "chi": "チ",
    "tsu": "ツ",
    "fu": "フ",
    "ji": "ジ",
    "thi": "テイ",
    "dhi": "デイ",
    "n'": "ン",
    "nn": "ン",
}
_DOUBLED = re.compile(r"([bcdfghjkmpqrstvwyz])\1|tch")
_LONG = {ord("ā"): "aa", ord("ī"): "ii", ord("ū"): "uu", ord("ē"): "ei", ord("ō"): "ou"}
_LETTERS = re.compile(r"[a-zāīūēō' -]+").fullmatch
_LONGEST = 3

_SMALL = dict(zip("ァィゥェォ", ("la", "li", "lu", "le", "lo"), strict=True)) | {"ッ": "ltu", "ャ": "lya"}
_HEPBURN = {
    "シ": "shi",
    "チ": "chi",
    "ツ": "tsu",
    "フ": "fu",
    "ジ": "ji",
    "ヂ": "di",
    "ヅ": "du",
    "ヲ": "wo",
    "ン": "n",
}
_TYPED = {kana: f"{row}{vowel}" for row in reversed(_ROWS) for vowel, kana in zip(_VOWELS, _ROWS[row], strict=True)}
for _row in ("c", "q", "l", "v", "y", "w"):  # rows that share their kana: the commonest letter wins
    _TYPED |= {
        kana: f"{row}{vowel}"
        for row in ("", "k", "s", "r", "b")
        for vowel, kana in zip(_VOWELS, _ROWS[row], strict=True)
    }
_TYPED |= dict(zip("ヤユヨワ", ("ya", "yu", "yo", "wa"), strict=True)) | {"ヲ": "wo", "ン": "n", "ー": "-"} | _SMALL
_GLIDES = {"ャ": "a", "ュ": "u", "ョ": "o"}


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
    katakana = "".join(
        chr(ord(char) + 0x60) if "ぁ" <= char <= "ゖ" else char for char in unicodedata.normalize("NFKC", text)
    )
    if not any("ァ" <= char <= "ヺ" for char in katakana):
        return ()
    plain = _spell(katakana, _TYPED)
    forms = (plain, _spell(katakana, _TYPED | _HEPBURN), plain.replace("k", "c"))
    return tuple(dict.fromkeys(form for form in forms if form.isascii()))


def _first_kana(word: str) -> tuple[str, int]:
    if _DOUBLED.match(word):
        return "ツ", 1
    for length in range(min(_LONGEST, len(word)), 0, -1):
        if word[:length] in _KANA:
            return _KANA[word[:length]], length
    return ("ン", 1) if word[0] in "nm" and len(word) > 1 and word[1] not in "aiueoy'" else ("", 0)


def _spell(katakana: str, table: dict[str, str]) -> str:
    found = ""
    for char in katakana:
        if char in _GLIDES and found.endswith("i"):  # シャ: sha, キャ: kya
            stem = found[:-1]
            found = f"{stem}{'' if stem.endswith(('sh', 'ch', 'j')) else 'y'}{_GLIDES[char]}"
        else:
            found += table.get(char, char)
    return found.lower()
