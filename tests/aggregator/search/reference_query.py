"""A query as a function of a document that returns its score, or None if it does not match. Simple and slow."""

import re
from collections.abc import Callable, Iterable, Sequence
from math import log2

from aggregator.search.base import CHOICES, FLAGS, SHORTEST_NAME, TEXTS, Query
from aggregator.search.query.language import check_length, parse
from aggregator.search.query.limits import count_words
from aggregator.search.query.segment import is_character
from aggregator.search.query.spellings import other_spellings, volume_forms
from aggregator.search.query.words import (
    NUMBERS,
    Parts,
    codes,
    codes_in,
    number_tree,
    phrase_parts,
    title_key,
    word_forms,
    word_parts,
)
from aggregator.search.titles import first_characters, joined_sound, proper_key, sound_key
from aggregator.search.tree import (
    NOTHING,
    All,
    Changed,
    Choice,
    Days,
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
from tests.aggregator.search.reference_document import IndexedDocument, year_of

LARGEST_YEAR = 9999
NUMBER, WHOLE, SOUND, PROPER, PART, BEGINS = 20_000.0, 10_000.0, 8_000.0, 5_000.0, 1_000.0, 10.0
BOOSTS = {
    "title": 4.0,
    "creator": 2.0,
    "publisher": 1.0,
    "subject": 1.0,
    "journal": 1.0,
    "digitizer": 1.0,
    "texts": 1.0,
    "description": 1.0,
}
REST = [name for name in BOOSTS if name not in ("title", "creator")]
Score = float | None
Matcher = Callable[[IndexedDocument], Score]


def matcher_of(query: Query) -> Matcher:
    """Return the matcher of a query: all its conditions must hold, and nothing that it excludes. Raises QueryError."""
    wanted = [_typed(name, getattr(query, name)) for name in TEXTS if getattr(query, name).strip()]
    if query.tree != NOTHING:
        wanted.append(_tree(query.tree, ""))
    wanted += [_choices(name, values) for name, field in CHOICES.items() if (values := getattr(query, field))]
    wanted += [_choices(name, ("1",)) for name in FLAGS if getattr(query, name)]
    if query.from_year or query.until_year:
        wanted.append(_years(query.from_year, query.until_year))
    if query.changed_from or query.changed_until:
        wanted.append(_changed(query.changed_from, query.changed_until))
    unwanted = [_excluded(name, value) for name, value in query.excluded if value.strip()]
    matches = _without(_all(wanted), unwanted)

    def scored(indexed: IndexedDocument) -> Score:
        score = matches(indexed)
        return None if score is None else score * _weight(indexed)

    return scored


def _weight(indexed: IndexedDocument) -> float:
    """Return the factor by which more holdings, then a later year, decide between otherwise equal documents."""
    year = year_of(indexed.document)
    later = 2e-5 * (year - 1000) if 1000 < year < 2100 else 0
    return 1 + 0.05 * log2(max(indexed.document.holdings, 1)) + later


def _excluded(name: str, value: str) -> Matcher:
    return _choices(name, (value,)) if name in CHOICES or name in FLAGS else _typed(name, value)


def _typed(name: str, text: str) -> Matcher:
    check_length(text, name)
    field = "" if name == "q" else name
    tree = number_tree(text, field) if name in ("isbn", "issn") else parse(text, field)
    matches = _tree(tree, name)
    if name not in ("q", "title"):
        return matches
    if not isinstance(tree, Word | Phrase):
        numbers = [_number("", text), _held_by(text)] if name == "q" else []
        matches = _either([matches, _whole(title_key(text), WHOLE), *numbers])
    boosts = [(title_key(text), WHOLE), (sound_key(text), SOUND), (proper_key(text), PROPER), *_parts_of(tree)]
    start = first_characters(text)

    def with_title(indexed: IndexedDocument) -> Score:
        score = matches(indexed)
        if score is None:
            return None
        return score + sum(boost for key, boost in boosts if key in indexed.wholes) + BEGINS * (start in indexed.starts)

    return with_title


def _parts_of(tree: Node) -> Iterable[tuple[str, float]]:
    """Yield (key of a title, boost) for each part of the typed words, since any sequence of them may be a title."""
    words = [node.text for node in (tree.of if isinstance(tree, All) else (tree,)) if isinstance(node, Word | Phrase)]
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            if last - first < len(words):
                text = " ".join(words[first:last])
                yield title_key(text), PART + 50 * (last - first)
                yield sound_key(text), PART


def _tree(tree: Node, name: str) -> Matcher:
    count_words(tree, name)
    return _node(tree) or (lambda _held: None)


def _node(node: Node) -> Matcher | None:
    """Return the matcher of a node; None for a node that has nothing to search for."""
    match node:
        case Word() | Phrase():
            return _leaf(node) if phrase_parts(node.text) or codes(node.text) else None
        case Not():
            unwanted = _node(node.of)
            return _without(_all([]), [unwanted]) if unwanted else None
        case Either():
            alternatives = [matcher for child in node.of if (matcher := _node(child))]
            return _either(alternatives) if alternatives else None
        case All():
            wanted = [matcher for child in node.of if not isinstance(child, Not) and (matcher := _node(child))]
            unwanted = [matcher for child in node.of if isinstance(child, Not) and (matcher := _node(child.of))]
            return _without(_all(wanted), unwanted) if wanted or unwanted else None
    return _condition(node)


def _condition(node: Node) -> Matcher:
    match node:
        case Years():
            return _years(node.first, node.last)
        case Days():
            return _if(lambda indexed: _overlap(indexed.document.issued, node))
        case Changed():
            return _changed(node.first, node.last)
        case Choice():
            return _choices(node.name, (node.value,))
        case Whole():
            return _whole(title_key(node.text), WHOLE)
        case Masked():
            return _masked(node)
    raise TypeError(node)


def _all(wanted: Sequence[Matcher]) -> Matcher:
    def holds(indexed: IndexedDocument) -> Score:
        scores = [matcher(indexed) for matcher in wanted]
        return None if None in scores else 1e-9 + sum(score for score in scores if score is not None)

    return holds


def _either(some: Sequence[Matcher]) -> Matcher:
    def holds(indexed: IndexedDocument) -> Score:
        scores = [score for matcher in some if (score := matcher(indexed)) is not None]
        return max(scores) + 0.1 * (sum(scores) - max(scores)) if scores else None

    return holds


def _without(wanted: Matcher, unwanted: Sequence[Matcher]) -> Matcher:
    return lambda indexed: None if any(excluded(indexed) is not None for excluded in unwanted) else wanted(indexed)


def _if(condition: Callable[[IndexedDocument], bool], score: float = 0.0) -> Matcher:
    return lambda indexed: score if condition(indexed) else None


def _years(first: int, last: int) -> Matcher:
    return _if(lambda indexed: max(first, 1) <= year_of(indexed.document) <= (last or LARGEST_YEAR))


def _overlap(issued: tuple[int, int], wanted: Days) -> bool:
    if wanted.last and wanted.first > wanted.last:
        return False
    return issued[1] >= max(wanted.first, 1) and (not wanted.last or issued[0] <= wanted.last)


def _changed(first: int, last: int) -> Matcher:
    return _if(lambda indexed: first <= indexed.document.changed and (not last or indexed.document.changed <= last))


def _whole(whole: str, score: float) -> Matcher:
    return _if(lambda indexed: whole in indexed.wholes, score)


def _choices(name: str, values: Sequence[str]) -> Matcher:
    """Return a matcher of documents that have one of the values."""
    keys = {fold_tight(value) or value for value in values} if name.endswith("_is") else {*values}

    def holds(indexed: IndexedDocument) -> bool:
        document = indexed.document
        if name == "ndc":
            return any(number.startswith(value) for number in document.ndcs for value in values)
        if name in FLAGS:
            return bool(getattr(document, name))
        if name in {"accessible", "access"}:
            return any(value in getattr(document, name) for value in values)
        if name == "region":
            return any(library.region.startswith(value) for library in document.libraries for value in values)
        if name == "library":
            return any(library.number in keys for library in document.libraries)
        column = f"{name.removesuffix('_is')}_values" if name.endswith("_is") else f"{name}s"
        stored = getattr(document, {"repository": "repositories", "mediatype": "media_types"}.get(name, column))
        return any((fold_tight(value) or value if name.endswith("_is") else value) in keys for value in stored)

    return _if(holds)


def _held_by(text: str) -> Matcher:
    """Return a matcher of the books of the library with this name or code."""
    key = fold_tight(text)
    return _if(
        lambda indexed: (
            len(key) >= SHORTEST_NAME
            and any(key == fold_tight(name) for library in indexed.document.libraries for name in library.names)
        ),
        0.01,
    )


def _masked(node: Masked) -> Matcher:
    wildcards = {"*": ".*", "?": "."}
    pattern = "".join(
        wildcards.get(piece) or re.escape(fold_tight(piece)) for piece in re.split(r"([*?])", node.pattern)
    )
    fits = re.compile(pattern).fullmatch
    if node.field in {"isbn", "issn"}:
        return _if(lambda indexed: any(map(fits, getattr(indexed.document, f"{node.field}s"))), 1.0)
    if node.field in {"identifier", "jpno"}:
        return _if(lambda indexed: any(map(fits, indexed.jpnos if node.field == "jpno" else indexed.codes)), 1.0)
    fields = _fields(node.field)
    return _if(lambda indexed: any(fits(term) for field in fields for term in indexed.terms[field]), 1.0)


def _number(field: str, text: str) -> Matcher:
    forms = set(codes_in(field, text))
    column = {"issn": "issns", "jpno": "jpnos"}.get(field, "codes")
    return _if(lambda indexed: not forms.isdisjoint(getattr(indexed, column)), NUMBER)


def _fields(field: str) -> list[str]:
    return REST if field == "rest" else [field] if field else list(BOOSTS)


def _leaf(leaf: Word | Phrase) -> Matcher:
    if leaf.field in ("ndc", "ndlc", "class"):
        return _classed(leaf.field, leaf.text)
    if leaf.field in NUMBERS:
        return _number(leaf.field, leaf.text)
    if isinstance(leaf, Phrase):
        by_sound = _sounding(joined_sound(leaf.text), leaf.field)
        libraries = [] if leaf.field else [_held_by(leaf.text)]
        return _either([_all_parts(phrase_parts(leaf.text), leaf.field), *by_sound, *libraries])
    forms = word_forms(leaf.text)
    matchers = [_all_parts(forms.parts, leaf.field)] if forms.parts else []
    matchers += _sounding(forms.sound, leaf.field)
    matchers += [_all_parts(word_parts(other), leaf.field) for other in other_spellings(leaf.text)]
    if leaf.field in ("", "title"):
        matchers += [_all_parts(word_parts(other), "title") for other in volume_forms(leaf.text)]
    if not leaf.field:
        matchers += [_years(forms.year, forms.year)] if forms.year else []
        matchers += [_number("", leaf.text)] if forms.codes else []
        matchers.append(_held_by(leaf.text))
    return _either(matchers)


def _classed(field: str, beginning: str) -> Matcher:
    def holds(indexed: IndexedDocument) -> bool:
        others = [number.lower() for number in indexed.document.classes if field != "ndlc" or number[:5] == "NDLC:"]
        plain = [] if field == "ndlc" else list(indexed.document.ndcs)
        numbers = [*plain, *(number.partition(":")[2] for number in others if field != "ndc")]
        return any(number.startswith(beginning.lower()) for number in numbers)

    return _if(holds)


def _sounding(sound: str, field: str) -> list[Matcher]:
    if not sound:
        return []
    fields = [name for name in ("title", "creator") if field in ("", name)]
    return [_if(lambda indexed, name=name: sound in indexed.sounds[name], BOOSTS[name] / 2) for name in fields]


def _all_parts(found: Parts, field: str) -> Matcher:
    return _all([_adjacent(part, field) for part in found])


def _adjacent(part: tuple[str, ...], field: str) -> Matcher:
    """Return a matcher of terms that are adjacent in a field. A larger share of the field gives a higher score."""
    fields = _fields(field)

    def one(name: str) -> Matcher:
        def stands(indexed: IndexedDocument) -> Score:
            if len(part) == 1 and is_character(part[0]):
                fits = part[0] in indexed.characters[name]
            else:
                row = indexed.terms[name]
                fits = any(tuple(row[at : at + len(part)]) == part for at, term in enumerate(row) if term == part[0])
            return BOOSTS[name] * (1 + len(part) / (1 + len(indexed.terms[name]))) if fits else None

        return stands

    return _either([one(name) for name in fields])
