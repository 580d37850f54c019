"""Cuts text into search terms: overlapping bigrams for scripts without blanks, whole words for the others. Pure.

Knows no engine. Terms come out in order, one a position, so that any engine with positions can answer a phrase:

    "吾輩ハ猫デアル"   ->  吾輩 輩ハ ハ猫 猫デ デア アル
    "大和web3月号"    ->  大和 和 web3 月 月号

A run of Japanese goes on over blanks and punctuation: "夏目, 漱石" is found as 夏目漱石, a reading printed with blanks
as one typed without. Where a run meets a word, its outermost character stands between the two as a term of its own;
so whatever part of a text is asked for, its terms are neighbours in the text as well.
"""

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metadata.text.folding import fold

# Scripts that are written without blanks: Thai to Khmer, Hangul, kana, bopomofo, kanji with 々〆〇.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa"
    "\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# "c++" and "c#" are words: the sign is all that tells them from "c".
_WORD = re.compile(rf"[a-z](?:\+\+|\#)(?![a-z0-9])|[^\W_{_UNSPACED}]+")
_WORDS_APART = re.compile(f"({_WORD.pattern})").split
_NOISE = re.compile(rf"[^\0\1 \n{_UNSPACED}]+")
# What nearly all texts are: two quick passes instead of two slow ones.
_PLAIN = re.compile(f"[ \n\1a-z0-9{_UNSPACED}]*").fullmatch
_PLAIN_WORDS_APART = re.compile("([a-z0-9]+)").split
# `fold` keeps "+", so that two lone ones still stand between two values after all have been folded in one go.
_BORDER = " + + "
_FIELD_BORDER = " + + + "
_WORD_HERE = "\0"  # `fold` makes it a blank, so no text has it
_WORD_BETWEEN = f"{_WORD_HERE} {_WORD_HERE}"  # what the pairing makes of it
_FIELD_HERE = "\1"  # the same between fields
_FIELD_BETWEEN = f"{_FIELD_HERE} {_FIELD_HERE}"
_FIRST_WORD, _LAST_WORD = f"{_FIELD_HERE}{_WORD_HERE}", f"{_WORD_HERE}{_FIELD_HERE}"  # of a field
_BLANK = array("I", " ".encode("utf-32-le"))


class Segments(NamedTuple):
    """The values of one field, cut: the terms in order, and the characters for searches for a single one."""

    terms: str
    characters: str  # as they come, not apart: each character is a term
    folded: str

    @property
    def keys(self) -> tuple[str, ...]:
        """Each value as a whole, without blanks."""
        return tuple(self.folded.replace(_BORDER, "\n").replace(" ", "").split("\n"))


_NOTHING = Segments("", "", "")


def segment(values: Iterable[str]) -> Segments:
    """All values of one field, folded and cut; no run goes on from one value into the next."""
    return _cut([fold(_BORDER.join(values))])[0]


def segment_fields(*fields: Sequence[str]) -> tuple[Segments, ...]:
    """`segment` of each field, folded and cut in one go, which costs a third less."""
    filled = [values for values in fields if values]
    parts = fold(_FIELD_BORDER.join(map(_BORDER.join, filled))).split(_FIELD_BORDER)
    # A sign of the text's own, or a value of which nothing is left, has made a border longer than it was.
    if len(parts) != len(filled) or any(part.startswith("+") or part.endswith("+ +") for part in parts):
        return tuple(map(segment, fields))
    found = iter(_cut(parts))
    return tuple([next(found) if values else _NOTHING for values in fields])


def _cut(parts: Sequence[str]) -> list[Segments]:
    """Fields that are folded, cut."""
    words = [_words_only(part) for part in parts]
    runs = iter(_cut_runs([part for part, text in zip(parts, words, strict=True) if text is None]))
    return [next(runs) if text is None else Segments(text, "", part) for part, text in zip(parts, words, strict=True)]


def _words_only(folded: str) -> str | None:
    """The terms of a field that has nothing but words in Latin letters."""
    if folded.isascii() and "#" not in folded and "+" not in (text := folded.replace(_BORDER, " ")):
        return text
    return None


def _cut_runs(parts: Sequence[str]) -> list[Segments]:
    if not parts:
        return []
    text = _FIELD_HERE.join(parts).replace(_BORDER, "\n")
    # Runs and words in turn, a run at both ends.
    pieces = _PLAIN_WORDS_APART(text) if (plain := _PLAIN(text)) else _WORDS_APART(text)
    stream = _WORD_HERE.join(pieces[::2])
    if not plain:
        stream = _NOISE.sub("", stream)
    stream = stream.replace(" ", "").replace("\n", " ")
    characters = stream.split(_FIELD_HERE)
    if not all(characters) and len(parts) > 1:  # without a run there is no pair with the border
        return [each for part in parts for each in _cut_runs([part])]
    terms = _with_words(stream, pieces) if len(pieces) > 1 else _pairs(stream)
    return list(map(Segments, _without_borders(terms, characters), characters, parts))


def _without_borders(terms: str, characters: Sequence[str]) -> Iterable[str]:
    """The terms of each field. At its borders are the halves of pairs with the border; one character has no others."""
    if len(characters) == 1:
        return (terms,)
    first, *others, last = terms.split(_FIELD_BETWEEN)
    inner = (first[:-2], *[each[2:-2] for each in others], last[2:])
    return [pairs or character for pairs, character in zip(inner, characters, strict=True)]


def terms(text: str) -> tuple[str, ...]:
    """The terms of one text, in order; () if nothing in it can be searched for."""
    return tuple(segment((text,)).terms.split())


def phrase(part: tuple[str, ...]) -> list[tuple[int, str]]:
    """What must stand where for the terms to be neighbours: of pairs every second one, and the last.

    A pair that follows two places after another shares its run, for a run's end is told by a single character.
    """
    places = list(enumerate(part))
    if any(_WORD.match(term) or len(term) == 1 for term in part):
        return places
    return places[:-1:2] + places[-1:]


def is_character(term: str) -> bool:
    """Whether a term is one character of an unspaced script, which `Segments.characters` answers."""
    return len(term) == 1 and not _WORD.match(term)


def _with_words(stream: str, pieces: list[str]) -> str:
    """The pairs of a stream with each word put back in its place."""
    # A pair needs two sides; and a run of one character is its own border.
    opened = f" {stream}" if stream[0] == _WORD_HERE else stream
    closed = f"{opened} " if stream[-1] == _WORD_HERE else opened
    if _FIELD_HERE in closed:
        closed = closed.replace(_FIRST_WORD, f"{_FIELD_HERE} {_WORD_HERE}")
        closed = closed.replace(_LAST_WORD, f"{_WORD_HERE} {_FIELD_HERE}")
    pieces[::2] = _pairs(closed).split(_WORD_BETWEEN)
    return " ".join(pieces)


def _pairs(stream: str) -> str:
    """ "abc" -> "ab bc". Strided copies in an array: two thirds less time than a string for each pair."""
    count = len(stream) - 1
    if count < 1:
        return stream
    codes = array("I", stream.encode("utf-32-le"))
    pairs = _BLANK * (3 * count - 1)
    pairs[::3], pairs[1::3] = codes[:-1], codes[1:]
    return pairs.tobytes().decode("utf-32-le")
