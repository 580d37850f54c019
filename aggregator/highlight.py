"""Where the words of a search stand in a text as printed. Pure; knows no query and no page.

Compared is what the search compares, folded letter by letter: 漱石 is found by ソウセキ nowhere, but 広辞苑 by 廣辭苑.
Only for the eye: what is not marked was found all the same, by a reading or in another field.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from metadata.text import fold_tight

_WORD = re.compile(r"[^\s\"“”「」『』()（）\[\],、。，・:：;；/／|!！?？&＆=＝]+")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_LETTER = re.compile(r"[a-z0-9]")
LONG_VOWEL = "ー"  # folded away: コンピュータ and コンピューター are one word
LONGEST = 500  # characters of a text that are looked at


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and whether it was looked for."""

    text: str
    found: bool = False


def words(*texts: str) -> tuple[str, ...]:
    """The folded words of what was typed, excluded words are none."""
    typed = (word for text in texts for word in _WORD.findall(text) if word not in _OPERATORS and word[0] not in "-－")
    return tuple(sorted({fold_tight(word) for word in typed} - {""}))


def pieces(text: str, wanted: Iterable[str]) -> list[Piece]:
    """The text cut where a wanted word begins or ends; joined again they are the text."""
    folded, places = _folded(text[:LONGEST])
    found = sorted((first, -last) for word in wanted for first, last in _spans(folded, word))
    cut: list[Piece] = []
    done = 0
    for first, last in found:  # of those that begin together the longest first
        start, end = places[first], places[-last - 1] + 1
        end += text[end:].startswith(LONG_VOWEL)
        if start >= done:
            cut += [Piece(text[done:start]), Piece(text[start:end], True)]
            done = end
    return [piece for piece in (*cut, Piece(text[done:])) if piece.text]


def _folded(text: str) -> tuple[str, list[int]]:
    """The folded letters, and for each the place in the text that it comes from; a blank stays one."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        folded = fold_tight(character) or (" " if character.isspace() else "")
        letters.append(folded)
        places += [place] * len(folded)
    return "".join(letters), places


def _spans(folded: str, word: str) -> Iterable[tuple[int, int]]:
    """Where a word stands; one of Latin letters only as a whole."""
    start = folded.find(word)
    while start >= 0:
        end = start + len(word)
        if not (_joined(folded, start) or _joined(folded, end)):
            yield start, end
        start = folded.find(word, end)


def _joined(folded: str, place: int) -> bool:
    """Whether Latin letters or digits stand on both sides of a place."""
    return bool(0 < place < len(folded) and _LETTER.match(folded[place - 1]) and _LETTER.match(folded[place]))
