"""How the titles of two feature rows agree. Independent of the weights."""

import re
from functools import lru_cache

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio

from aggregator.matching.comparison.romaji import kana_of, plain_vowels
from aggregator.matching.features.row import Features


def title_outcome(a: Features, b: Features) -> str:
    """How two titles agree; "unrelated" where they do not at all."""
    if not a.title or not b.title:
        return "unreadable"
    if (a.parts or b.parts) and _under_series(a, b):
        return "part"
    if a.full == b.full:
        return "same"
    if a.title == b.title:
        return _subtitles(a, b)
    if _supplements(_where_supplement_stands(a)) != _supplements(_where_supplement_stands(b)):
        return "supplement"
    return _reading(a, b) or _other_title(a, b) or _romanised(a, b) or _likeness(a, b)


def _subtitles(a: Features, b: Features) -> str:
    if a.full == a.title or b.full == b.title:
        return "core_short" if is_short(a.title) else "core"
    one, other = a.full[len(a.title) :], b.full[len(b.title) :]
    if one.startswith(other) or other.startswith(one):
        return "core"  # one subtitle is the beginning of the other
    if _digits(one) == _digits(other) and ratio(one, other) >= _LIKE:
        return "rather_similar"
    return "subtitle_differs"


def _under_series(a: Features, b: Features) -> bool:
    """Whether only one is entered under its series or set, and has the title of the other as its volume title."""
    if bool(a.parts) == bool(b.parts):
        return False
    whole, other = (a, b) if a.parts else (b, a)
    return other.title in whole.parts or other.full in whole.parts


def _reading(a: Features, b: Features) -> str:
    """Equal readings, or one title is the other's reading (title in katakana only)."""
    if a.yomi and a.yomi in (b.yomi, b.title) or b.yomi and b.yomi == a.title:
        return "reading"
    return ""


def _other_title(a: Features, b: Features) -> str:
    """One title is the other's volume, series or alternative title, or has the subtitle run on."""
    if a.title == b.full or b.title == a.full or a.title in b.entries or b.title in a.entries:
        return "other_title"
    return "other_title" if a.title in b.others or b.title in a.others else ""


def _romanised(a: Features, b: Features) -> str:
    """One title is in Latin letters and may be the other's reading. Without a reading the two cannot be compared."""
    if a.title.isascii() == b.title.isascii():
        return ""
    latin, japanese = (a, b) if a.title.isascii() else (b, a)
    kana = kana_of(latin.full)
    if len(kana) < _LEAST_READABLE:
        return ""
    reading = plain_vowels(japanese.yomi or (japanese.title if _KANA_ONLY.match(japanese.title) else ""))
    if reading:
        return "reading" if kana.startswith(reading) else ""
    return "" if _reading_outcome(kana, japanese.full) == "unrelated" else "romanised"


_KANA_ONLY = re.compile(r"[ァ-ヺ]+\Z")
_NUMBERS = re.compile(r"[0-9〇一二三四五六七八九十]+")
_SUPPLEMENT = re.compile("増刊|別冊|付録|索引|総目次|ゾウカン|ベツサツ|supplement(?!e)|index(?!e)")


def _where_supplement_stands(row: Features) -> str:
    """The title in which a word such as 索引 makes a book a supplement. A Latin subtitle is left out: it names an index
    as a part of the book.
    """
    return row.title if row.full.isascii() else row.full


@lru_cache(maxsize=4096)  # a title is compared with many others
def _supplements(title: str) -> int:
    return len(_SUPPLEMENT.findall(title))


@lru_cache(maxsize=4096)
def _numbers(title: str) -> tuple[str, ...]:
    return tuple(_NUMBERS.findall(title))


@lru_cache(maxsize=4096)
def _digits(title: str) -> str:
    return "".join(_NUMBERS.findall(title))


