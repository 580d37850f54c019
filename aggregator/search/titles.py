"""The forms of a title that a whole title typed by somebody is compared with, and readings. Pure; knows no engine."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from aggregator.matching.numbering import volume_form
from aggregator.matching.titles import split_title
from metadata.sounds import sound
from metadata.text import fold_tight

_LONGEST = 200  # characters of a title that its forms are made from
_BETWEEN = r"\s,，、。.・/／:：;；()（）\[\]=＝「」『』〈〉!！?？&＆~〜～"
_WORDS = re.compile(f"[{_BETWEEN}]+").split
_READING = re.compile(f"[{_BETWEEN}ぁ-ゖァ-ヿｦ-ﾟa-zA-Z0-9\u00c0-\u024f'’ʼ-]+").fullmatch
_KANA = re.compile("[ぁ-ゖァ-ヺｦ-ﾟ]").search
_MOST_WORDS = 40  # of one reading


def proper_key(title: str, volume: str = "") -> str:
    """A title without its subtitle, with its volume in one form: 火の鳥 第2巻 and "火の鳥. 2 : 未来編" are the same."""
    found = split_title(title[:_LONGEST])
    number = volume or found.volume
    return f"<{fold_tight(found.core)}{volume_form(number) if number else ''}"


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


def sounds(texts: Iterable[str]) -> Iterator[str]:
    """What readings are found by: each word, two words that may be typed as one, and the whole."""
    for text in texts:
        words = _sounds(text)
        yield from filter(None, words)
        yield from (_joined(pair) for pair in pairwise(words) if all(pair))
        if len(words) > 2 and all(words):
            yield _joined(words)


def _joined(words: Iterable[str]) -> str:
    return sound("".join(words))


def _sounds(text: str) -> list[str]:
    """The words of a reading by their sound, "" for those without one (Web beside kana); [] for other texts."""
    beginning = text[:_LONGEST]
    if not _READING(beginning):
        return []
    words = [sound(word) for word in _WORDS(beginning)[:_MOST_WORDS] if word]
    return words if all(words) or _KANA(beginning) else []
