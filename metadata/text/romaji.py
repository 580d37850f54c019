"""Converts kana to Latin letters and back, by one table of syllables. Pure.

`kana` reads Hepburn, Kunrei and the spellings of input methods; its result is folded as in `metadata.text.folding`:
large katakana, ヂ as ジ. `typed_letters` undoes an input method that was on by mistake: ぃbらry was meant as "library".
`romanise` spells kana in Hepburn; `sound` gives one form for all spellings of a reading.
"""

import re
import unicodedata
from itertools import islice, product

from metadata.text.folding import fold_tight
from metadata.text.memory import remember


def kana(text: str) -> tuple[str, str]:
    """Return the folded kana that Latin letters spell, and the letters of an unfinished syllable at the end, or "".

    Return ("", "") for letters that do not spell kana.
    """
    word = unicodedata.normalize("NFKC", text).lower().strip()
    if not _LETTERS(word):
        return "", ""
    word = re.sub(r"[ -]", "", word.translate(_LONG))
    syllables: list[str] = []
    while word:
        syllable, length = _first_kana(word)
        if not length:
            break
        syllables.append(syllable)
        word = word[length:]
    unfinished = word if len(word) < _MAX_SYLLABLE and not set(word) & set(_VOWELS) else None
    return ("".join(syllables), unfinished) if syllables and unfinished is not None else ("", "")


def kana_prefixes(text: str) -> tuple[str, ...]:
    """Return the kana of `text` with every completion of its last syllable: "natsum" -> ナツマ ナツミ … ナツモ.

    Long vowels may be typed short: "soseki" is also ソウセキ. At most MOST_PREFIXES, the nearest to the letters first.
    """
    spelled, unfinished = kana(text)
    completions = [""]
    if unfinished:
        syllables = dict.fromkeys(syllable for letters, syllable in _KANA.items() if letters.startswith(unfinished))
        more = ("ン",) if unfinished == "n" else ()
        completions = list(dict.fromkeys((*more, *(syllable[0] for syllable in syllables))))
    if not spelled and not unfinished:
        return ()
    prefixes = (f"{long}{char}" for long in _with_long_vowels(spelled, bool(unfinished)) for char in completions)
    return tuple(islice(dict.fromkeys(prefixes), MOST_PREFIXES))


def _with_long_vowels(spelled: str, more_follows: bool) -> list[str]:
    """Return the kana, then the same with some of its first vowels long, those with the fewest long ones first.

    The last vowel stays as it is unless more kana follow: a beginning is looked for.
    """
    places = [
        place
        for place, char in enumerate(spelled)
        if char in _MAYBE_LONG
        and spelled[place + 1 : place + 2] not in ("ウ", "オ")
        and (more_follows or place + 1 < len(spelled))
    ][:_LONG_VOWELS]
    choices = product(*(("", *_MAYBE_LONG[spelled[place]]) for place in places))
    forms = []
    for chosen in sorted(choices, key=lambda vowels: sum(map(bool, vowels))):
        longer = dict(zip(places, chosen, strict=True))
        forms.append("".join(f"{char}{longer.get(place, '')}" for place, char in enumerate(spelled)))
    return forms


def typed_letters(text: str) -> tuple[str, ...]:
    """Return the letters that may have been typed if an input method turned them into the kana of `text`.

    There are several candidates, because a kana can be typed in different ways; () if `text` has no kana.
    """
    katakana = _katakana(text)
    if not any("ァ" <= char <= "ヺ" for char in katakana):
        return ()
    plain = _spell(katakana, _TYPED)
    forms = (plain, _spell(katakana, _TYPED_HEPBURN), plain.replace("k", "c"))
    return tuple(dict.fromkeys(form for form in forms if form.isascii()))


def romanise(text: str) -> str:
    """Return kana in Hepburn, long vowels as they are written (コウダン koudan); other characters are kept."""
    spelled = _SPELLED.sub(lambda match: _HEPBURN[match[0]], _katakana(text))
    return _DOUBLED_KANA.sub(lambda match: "tc" if match[1] == "c" else match[1] * 2, spelled).replace("ッ", "")


