"""Other ways to write a word: loan words in kana, numbers in kanji, volumes. Pure; knows no engine.

What is one letter for another (旧字体, small kana, width, ー) is folded in `metadata.text.folding` and does not come
here.
"""

import re
import unicodedata

from metadata.text.folding import fold_tight

MOST = 6  # other spellings of one word that are looked for
# Loan words that are written in two ways and are too short, or too much their own, for a rule. All as folded.
_PAIRS = {"レポト": "リポト", "リポト": "レポト", "ウイルス": "ビルス", "ビルス": "ウイルス"}
# Sounds that are written in two ways inside a loan word: インターフェース and インターフェイス, ディジタル and
# デジタル, プラットフォーム and プラットホーム, ギリシア and ギリシャ. As folded: small letters are large, ー is gone.
_H_FOR_F = {"ア": "ハ", "イ": "ヒ", "エ": "ヘ", "オ": "ホ"}
_SOUNDS = tuple(
    (re.compile(pattern), other)
    for pattern, other in (
        ("デイ", "デ"),
        ("デ(?!イ)", "デイ"),
        ("テイ", "チ"),
        ("チ(?![アウエオヤユヨ])", "テイ"),
        ("(?<=[ケセテネヘメレゲゼデベペエ])イ", ""),
        ("フ([アイエオ])", lambda found: _H_FOR_F[found[1]]),
        ("ホ(?=ム|ン|ク)", "フオ"),
        ("ジエ", "ゼ"),
        ("ゼ(?=ネ|ン)", "ジエ"),
        ("シエ", "セ"),
        ("(?<=[イキシチニヒミリギジビピエケセテネヘメレ])ア", "ヤ"),
        ("(?<=[イキシチニヒミリギジビピエケセテネヘメレ])ヤ", "ア"),
        ("ウイ", "ビ"),
        ("ウオ", "オ"),
        ("クオ", "コ"),
        ("グア", "ガ"),
        ("チユ(?=[ア-オバ])", "テユ"),
        ("ツ(?=[アイエオ])", "ト"),
    )
)
_LONG_E = re.compile("(?<=[ケセテネヘメレゲゼデベペエェ])ー")  # ノルウェー, ノルウェイ
_LOAN_WORD = re.compile("[ァ-ヺー]{3,}")
_SHORTEST = 4  # letters of a loan word that a rule is trusted with: ホク for フォーク would find all of the north

_COUNTERS = "巻冊集部編篇章版回期号輯話訳次年度世紀級種類"
_KANJI = "〇一二三四五六七八九"
_NUMBERED = re.compile(rf"(.*?)(第?)([0-9]{{1,3}}|[{_KANJI}十百]{{1,5}})([{_COUNTERS}].*)")
_ORDINAL = re.compile(rf"(.*?)(第)([0-9]{{1,3}}|[{_KANJI}十百]{{1,5}})()")
_PART = re.compile("([上中下前後])[巻編篇冊]").fullmatch
_VOLUME = re.compile(
    rf"(?:第|v(?:ol(?:ume)?)?\.?|no\.?|その)?0*([0-9]{{1,3}}|[{_KANJI}十百]{{1,5}})[巻冊集部編篇号輯]?"
).fullmatch


def spellings(text: str) -> tuple[str, ...]:
    """Other spellings of a word that mean the same, at most MOST; () for most words."""
    plain = unicodedata.normalize("NFKC", text)
    found = [*_loan_words(plain), *_numbers(plain)]
    return tuple(dict.fromkeys(found))[:MOST]


def volumes(text: str) -> tuple[str, ...]:
    """What a title or volume may have where somebody types 第1巻, vol.1, 上巻: the number, or the part, alone."""
    plain = unicodedata.normalize("NFKC", text).lower()
    part = _PART(plain)
    if part:
        return (part[1],)
    match = _VOLUME(plain)
    if not match or match[1] == plain:
        return ()
    number = arabic(match[1])
    return (str(number), kanji(number))


def arabic(number: str) -> int:
    """二十三, 二三 and 23."""
    if number.isascii():
        return int(number)
    total = current = 0
    for char in number:
        if char in "十百":
            total, current = total + (current or 1) * (10 if char == "十" else 100), 0
        else:
            current = current * 10 + _KANJI.index(char)
    return total + current


def kanji(number: int) -> str:
    """23 as 二十三."""
    if not 0 < number < 1000:
        return str(number)
    hundreds, tens, ones = number // 100, number // 10 % 10, number % 10
    return _times(hundreds, "百") + _times(tens, "十") + (_KANJI[ones] if ones else "")


def _times(count: int, unit: str) -> str:
    return "" if not count else unit if count == 1 else _KANJI[count] + unit


def _loan_words(plain: str) -> list[str]:
    """Only what somebody wrote in katakana: in hiragana the same letters are Japanese words."""
    return [
        plain[: match.start()] + other + plain[match.end() :]
        for match in _LOAN_WORD.finditer(plain)
        for other in _other_spellings(match[0])
    ]


def _other_spellings(word: str) -> list[str]:
    folded = fold_tight(word)
    found = [folded.replace(each, other) for each, other in _PAIRS.items() if each in folded]
    if "ー" in word:
        found.append(fold_tight(_LONG_E.sub("イ", word)))
    if len(folded) >= _SHORTEST:
        heard = [pattern.sub(other, folded) for pattern, other in _SOUNDS]
        found += [each for each in heard if len(each) >= _SHORTEST]
    return [each for each in found if each != folded]


def _numbers(plain: str) -> list[str]:
    """第1巻, 第一巻, 1巻, 一巻: each number the other way, and without 第."""
    match = _NUMBERED.fullmatch(plain) or _ORDINAL.fullmatch(plain)
    if not match:
        return []
    before, ordinal, number, after = match.groups()
    value = arabic(number)
    forms = [f"{before}{first}{form}{after}" for first in ("第", "") for form in (str(value), kanji(value))]
    return [form for form in forms if form != plain and (after or form.startswith(f"{before}第") or not ordinal)]
