"""Where the words of a search stand in a text as printed. Pure; knows no page.

Compared is what the search compares, folded letter by letter, in any of its spellings: 広辞苑 is found by 廣辭苑.
Only for the eye: what is not marked was found all the same, by a reading or in another field.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from aggregator.search.query.spellings import spellings
from aggregator.search.tree import Node, Not, Phrase, Word, children
from metadata.text.folding import fold, fold_tight

_PARTS = re.compile(r"[^\w\s+#'’ー・]+")  # 夏目,漱石 is two words
_LETTER = re.compile(r"[a-z0-9]")
LONG_VOWEL = "ー"  # folded away: コンピュータ and コンピューター are one word
LONGEST = 500  # characters of a text that are looked at


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and whether it was looked for."""

    text: str
    found: bool = False


def words(fields: Collection[str], *trees: Node) -> tuple[str, ...]:
    """What is looked for in one of these fields, folded; what is excluded is not."""
    sought = (leaf for tree in trees for leaf in _wanted(tree) if leaf.field in fields)
    return tuple(sorted({form for leaf in sought for form in _forms(leaf)} - {""}))


def _wanted(tree: Node) -> Iterator[Word | Phrase]:
    if isinstance(tree, Word | Phrase):
        yield tree
    if not isinstance(tree, Not):
        for child in children(tree):
            yield from _wanted(child)


def _forms(leaf: Word | Phrase) -> Iterable[str]:
    if isinstance(leaf, Phrase):
        return (fold(leaf.text),)
    return [fold_tight(part) for text in (leaf.text, *spellings(leaf.text)) for part in _PARTS.split(text)]


def pieces(text: str, wanted: Collection[str]) -> list[Piece]:
    """The text cut where a wanted word begins or ends; joined again they are the text."""
    if not wanted:
        return [Piece(text)] if text else []
    folded, places = folded_with_places(text[:LONGEST])
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


def folded_with_places(text: str) -> tuple[str, list[int]]:
    """The folded letters, and for each the place in the text that it comes from; a blank stays one."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        folded = _fold_letter(character)
        letters.append(folded)
        places += [place] * len(folded)
    return "".join(letters), places


@lru_cache(maxsize=4096)  # texts are made of the same few thousand letters
def _fold_letter(character: str) -> str:
    return fold_tight(character) or (" " if character.isspace() else "")


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
