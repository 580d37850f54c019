"""A query as a function of a document: its score, or None where the document is not found. Plain, and slow."""

import re
from collections.abc import Callable, Iterable, Sequence
from math import log2

from aggregator.search.base import CHOICES, TEXTS, Query
from aggregator.search.query.language import check_length, parse
from aggregator.search.query.limits import count_words
from aggregator.search.query.segment import is_character
from aggregator.search.query.spellings import spellings, volumes
from aggregator.search.query.words import Parts, codes, codes_in, key, looked_for, parts, phrase_parts
from aggregator.search.titles import beginning, joined_sound, proper_key, sound_key
from aggregator.search.tree import (
    NOTHING,
    All,
    Changed,
    Choice,
    Either,
    Masked,
    Node,
    Not,
    Phrase,
    Whole,
    Word,
    Years,
)
from metadata.text.folding import fold_tight
from tests.aggregator.search.reference_document import Held, year_of

LARGEST_YEAR = 9999
NUMBER, WHOLE, SOUND, PROPER, PART, BEGINS = 20_000.0, 10_000.0, 8_000.0, 5_000.0, 1_000.0, 10.0
WORTH = {"title": 4.0, "creator": 2.0, "publisher": 1.0, "subject": 1.0, "texts": 1.0}
Score = float | None
Holds = Callable[[Held], Score]


def found_by(query: Query) -> Holds:
    """Everything that must hold, and nothing of what is excluded. Raises QueryError."""
    wanted = [_typed(name, getattr(query, name)) for name in TEXTS if getattr(query, name).strip()]
    if query.tree != NOTHING:
        wanted.append(_tree(query.tree, ""))
    wanted += [_choices(name, values) for name, field in CHOICES.items() if (values := getattr(query, field))]
    wanted += [_choices("online", ("1",))] if query.online else []
    if query.from_year or query.until_year:
        wanted.append(_years(query.from_year, query.until_year))
    if query.changed_from or query.changed_until:
        wanted.append(_changed(query.changed_from, query.changed_until))
    unwanted = [_excluded(name, value) for name, value in query.excluded if value.strip()]
    holds = _without(_all(wanted), unwanted)

    def scored(held: Held) -> Score:
        score = holds(held)
        return None if score is None else score * _weight(held)

    return scored


def _weight(held: Held) -> float:
    """More holdings, and then a later year, decide among equals."""
    year = year_of(held.document)
    later = 2e-5 * (year - 1000) if 1000 < year < 2100 else 0
    return 1 + 0.05 * log2(max(held.document.holdings, 1)) + later


def _excluded(name: str, value: str) -> Holds:
    return _choices(name, (value,)) if name in CHOICES or name == "online" else _typed(name, value)


def _typed(name: str, text: str) -> Holds:
    check_length(text, name)
    field = "" if name == "q" else name
    tree = Word(text, field) if name in ("isbn", "issn") else parse(text, field)
    holds = _tree(tree, name)
    if name not in ("q", "title"):
        return holds
    if not isinstance(tree, Word | Phrase):
        numbers = [_number("", text)] if name == "q" else []
        holds = _either([holds, _whole(key(text), WHOLE), *numbers])
    known = [(key(text), WHOLE), (sound_key(text), SOUND), (proper_key(text), PROPER), *_parts_of(tree)]
    start = beginning(text)

    def with_title(held: Held) -> Score:
        score = holds(held)
        if score is None:
            return None
        return score + sum(worth for whole, worth in known if whole in held.wholes) + BEGINS * (start in held.starts)

    return with_title


def _parts_of(tree: Node) -> Iterable[tuple[str, float]]:
    """Some of the words that stand together may be a title."""
    words = [each.text for each in (tree.of if isinstance(tree, All) else (tree,)) if isinstance(each, Word | Phrase)]
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            if last - first < len(words):
                text = " ".join(words[first:last])
                yield key(text), PART + 50 * (last - first)
                yield sound_key(text), PART


def _tree(tree: Node, name: str) -> Holds:
    count_words(tree, name)
    return _node(tree) or (lambda _held: None)


def _node(node: Node) -> Holds | None:
    """None for what has nothing in it to look for."""
    match node:
        case Word() | Phrase():
            return _leaf(node) if phrase_parts(node.text) or codes(node.text) else None
        case Not():
            unwanted = _node(node.of)
            return _without(_all([]), [unwanted]) if unwanted else None
        case Either():
            found = [holds for each in node.of if (holds := _node(each))]
            return _either(found) if found else None
        case All():
            wanted = [holds for each in node.of if not isinstance(each, Not) and (holds := _node(each))]
            unwanted = [holds for each in node.of if isinstance(each, Not) and (holds := _node(each.of))]
            return _without(_all(wanted), unwanted) if wanted or unwanted else None
    return _condition(node)


