"""Finds the words of a search in a printed text, to mark them. No database access.

It compares as the search does, folded letter by letter and in all spellings: 広辞苑 is found by 廣辭苑. Marks are only
an aid for the eye: a hit without any was found by a reading or in another field.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

import msgspec

from aggregator.search.query.spellings import other_spellings
from aggregator.search.tree import Node, Not, Phrase, Word, children
from metadata.text.folding import fold, fold_tight

_PARTS = re.compile(r"[^\w\s+#'’ー・]+")  # separators within a word: 夏目,漱石 is two words
_LETTER = re.compile(r"[a-z0-9]")
LONG_VOWEL = "ー"  # dropped by folding: コンピュータ and コンピューター are one word
LONGEST = 500  # characters of a text that are searched


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A part of a text, and whether it is a word of the search."""

    text: str
    found: bool = False


def words(fields: Collection[str], *trees: Node) -> tuple[str, ...]:
    """Return the words that a search looks for in one of these fields, folded; excluded words are left out."""
    searched = (leaf for tree in trees for leaf in _leaves(tree) if leaf.field in fields)
    return tuple(sorted({form for leaf in searched for form in _forms(leaf)} - {""}))


def _leaves(tree: Node) -> Iterator[Word | Phrase]:
    if isinstance(tree, Word | Phrase):
        yield tree
    if not isinstance(tree, Not):
        for child in children(tree):
            yield from _leaves(child)


def _forms(leaf: Word | Phrase) -> Iterable[str]:
    if isinstance(leaf, Phrase):
        return (fold(leaf.text),)
    return [fold_tight(part) for text in (leaf.text, *other_spellings(leaf.text)) for part in _PARTS.split(text)]


def pieces(text: str, wanted: Collection[str]) -> list[Piece]:
    """Return the text cut where a word begins or ends; joined again, the pieces are the text."""
    if not wanted:
        return [Piece(text)] if text else []
    folded, places = folded_with_places(text[:LONGEST])
    matches = sorted((first, -last) for word in wanted for first, last in _spans(folded, word))
    result: list[Piece] = []
    done = 0
    for first, last in matches:  # of words that begin at the same place the longest comes first
        start, end = places[first], places[-last - 1] + 1
        end += text[end:].startswith(LONG_VOWEL)
        if start >= done:
            result += [Piece(text[done:start]), Piece(text[start:end], True)]
            done = end
    return [piece for piece in (*result, Piece(text[done:])) if piece.text]


def folded_with_places(text: str) -> tuple[str, list[int]]:
    """Return the folded letters, and for each of them its place in the text; a blank stays a blank."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        folded = _fold_letter(character)
        letters.append(folded)
        places += [place] * len(folded)
    return "".join(letters), places


@lru_cache(maxsize=4096)  # texts consist of the same few thousand characters
def _fold_letter(character: str) -> str:
    return fold_tight(character) or (" " if character.isspace() else "")


def _spans(folded: str, word: str) -> Iterable[tuple[int, int]]:
    """Yield the places of a word as (start, end); a word in Latin letters counts only as a whole."""
    start = folded.find(word)
    while start >= 0:
        end = start + len(word)
        if not (_inside_word(folded, start) or _inside_word(folded, end)):
            yield start, end
        start = folded.find(word, end)


def _inside_word(folded: str, place: int) -> bool:
    """Return whether there are Latin letters or digits on both sides of a place."""
    return bool(0 < place < len(folded) and _LETTER.match(folded[place - 1]) and _LETTER.match(folded[place]))
