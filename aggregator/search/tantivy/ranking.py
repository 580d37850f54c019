"""Which of the documents found come first: the known item. Knows scores; finds nothing by itself.

Constants stand above any sum of the scores of terms: a whole title first, then a title with its volume, then one that
is a part of what was typed (こころ in "こころ 夏目漱石"), whatever else was found more often.
"""

from collections.abc import Iterator

from tantivy import Query as Engine

from aggregator.search.query.words import key
from aggregator.search.tantivy.schema import SCHEMA, exact
from aggregator.search.titles import beginning, proper_key, sound_key
from aggregator.search.tree import All, Node, Phrase, Word

WHOLE = 10_000.0
SOUNDS_WHOLE = 8_000.0
PROPER = 5_000.0  # without the subtitle, or with the volume in another form
PART = 1_000.0
LONGER = 50.0  # for each further word that belongs to the part
BEGINS = 10.0
MOST_WORDS = 8  # of those typed whose neighbours are tried as a title


def whole_title(text: str) -> Engine:
    """Documents with just this title; every sign of it may stand for itself."""
    return _exact(key(text), WHOLE)


def preferred(text: str, tree: Node) -> Iterator[Engine]:
    """What a document may have besides what it must have, each with what it is worth."""
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
    start = beginning(words[0] if words else text)
    if start:
        yield Engine.const_score_query(Engine.term_query(SCHEMA, "start", start), BEGINS)


def _words(tree: Node) -> list[str]:
    """The first words that must be found, in their order."""
    found = [each.text for each in (tree.of if isinstance(tree, All) else (tree,)) if isinstance(each, Word | Phrase)]
    return found[:MOST_WORDS]


def _part(words: list[str]) -> Iterator[Engine]:
    text, worth = " ".join(words), PART + LONGER * len(words)
    yield _exact(key(text), worth)
    if sound := sound_key(text):
        yield _exact(sound, worth - LONGER)


def _exact(whole: str, score: float) -> Engine:
    return Engine.const_score_query(Engine.term_query(SCHEMA, "exact", exact(whole)), score)