def _condition(node: Node) -> Holds:
    match node:
        case Years():
            return _years(node.first, node.last)
        case Changed():
            return _changed(node.first, node.last)
        case Choice():
            return _choices(node.name, (node.value,))
        case Whole():
            return _whole(key(node.text), WHOLE)
        case Masked():
            return _masked(node)
    raise TypeError(node)


def _all(wanted: Sequence[Holds]) -> Holds:
    def holds(held: Held) -> Score:
        scores = [each(held) for each in wanted]
        return None if None in scores else 1e-9 + sum(each for each in scores if each is not None)

    return holds


def _either(some: Sequence[Holds]) -> Holds:
    def holds(held: Held) -> Score:
        scores = [score for each in some if (score := each(held)) is not None]
        return max(scores) + 0.1 * (sum(scores) - max(scores)) if scores else None

    return holds


def _without(wanted: Holds, unwanted: Sequence[Holds]) -> Holds:
    return lambda held: None if any(each(held) is not None for each in unwanted) else wanted(held)


def _if(condition: Callable[[Held], bool], score: float = 0.0) -> Holds:
    return lambda held: score if condition(held) else None


def _years(first: int, last: int) -> Holds:
    return _if(lambda held: max(first, 1) <= year_of(held.document) <= (last or LARGEST_YEAR))


def _changed(first: int, last: int) -> Holds:
    return _if(lambda held: first <= held.document.changed and (not last or held.document.changed <= last))


def _whole(whole: str, score: float) -> Holds:
    return _if(lambda held: whole in held.wholes, score)


def _choices(name: str, values: Sequence[str]) -> Holds:
    """One of the values must hold."""
    wanted = {fold_tight(each) or each for each in values} if name.endswith("_is") else {*values}

    def holds(held: Held) -> bool:
        document = held.document
        if name == "ndc":
            return any(number.startswith(value) for number in document.ndcs for value in values)
        if name == "online":
            return document.online
        column = {"subject_is": "headings", "creator_is": "names", "publisher_is": "houses"}.get(name, f"{name}s")
        stored = getattr(document, "repositories" if name == "repository" else column)
        return any((fold_tight(each) or each if name.endswith("_is") else each) in wanted for each in stored)

    return _if(holds)


def _masked(node: Masked) -> Holds:
    marks = {"*": ".*", "?": "."}
    pattern = "".join(marks.get(each) or re.escape(fold_tight(each)) for each in re.split(r"([*?])", node.pattern))
    fits = re.compile(pattern).fullmatch
    fields = [node.field] if node.field else list(WORTH)
    return _if(lambda held: any(fits(term) for field in fields for term in held.terms[field]), 1.0)


def _number(field: str, text: str) -> Holds:
    forms = set(codes_in(field, text))
    return _if(lambda held: not forms.isdisjoint(held.issns if field == "issn" else held.codes), NUMBER)


def _leaf(leaf: Word | Phrase) -> Holds:
    if leaf.field == "ndc":
        return _choices("ndc", (leaf.text,))
    if leaf.field in ("isbn", "issn", "identifier"):
        return _number(leaf.field, leaf.text)
    if isinstance(leaf, Phrase):
        sounding = _sounding(joined_sound(leaf.text), leaf.field)
        return _either([_together(phrase_parts(leaf.text), leaf.field), *sounding])
    looked = looked_for(leaf.text)
    found = [_together(looked.parts, leaf.field)] if looked.parts else []
    found += _sounding(looked.sound, leaf.field)
    found += [_together(parts(other), leaf.field) for other in spellings(leaf.text)]
    if leaf.field in ("", "title"):
        found += [_together(parts(other), "title") for other in volumes(leaf.text)]
    if not leaf.field:
        found += [_years(looked.year, looked.year)] if looked.year else []
        found += [_number("", leaf.text)] if looked.codes else []
    return _either(found)


def _sounding(sound: str, field: str) -> list[Holds]:
    if not sound:
        return []
    fields = [name for name in ("title", "creator") if field in ("", name)]
    return [_if(lambda held, name=name: sound in held.sounds[name], WORTH[name] / 2) for name in fields]


def _together(found: Parts, field: str) -> Holds:
    return _all([_neighbours(part, field) for part in found])


def _neighbours(part: tuple[str, ...], field: str) -> Holds:
    """The terms stand next to each other in one of the fields; what fills more of a short field is worth more."""
    fields = [field] if field else list(WORTH)

    def one(name: str) -> Holds:
        def stands(held: Held) -> Score:
            if len(part) == 1 and is_character(part[0]):
                fits = part[0] in held.characters[name]
            else:
                row = held.terms[name]
                fits = any(tuple(row[at : at + len(part)]) == part for at, each in enumerate(row) if each == part[0])
            return WORTH[name] * (1 + len(part) / (1 + len(held.terms[name]))) if fits else None

        return stands

    return _either([one(name) for name in fields])
