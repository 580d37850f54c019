"""Other spellings of a word: loan words in kana, numbers in kanji, volumes. Independent of the search engine.

Variants of single characters (旧字体, small kana, width, ー) are folded in `metadata.text.folding` and not handled
here.
"""

import re
import unicodedata

from metadata.text.folding import fold_tight

MOST = 6  # other spellings of one word that are searched
# Loan words with two spellings that are too short or too irregular for a rule. All folded.
_PAIRS = {"レポト": "リポト", "リポト": "レポト", "ウイルス": "ビルス", "ビルス": "ウイルス"}
# Sounds that have two spellings within loan words: インターフェース and インターフェイス, ディジタル and
# デジタル, プラットフォーム and プラットホーム, ギリシア and ギリシャ. Folded: small kana are large, ー is removed.
_H_FOR_F = {"ア": "ハ", "イ": "ヒ", "エ": "ヘ", "オ": "ホ"}
_SOUNDS = tuple(
    (re.compile(pattern), other)
    for pattern, other in (
        ("デイ", "デ"),
        ("デ(?!イ)", "デイ"),
        ("テイ", "チ"),
        ("チ(?![アウエオヤユヨ])", "テイ"),
        ("(?<=[ケセテネヘメレゲゼデベペエ])イ", ""),
        ("フ([アイエオ])", lambda match: _H_FOR_F[match[1]]),
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
_SHORTEST = 4  # letters of a loan word to which rules apply: ホク for フォーク would match every word with "north"

_COUNTERS = "巻冊集部編篇章版回期号輯話訳次年度世紀級種類"
_KANJI = "〇一二三四五六七八九"
_NUMBERED = re.compile(rf"(.*?)(第?)([0-9]{{1,3}}|[{_KANJI}十百]{{1,5}})([{_COUNTERS}].*)")
_ORDINAL = re.compile(rf"(.*?)(第)([0-9]{{1,3}}|[{_KANJI}十百]{{1,5}})()")
_PART = re.compile("([上中下前後])[巻編篇冊]").fullmatch
_VOLUME = re.compile(
    rf"(?:第|v(?:ol(?:ume)?)?\.?|no\.?|その)?0*([0-9]{{1,3}}|[{_KANJI}十百]{{1,5}})[巻冊集部編篇号輯]?"
).fullmatch


def other_spellings(text: str) -> tuple[str, ...]:
    """Other spellings of a word with the same meaning, at most MOST; () for most words."""
    plain = unicodedata.normalize("NFKC", text)
    variants = [*_loan_words(plain), *_numbers(plain)]
    return tuple(dict.fromkeys(variants))[:MOST]


def volume_forms(text: str) -> tuple[str, ...]:
    """What a title or volume may contain where 第1巻, vol.1 or 上巻 was typed: the bare number or part."""
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
    """The value of 二十三, 二三 or 23."""
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
    """Spellings of the katakana words only: in hiragana the same letters are Japanese words."""
    return [
        plain[: match.start()] + other + plain[match.end() :]
        for match in _LOAN_WORD.finditer(plain)
        for other in _loan_word_spellings(match[0])
    ]


def _loan_word_spellings(word: str) -> list[str]:
    folded = fold_tight(word)
    variants = [folded.replace(spelling, other) for spelling, other in _PAIRS.items() if spelling in folded]
    if "ー" in word:
        variants.append(fold_tight(_LONG_E.sub("イ", word)))
    if len(folded) >= _SHORTEST:
        by_sound = [pattern.sub(other, folded) for pattern, other in _SOUNDS]
        variants += [form for form in by_sound if len(form) >= _SHORTEST]
    return [form for form in variants if form != folded]


def _numbers(plain: str) -> list[str]:
    """第1巻, 第一巻, 1巻, 一巻: the number in the other notation, and without 第."""
    match = _NUMBERED.fullmatch(plain) or _ORDINAL.fullmatch(plain)
    if not match:
        return []
    before, ordinal, number, after = match.groups()
    value = arabic(number)
    forms = [f"{before}{first}{form}{after}" for first in ("第", "") for form in (str(value), kanji(value))]
    return [form for form in forms if form != plain and (after or form.startswith(f"{before}第") or not ordinal)]
