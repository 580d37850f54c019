"""Split text into search terms: overlapping bigrams for scripts without spaces, whole words for others. Independent of
the search engine.

Terms are in order, one per position, so any engine with positions can answer a phrase query:

    "吾輩ハ猫デアル"   ->  吾輩 輩ハ ハ猫 猫デ デア アル
    "大和web3月号"    ->  大和 和 web3 月 月号

A run of Japanese continues across spaces and punctuation: "夏目, 漱石" is found as 夏目漱石, and a reading printed
with spaces like one typed without. Where a run meets a word, the run's outermost character is an extra term between
them. So the terms of any part of a text are adjacent in the text as well.
"""

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metadata.text.folding import fold

# Scripts written without spaces: Thai to Khmer, Hangul, kana, bopomofo, kanji with 々〆〇.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa"
    "\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# "c++" and "c#" are words: only the sign distinguishes them from "c".
_WORD = re.compile(rf"[a-z](?:\+\+|\#)(?![a-z0-9])|[^\W_{_UNSPACED}]+")
_SPLIT_WORDS = re.compile(f"({_WORD.pattern})").split
_NOISE = re.compile(rf"[^\0\1 \n{_UNSPACED}]+")
# Nearly all texts match these two fast patterns, which replace two slow ones.
_PLAIN = re.compile(f"[ \n\1a-z0-9{_UNSPACED}]*").fullmatch
_SPLIT_PLAIN_WORDS = re.compile("([a-z0-9]+)").split
# Joins values that are folded in one go: `fold` leaves "+" unchanged, so two of them still mark where a value ends.
_BORDER = " + + "
_SIGNS = _BORDER.count("+")
_FIELD_BORDER = " + + + "
_WORD_MARK = "\0"  # stands for a word between runs; `fold` turns it into a space, so no text has it
_WORD_BORDER = f"{_WORD_MARK} {_WORD_MARK}"  # the form of a word mark after `_pairs`
_FIELD_MARK = "\1"  # stands for the border between fields; no folded text has it
_FIELD_PAIR_BORDER = f"{_FIELD_MARK} {_FIELD_MARK}"
# a word at the beginning or end of a field
_FIRST_WORD, _LAST_WORD = f"{_FIELD_MARK}{_WORD_MARK}", f"{_WORD_MARK}{_FIELD_MARK}"
_BLANK = array("I", " ".encode("utf-32-le"))


class Segments(NamedTuple):
    """The values of one field, split: the terms in order, and the single characters, for searches of one character."""

    terms: str
    characters: str  # concatenated: every character is a term
    folded: str

    @property
    def values(self) -> tuple[str, ...]:
        """Each value folded as a whole, without those that fold to nothing; () where a plus sign may have changed a
        border.
        """
        values = tuple(self.folded.split(_BORDER))
        if self.folded.count("+") == _SIGNS * (len(values) - 1):  # those of the borders
            return values
        return () if any(value[:1] == "+" or value[-1:] == "+" for value in values) else values

    @property
    def keys(self) -> tuple[str, ...]:
        """Each value as a whole, without spaces."""
        return tuple(self.folded.replace(_BORDER, "\n").replace(" ", "").split("\n"))


_NOTHING = Segments("", "", "")


def segment(values: Iterable[str]) -> Segments:
    """Fold and split all values of one field; no run extends across two values."""
    return _cut([fold(_BORDER.join(values))])[0]


def segment_fields(*fields: Sequence[str]) -> tuple[Segments, ...]:
    """`segment` for each field, folded and split in one go, which costs a third less."""
    filled = [values for values in fields if values]
    parts = fold(_FIELD_BORDER.join(map(_BORDER.join, filled))).split(_FIELD_BORDER)
    # A plus sign in the text, or a value that folds to nothing, has changed a border.
    if len(parts) != len(filled) or any(part.startswith("+") or part.endswith("+ +") for part in parts):
        return tuple(map(segment, fields))
    segments = iter(_cut(parts))
    return tuple([next(segments) if values else _NOTHING for values in fields])