@remember(65_536)  # the same words occur in many readings
def sound(word: str) -> str:
    """Return one form for kana and all romanisations of them, with short vowels; "" for a word that is neither.

    ソウセキ, そーせき, Sōseki, Sôseki, Souseki, Sohseki: "soseki"; シンイチ, Shin'ichi, Sin-iti: "shinichi". Words that
    differ only in the length of a vowel become equal: 大野 and 小野 are both "ono".
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
    for length in range(min(_MAX_SYLLABLE, len(word)), 0, -1):
        if word[:length] in _KANA:
            return _KANA[word[:length]], length
    return ("ン", 1) if word[0] in "nm" and len(word) > 1 and word[1] not in "aiueoy'" else ("", 0)


def _spell(katakana: str, table: dict[str, str]) -> str:
    letters = ""
    for char in katakana:
        if char in _GLIDES and letters.endswith("i"):  # シャ: sha, キャ: kya
            letters = _glide(letters[:-1], _GLIDES[char])
        else:
            letters += table.get(char, char)
    return letters.lower()


def _glide(stem: str, vowel: str) -> str:
    return f"{stem}{'' if stem.endswith(('sh', 'ch', 'j')) else 'y'}{vowel}"


_VOWELS = "aiueo"
# A kana is written as in the first row that has it; the last rows are only for reading.
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
_KUNREI = {kana: typed_letters for typed_letters, kana in reversed(_ROW_KANA.items())}
_OTHERWISE = {"シ": "shi", "チ": "chi", "ツ": "tsu", "フ": "fu", "ジ": "ji"}  # Hepburn
_GLIDES = {"ャ": "a", "ュ": "u", "ョ": "o"}

# Letters to folded kana. First the kana before a small ヤ, ユ, ヨ:
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
    | {typed_letters: kana for kana, typed_letters in _OTHERWISE.items()}
    | {"thi": "テイ", "dhi": "デイ", "n'": "ン", "nn": "ン"}
)
_DOUBLED_LETTER = re.compile(r"([bcdfghjkmpqrstvwyz])\1|tch")
_LONG = {ord("ā"): "aa", ord("ī"): "ii", ord("ū"): "uu", ord("ē"): "ei", ord("ō"): "ou"}
# Kana whose vowel may be long, with the kana that make it long; small kana are large here.
_MAYBE_LONG = dict.fromkeys("オコソトノホモヨロゴゾドボポ", ("ウ", "オ")) | dict.fromkeys(
    "ウクスツヌフムユルグズブプ", ("ウ",)
)
_LONG_VOWELS = 3  # vowels of a text that are tried long
MOST_PREFIXES = 32
_LETTERS = re.compile(r"[a-zāīūēō' -]+").fullmatch
_MAX_SYLLABLE = 3  # letters

# Kana to the keys that type it.
_TYPED = (
    _KUNREI
    | {"ヲ": "wo", "ン": "n", "ー": "-", "ッ": "ltu", "ャ": "lya"}
    | {small: f"l{vowel}" for small, vowel in zip("ァィゥェォ", _VOWELS, strict=True)}
)
_TYPED_HEPBURN = _TYPED | _OTHERWISE | {"ヂ": "di", "ヅ": "du"}

# Kana to Hepburn. キャ kya, シャ sha, ファ fa, ティ ti, ヴァ va: a small kana replaces the vowel.
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
# The order matters: Kunrei and other spellings become Hepburn; m before b, m, p is ン; キヨ and キョ, which old
# readings do not distinguish, become equal; then long vowels become short. The first column lists letters without
# which the pattern cannot match: most words have none of them, and looking for them costs a tenth of the pattern.
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
_SYLLABLES = re.compile(  # atomic: "nya" is not tried as "n" and "ya", too
    r"(?>(?:kk|ss|tt|cc|pp|gg|dd|bb|jj|zz|ff|hh)?(?=[a-z])(?:[kgnhbpmr]y?|sh?|ch|ts|[ztdjfwy])?[aiueo]|n(?![aiueo]))++"
).fullmatch
