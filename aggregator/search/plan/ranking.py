"""Boosts for books whose title was typed, so that they come first. Changes scores only, not what is found.

The constants exceed any sum of term scores: a whole title first, then a title with its volume, then a title that is
part of the typed text (こころ in "こころ 夏目漱石"), however often the terms occur elsewhere.
"""

from collections.abc import Iterator

from aggregator.search.analysis.fields import exact_term
from aggregator.search.plan.nodes import Constant, Plan, Term
from aggregator.search.query.words import title_key
from aggregator.search.titles import first_characters, proper_key, sound_key
from aggregator.search.tree import All, Node, Phrase, Word

WHOLE = 10_000.0
SOUNDS_WHOLE = 8_000.0
PROPER = 5_000.0  # without the subtitle, or with the volume in another form
PART = 1_000.0
LONGER = 50.0  # for every word of the part
BEGINS = 10.0
MOST_WORDS = 8  # typed words whose sequences are tried as a title


def whole_title(text: str) -> Plan:
    """Documents with exactly this title; every sign is taken literally."""
    return _exact(title_key(text), WHOLE)


def preferred(text: str, tree: Node) -> Iterator[Plan]:
    """Clauses that raise the scores of books whose title is in the text or begins like it. They exclude no book."""
    yield whole_title(text)
    sound = sound_key(text)
    if sound:
        yield _exact(sound, SOUNDS_WHOLE)
    yield _exact(proper_key(text), PROPER)
    words = _words(tree)
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            if last - first < len(words):
                yield from _part(words[first:last])
    start = first_characters(words[0] if words else text)
    if start:
        yield Constant(Term("start", start), BEGINS)


def _words(tree: Node) -> list[str]:
    """The first words that must be found, in order."""
    words = [node.text for node in (tree.of if isinstance(tree, All) else (tree,)) if isinstance(node, Word | Phrase)]
    return words[:MOST_WORDS]


def _part(words: list[str]) -> Iterator[Plan]:
    text, worth = " ".join(words), PART + LONGER * len(words)
    yield _exact(title_key(text), worth)
    if sound := sound_key(text):
        yield _exact(sound, worth - LONGER)


def _exact(whole: str, score: float) -> Plan:
    return Constant(Term("exact", exact_term(whole)), score)
