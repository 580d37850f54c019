"""The forms of a title that a whole title typed by somebody is compared with, and readings. Pure; knows no engine."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from aggregator.matching.features.numbering import volume_form
from aggregator.matching.features.titles import split_title
from metadata.text.folding import fold_tight
from metadata.text.romaji import sound

_LONGEST = 200  # characters of a title that its forms are made from
_BETWEEN = r"\s,，、。.・/／:：;；()（）\[\]=＝「」『』〈〉!！?？&＆~〜～"
_WORDS = re.compile(f"[{_BETWEEN}]+").split
_READING = re.compile(f"[{_BETWEEN}ぁ-ゖァ-ヿｦ-ﾟa-zA-Z0-9\u00c0-\u024f'’ʼ-]+").fullmatch
_KANA = re.compile("[ぁ-ゖァ-ヺｦ-ﾟ]").search
_MEETING = frozenset("aiueoyw")
_MAIN_FORMS = 4
# Without any of these a title is the title alone.
_HAS_MORE = re.compile(
    r"[:：;；,=＝/／()（）\[\]［］〔〕‐―—─~〜～\-－.．0-9０-９一二三四五六七八九十上中下前後版補訂IVX]|  |　"
).search
_MOST_WORDS = 40  # of one reading


def proper_key(title: str, volume: str = "") -> str:
    """A title without its subtitle, with its volume in one form: 火の鳥 第2巻 and "火の鳥. 2 : 未来編" are the same."""
    found = split_title(title[:_LONGEST])
    number = volume or found.volume
    return f"<{fold_tight(found.core)}{volume_form(number) if number else ''}"


def proper_keys(titles: Sequence[str], keys: Sequence[str]) -> Iterator[str]:
    """`proper_key` of the first titles, which are the main one in its forms. keys: they folded."""
    for title, key in zip(titles[:_MAIN_FORMS], keys, strict=False):
        yield proper_key(title) if _HAS_MORE(title) else f"<{key}"


def sound_key(text: str) -> str:
    """A whole title by its sound; "" where it is not all kana or Latin letters."""
    joined = joined_sound(text)
    return f"~{joined}" if joined else ""


def joined_sound(text: str) -> str:
    """A text by its sound, as if it were one word."""
    words = _sounds(text) if len(text) <= _LONGEST else []
    return _joined(words) if words and all(words) else ""


def beginning(text: str) -> str:
    """The first two characters, "" for a shorter text."""
    folded = fold_tight(text[:8])[:2]
    return folded if len(folded) == 2 else ""


class Readings(NamedTuple):
    """What readings are found by. terms: each word, two words that may be typed as one, and the whole.

    wholes: as of `sound_key`.
    """

    terms: list[str]
    wholes: list[str]


def readings(texts: Iterable[str]) -> Readings:
    """Of those of the texts that are readings."""
    terms: set[str] = set()
    wholes: set[str] = set()
    for text in texts:
        found = _reading(text)
        if found is not _NO_READING:
            terms.update(found.terms)
            wholes.update(found.wholes)
    return Readings(list(terms), list(wholes))


@lru_cache(maxsize=4096)  # persons and publishers come again and again
def _reading(text: str) -> Readings:
    words = _sounds(text)
    if not words:
        return _NO_READING
    if not all(words):
        terms = [*words, *[_two(*pair) for pair in pairwise(words) if all(pair)]]
        return Readings([each for each in terms if each], [])
    whole = _joined(words)
    return Readings([*words, *map(_two, words, words[1:]), whole], [f"~{whole}"])


_NO_READING = Readings([], [])


def _two(first: str, second: str) -> str:
    return _met(first, second) if second[0] in _MEETING else first + second


@lru_cache(maxsize=16_384)
def _met(first: str, second: str) -> str:
    return sound(first + second)


def _joined(words: Iterable[str]) -> str:
    """Words as one: two vowels that meet are a long one, and so on."""
    together: list[str] = []
    for word in words:
        if together and word[:1] in _MEETING:  # changes nothing before the word that it meets
            together[-1] = _met(together[-1], word)
        else:
            together.append(word)
    return "".join(together)


def _sounds(text: str) -> list[str]:
    """The words of a reading by their sound, "" for those without one (Web beside kana); [] for other texts."""
    beginning = text[:_LONGEST]
    if not _READING(beginning):
        return []
    words = [sound(word) for word in _WORDS(beginning)[:_MOST_WORDS] if word]
    return words if all(words) or _KANA(beginning) else []