_VERY_LIKE, _LIKE = 93.0, 85.0  # per cent of both titles: one wrong character in fourteen, in seven
_PREFIX, _LATIN_PREFIX = 4, 12  # characters: of shorter titles, a mistyped or cut form is not recognised


def _likeness(a: Features, b: Features) -> str:
    short, long = sorted((a.full, b.full), key=lambda text: (len(text), text))
    if _digits(short) == _digits(long) and not _differ_before_subtitle(a, b):
        likeness = ratio(short, long)
        if likeness >= _LIKE and not is_short(short):  # ココロ, ココロネ
            return "similar" if likeness >= _VERY_LIKE else "rather_similar"
        if len(short) >= _PREFIX and OSA.distance(short, long, score_cutoff=1) <= 1:
            return "mistyped"
    if len(short) >= (_LATIN_PREFIX if short.isascii() else _PREFIX) and long.startswith(short):
        return "begins"
    if len(short) >= _PREFIX and (long.startswith(short) or long.endswith(short)):
        return "contained"
    if not (a.yomi and b.yomi) and bool(_KANA_ONLY.match(a.title)) != bool(_KANA_ONLY.match(b.title)):
        return _reading_outcome(*((a.title, b.title) if _KANA_ONLY.match(a.title) else (b.title, a.title)))
    return _overlap(short, long)


_CORES_UNLIKE = 75.0  # per cent


def _differ_before_subtitle(a: Features, b: Features) -> bool:
    """Whether only long subtitles make two titles alike: "Rail : proceedings of …", "Freight : proceedings of …"."""
    return a.full != a.title and b.full != b.title and ratio(a.title, b.title) < _CORES_UNLIKE


_WORD, _LATIN_WORD = 2, 5  # characters that stand for a word, because spaces are folded away
_REORDERED, _OVERLAPPING = 0.8, 0.5  # share of the shorter title's pieces that the other contains, in whatever order


def _overlap(short: str, long: str) -> str:
    length, least = (_LATIN_WORD, _LATIN_PREFIX) if short.isascii() else (_WORD, _PREFIX + 2)
    if len(short) < least or not set(_numbers(short)).issubset(_numbers(long)):
        return "unrelated"
    pieces = {short[place : place + length] for place in range(len(short) - length + 1)}
    share = sum([piece in long for piece in pieces]) / len(pieces)
    return "reordered" if share >= _REORDERED else "overlapping" if share >= _OVERLAPPING else "unrelated"


def _reading_outcome(kana: str, mixed: str) -> str:
    """Return "readable" if the kana title may be the reading of the other title, "unrelated" if not, "unreadable" if
    the other title is too short to tell.

    The other title's own kana must occur in order, with at least one sound for each kanji. Linear: every run of kana
    is matched where it first occurs.
    """
    kana, place = kana.translate(_SPOKEN), 0
    for silent, run in _RUNS.findall(mixed.translate(_SPOKEN)):
        sounds = len(_KANJI.findall(silent))
        start = kana.find(run, place + sounds)
        if start < 0 or silent and start > place + _MOST_SOUNDS * len(silent):
            return "unrelated"
        place = start + len(run)
    if place < len(kana) and (not mixed or _KANA_ONLY.match(mixed[-1])):
        return "unrelated"
    return "readable" if len(mixed) >= _LEAST_READABLE else "unreadable"


_SPOKEN = str.maketrans("ハヘ", "ワエ")  # as pronounced in particles
_RUNS = re.compile("([^ァ-ヺ]*)([ァ-ヺ]*)")
_KANJI = re.compile("[一-龥]")
_MOST_SOUNDS = 5  # the most sounds of one kanji or other sign
_LEAST_READABLE = 4  # characters; a shorter title could be read like many others


_SHORT, _LATIN_SHORT = 4, 10  # characters of a title that many books may have


def is_short(title: str) -> bool:
    """Whether many books may have this title."""
    return len(title) <= (_LATIN_SHORT if title.isascii() else _SHORT)
