"""Forms of titles to which a whole typed title is compared, and forms of readings. Independent of the search engine."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from aggregator.matching.features.numbering import volume_form
from aggregator.matching.features.titles import split_title
from metadata.text.folding import fold_tight
from metadata.text.romaji import sound

_LONGEST = 200  # characters of a title from which its forms are made
_SEPARATORS = r"\s,，、。.・/／:：;；()（）\[\]=＝「」『』〈〉!！?？&＆~〜～"
_WORDS = re.compile(f"[{_SEPARATORS}]+").split
_READING = re.compile(f"[{_SEPARATORS}ぁ-ゖァ-ヿｦ-ﾟa-zA-Z0-9\u00c0-\u024f'’ʼ-]+").fullmatch
_KANA = re.compile("[ぁ-ゖァ-ヺｦ-ﾟ]").search
_JOINING_SOUNDS = frozenset("aiueoyw")
_MAIN_FORMS = 4
# Without any of these characters a title has no subtitle, volume or other statement.
_HAS_MORE = re.compile(
    r"[:：;；,=＝/／()（）\[\]［］〔〕‐―—─~〜～\-－.．0-9０-９一二三四五六七八九十上中下前後版補訂IVX]|  |　"
).search
_MOST_WORDS = 40  # of one reading


def proper_key(title: str) -> str:
    """A title without subtitle and with its volume in one form: 火の鳥 第2巻 and "火の鳥. 2 : 未来編" have the same
    key.
    """
    parts = split_title(title[:_LONGEST])
    return f"<{fold_tight(parts.core)}{volume_form(parts.volume) if parts.volume else ''}"


def proper_keys(titles: Sequence[str], keys: Sequence[str]) -> Iterator[str]:
    """Yield the `proper_key` of the first titles, as many as can be forms of the main title. keys: the same titles, in
    their order, folded.
    """
    for title, key in zip(titles[:_MAIN_FORMS], keys, strict=False):
        yield proper_key(title) if _HAS_MORE(title) else f"<{key}"


def sound_key(text: str) -> str:
    """The key of a whole title by its sound, that is its reading in Latin letters; "" if `joined_sound` is empty."""
    joined = joined_sound(text)
    return f"~{joined}" if joined else ""


def joined_sound(text: str) -> str:
    """The sound of a text as if it were one word; "" if the text is not entirely in kana or Latin letters."""
    words = _sounds(text) if len(text) <= _LONGEST else []
    return _joined(words) if words and all(words) else ""


def first_characters(text: str) -> str:
    """The first two characters, "" for a shorter text."""
    folded = fold_tight(text[:8])[:2]
    return folded if len(folded) == 2 else ""


class Readings(NamedTuple):
    """The terms by which readings are found.

    terms: each word, two words that may be typed as one, and the whole reading. wholes: see `sound_key`.
    """

    terms: tuple[str, ...]
    wholes: tuple[str, ...]


def readings(texts: Iterable[str]) -> Readings:
    """The search terms of those texts that are readings, each once."""
    found = [reading for reading in map(_reading, texts) if reading is not _NO_READING]
    if len(found) == 1:
        return found[0]
    terms = dict.fromkeys(chain.from_iterable([reading.terms for reading in found]))
    wholes = dict.fromkeys(chain.from_iterable([reading.wholes for reading in found]))
    return Readings(tuple(terms), tuple(wholes))


@lru_cache(maxsize=4096)  # the same persons and publishers recur
def _reading(text: str) -> Readings:
    words = _sounds(text)
    if not words:
        return _NO_READING
    if not all(words):
        terms = [*words, *[_joined_pair(*pair) for pair in pairwise(words) if all(pair)]]
        return Readings(tuple(dict.fromkeys(filter(None, terms))), ())
    whole = _joined(words)
    return Readings(tuple(dict.fromkeys((*words, *map(_joined_pair, words, words[1:]), whole))), (f"~{whole}",))


_NO_READING = Readings((), ())


def _joined_pair(first: str, second: str) -> str:
    return _sound_of_pair(first, second) if second[0] in _JOINING_SOUNDS else first + second


@lru_cache(maxsize=16_384)
def _sound_of_pair(first: str, second: str) -> str:
    return sound(first + second)


def _joined(words: Iterable[str]) -> str:
    """Words joined as one: two vowels that meet become a long one, and so on."""
    sounds: list[str] = []
    for word in words:
        if sounds and word[:1] in _JOINING_SOUNDS:  # joining changes the sound
            sounds[-1] = _sound_of_pair(sounds[-1], word)
        else:
            sounds.append(word)
    return "".join(sounds)


def _sounds(text: str) -> list[str]:
    """The words of a reading by sound, "" for words without one (Web beside kana); [] for texts that are not
    readings.
    """
    beginning = text[:_LONGEST]
    if not _READING(beginning):
        return []
    words = [sound(word) for word in _WORDS(beginning)[:_MOST_WORDS] if word]
    return words if all(words) or _KANA(beginning) else []
