"""Convert a word or phrase of a query to Tantivy's query objects: which fields are searched, with which weights."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tantivy import Occur
from tantivy import Query as Engine

from aggregator.search.base import SHORTEST_NAME
from aggregator.search.query.segment import is_character, phrase
from aggregator.search.query.spellings import other_spellings, volume_forms
from aggregator.search.query.words import NUMBERS, Parts, code, codes, codes_in, phrase_parts, word_forms, word_parts
from aggregator.search.tantivy.schema import (
    DIGITS,
    PART_FIELDS,
    SCHEMA,
    SOUND_FIELDS,
    TEXT_FIELDS,
    issn_code,
    jpno_code,
    value_field,
    value_key,
    year_code,
)
from aggregator.search.titles import joined_sound
from aggregator.search.tree import Field, Masked, Phrase, Word
from metadata.text.folding import fold_tight

BOOSTS = {"title": 4.0, "creator": 2.0, "rest": 1.0, **dict.fromkeys(PART_FIELDS, 1.0)}
SOUND_BOOST = 0.5  # factor on the field's boost: matches in writing come before matches in sound
IDENTIFIER = 20_000.0
PUBLISHED = 5.0  # a typed year is rarely only a year of publication
HELD = 0.01  # less than any word: the books of a library come after those about it
_PREFIXED = {"issn": issn_code, "jpno": jpno_code}  # numbers whose terms have a prefix
_CHARACTERS = TEXT_FIELDS | PART_FIELDS


class Place(NamedTuple):
    """Where a word is searched: fields with its terms, and fields for single characters."""

    terms: Sequence[str]
    characters: Sequence[str]


ANYWHERE = Place(tuple(TEXT_FIELDS), tuple(TEXT_FIELDS))
BESIDE_OTHERS = Place(tuple(TEXT_FIELDS), ("rest",))


def is_empty(leaf: Word | Phrase) -> bool:
    """Whether there is nothing to search for."""
    return not (phrase_parts(leaf.text) or codes(leaf.text))


def leaf_query(leaf: Word | Phrase, alone: bool) -> Engine:
    """The query for a word or phrase. alone: nothing else was typed."""
    if leaf.field in NUMBERS or leaf.field in _CLASSES:
        return _number(leaf.field, leaf.text)
    place = Place((leaf.field,), (leaf.field,)) if leaf.field else ANYWHERE if alone else BESIDE_OTHERS
    if isinstance(leaf, Phrase):
        sounds = _sound_queries(joined_sound(leaf.text), leaf.field)
        libraries = [] if leaf.field else held_by(leaf.text)
        return any_of([_parts(phrase_parts(leaf.text), place), *sounds, *libraries])
    return any_of(_as_typed(leaf, place) + _other_forms(leaf.text, leaf.field, place))


def masked_query(node: Masked) -> Engine:
    """All words that match the pattern, with equal scores, since a partly known word says little about relevance."""
    if node.field in NUMBERS:
        return _masked_number(node)
    wildcards = {"*": "[^ ]*", "?": "[^ ]"}
    pattern = "".join(
        wildcards.get(piece) or re.escape(fold_tight(piece)) for piece in re.split(r"([*?])", node.pattern)
    )
    fields = (node.field,) if node.field else tuple(TEXT_FIELDS)
    return Engine.const_score_query(any_of([Engine.regex_query(SCHEMA, field, pattern) for field in fields]), 1.0)


def _masked_number(node: Masked) -> Engine:
    """All numbers that match the pattern; an ISBN is a term of thirteen digits."""
    wildcards = {"*": "[0-9a-z]*", "?": "[0-9a-z]"}
    pattern = "".join(wildcards.get(piece) or re.escape(code(piece)) for piece in re.split(r"([*?])", node.pattern))
    pattern = _PREFIXED.get(node.field, str)(pattern)
    return Engine.const_score_query(Engine.regex_query(SCHEMA, "code", pattern), 1.0)


def any_of(clauses: Sequence[Engine]) -> Engine:
    """Return a query for any of the alternatives; the best score counts fully, the others a tenth."""
    if not clauses:
        return Engine.empty_query()
    return clauses[0] if len(clauses) == 1 else Engine.disjunction_max_query(list(clauses), tie_breaker=0.1)


def number_query(form: str) -> Engine:
    """A number in one of its forms, scored above all words."""
    return Engine.const_score_query(Engine.term_query(SCHEMA, "code", form), IDENTIFIER)


def held_by(text: str) -> list[Engine]:
    """The query for the books of the library with this name or code; [] for a text too short to be one."""
    key = value_key(text.encode("utf-8", "ignore").decode())
    if len(key) < SHORTEST_NAME:
        return []
    return [Engine.const_score_query(Engine.term_query(SCHEMA, value_field("library"), key), HELD)]


def class_query(beginning: str) -> Engine:
    """Class numbers with this beginning: up to three digits are terms of their own, longer ones a prefix search."""
    for field, digits in DIGITS.items():
        if len(beginning) == digits:
            return Engine.term_query(SCHEMA, value_field(field), beginning)
    return Engine.regex_query(SCHEMA, "classes", re.escape(beginning) + ".*")


def _ndlc_query(beginning: str) -> Engine:
    return Engine.regex_query(SCHEMA, "classes", f"ndlc:{re.escape(beginning.lower())}.*")


def _any_class_query(beginning: str) -> Engine:
    """Class numbers of NDC, which stand alone, and of the schemes whose name is before the number."""
    others = Engine.regex_query(SCHEMA, "classes", f"[a-z]+:{re.escape(beginning.lower())}.*")
    return any_of([class_query(beginning), others])


_CLASSES = {"ndc": class_query, "ndlc": _ndlc_query, "class": _any_class_query}


def _as_typed(leaf: Word, place: Place) -> list[Engine]:
    forms = word_forms(leaf.text)
    queries = [_parts(forms.parts, place)] if forms.parts else []
    queries += _sound_queries(forms.sound, leaf.field)
    if leaf.field:
        return queries
    if forms.year:
        queries.append(Engine.const_score_query(Engine.term_query(SCHEMA, "code", year_code(forms.year)), PUBLISHED))
    return queries + [number_query(code) for code in forms.codes] + held_by(leaf.text)


def _other_forms(text: str, field: Field, place: Place) -> list[Engine]:
    queries = [_parts(word_parts(other), place) for other in other_spellings(text)]
    if field in ("", "title"):
        queries += [_parts(word_parts(other), Place(("title",), ("title",))) for other in volume_forms(text)]
    return queries


def _sound_queries(sound: str, field: Field) -> list[Engine]:
    """Return queries for a word's sound among the words of readings; [] for fields without readings."""
    fields = [name for name in SOUND_FIELDS if sound and field in ("", name)]
    return [
        Engine.boost_query(Engine.term_query(SCHEMA, SOUND_FIELDS[name], sound), BOOSTS[name] * SOUND_BOOST)
        for name in fields
    ]


def _parts(parts: Parts, place: Place) -> Engine:
    clauses = [_part(part, place) for part in parts]
    return clauses[0] if len(clauses) == 1 else Engine.boolean_query([(Occur.Must, clause) for clause in clauses])


def _part(terms: tuple[str, ...], place: Place) -> Engine:
    fields = place.characters if len(terms) == 1 and is_character(terms[0]) else place.terms
    return any_of([Engine.boost_query(_terms(field, terms), BOOSTS[field]) for field in fields])


def _terms(field: str, terms: tuple[str, ...]) -> Engine:
    if len(terms) > 1:
        return Engine.phrase_query(SCHEMA, field, [*phrase(terms)])
    return Engine.term_query(SCHEMA, _CHARACTERS[field] if is_character(terms[0]) else field, terms[0])


def _number(field: Field, text: str) -> Engine:
    if field in _CLASSES:
        return _CLASSES[field](text)
    forms = codes_in(field, text)
    return any_of([number_query(_PREFIXED.get(field, str)(form)) for form in forms])