def _cut(parts: Sequence[str]) -> list[Segments]:
    """Split fields that are already folded."""
    words = [_words_only(part) for part in parts]
    runs = iter(_cut_runs([part for part, text in zip(parts, words, strict=True) if text is None]))
    return [next(runs) if text is None else Segments(text, "", part) for part, text in zip(parts, words, strict=True)]


def _words_only(folded: str) -> str | None:
    """The terms of a field that contains only words in Latin letters, else None."""
    if folded.isascii() and "#" not in folded and "+" not in (text := folded.replace(_BORDER, " ")):
        return text
    return None


def _cut_runs(parts: Sequence[str]) -> list[Segments]:
    if not parts:
        return []
    text = _FIELD_MARK.join(parts).replace(_BORDER, "\n")
    # Runs and words alternate, with a run at both ends.
    pieces = _SPLIT_PLAIN_WORDS(text) if (plain := _PLAIN(text)) else _SPLIT_WORDS(text)
    stream = _WORD_MARK.join(pieces[::2])
    if not plain:
        stream = _NOISE.sub("", stream)
    stream = stream.replace(" ", "").replace("\n", " ")
    characters = stream.split(_FIELD_MARK)
    if not all(characters) and len(parts) > 1:  # an empty field has no character to form a pair with the border
        return [segments for part in parts for segments in _cut_runs([part])]
    terms = _with_words(stream, pieces) if len(pieces) > 1 else _pairs(stream)
    return list(map(Segments, _without_borders(terms, characters), characters, parts))


def _without_borders(terms: str, characters: Sequence[str]) -> Iterable[str]:
    """The terms of each field without the pairs formed with its borders; a field of one character has no others."""
    if len(characters) == 1:
        return (terms,)
    first, *others, last = terms.split(_FIELD_PAIR_BORDER)
    inner = (first[:-2], *[field_terms[2:-2] for field_terms in others], last[2:])
    return [pairs or character for pairs, character in zip(inner, characters, strict=True)]


def terms(text: str) -> tuple[str, ...]:
    """The terms of one text, in order; () if it has nothing to search for."""
    return tuple(segment((text,)).terms.split())


def phrase(part: tuple[str, ...]) -> list[tuple[int, str]]:
    """The (position, term) pairs that a phrase query needs: of overlapping bigrams, every second one and the last.

    Two bigrams at a distance of two positions are in the same run, because a run that meets a word ends with a single
    character.
    """
    positions = list(enumerate(part))
    if any(_WORD.match(term) or len(term) == 1 for term in part):
        return positions
    return positions[:-1:2] + positions[-1:]


def is_character(term: str) -> bool:
    """Whether a term is one character of a script without spaces, which is searched in `Segments.characters`."""
    return len(term) == 1 and not _WORD.match(term)


def _with_words(stream: str, pieces: list[str]) -> str:
    """The pairs of a stream of characters, with the words of `pieces` put back where the stream has word marks."""
    # If the text begins or ends with a word, a space stands for the missing run of Japanese, so that `_pairs` forms a
    # border beside the word.
    opened = f" {stream}" if stream[0] == _WORD_MARK else stream
    closed = f"{opened} " if stream[-1] == _WORD_MARK else opened
    if _FIELD_MARK in closed:
        closed = closed.replace(_FIRST_WORD, f"{_FIELD_MARK} {_WORD_MARK}")
        closed = closed.replace(_LAST_WORD, f"{_WORD_MARK} {_FIELD_MARK}")
    pieces[::2] = _pairs(closed).split(_WORD_BORDER)
    return " ".join(pieces)


def _pairs(stream: str) -> str:
    """ "abc" -> "ab bc". Strided copies in an array take a third of the time of a string per pair."""
    count = len(stream) - 1
    if count < 1:
        return stream
    codes = array("I", stream.encode("utf-32-le"))
    pairs = _BLANK * (3 * count - 1)
    pairs[::3], pairs[1::3] = codes[:-1], codes[1:]
    return pairs.tobytes().decode("utf-32-le")
