"""A word or a phrase of a query as Tantivy's query objects. Knows fields and weights; no tree, no index."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tantivy import Occur
from tantivy import Query as Engine

from aggregator.search.query.segment import is_character, phrase
from aggregator.search.query.spellings import spellings, volumes
from aggregator.search.query.words import LENGTHS, Parts, codes, codes_in, looked_for, parts, phrase_parts
from aggregator.search.tantivy.schema import (
    DIGITS,
    PART_FIELDS,
    SCHEMA,
    SOUND_FIELDS,
    TEXT_FIELDS,
    issn_code,
    value_field,
    year_code,
)
from aggregator.search.titles import joined_sound
from aggregator.search.tree import Field, Masked, Phrase, Word
from metadata.text.folding import fold_tight

BOOSTS = {"title": 4.0, "creator": 2.0, "rest": 1.0, "publisher": 1.0, "subject": 1.0}
SOUND_BOOST = 0.5  # of that of the field: what is written so comes before what sounds so
IDENTIFIER = 20_000.0
PUBLISHED = 5.0  # a year is rarely all that is meant
_CHARACTERS = TEXT_FIELDS | PART_FIELDS


class Place(NamedTuple):
    """Where a word is looked for: fields with its terms, and fields where single characters are."""

    terms: Sequence[str]
    characters: Sequence[str]


ANYWHERE = Place(tuple(TEXT_FIELDS), tuple(TEXT_FIELDS))
BESIDE_OTHERS = Place(tuple(TEXT_FIELDS), ("rest",))


def is_empty(leaf: Word | Phrase) -> bool:
    """Whether there is nothing in it to look for."""
    return not (phrase_parts(leaf.text) or codes(leaf.text))


def leaf_query(leaf: Word | Phrase, alone: bool) -> Engine:
    """What finds it. alone: nothing else was typed."""
    if leaf.field in LENGTHS or leaf.field in ("ndc", "identifier"):
        return _number(leaf.field, leaf.text)
    place = Place((leaf.field,), (leaf.field,)) if leaf.field else ANYWHERE if alone else BESIDE_OTHERS
    if isinstance(leaf, Phrase):
        return any_of([_parts(phrase_parts(leaf.text), place), *_sounding(joined_sound(leaf.text), leaf.field)])
    return any_of(_as_typed(leaf, place) + _otherwise(leaf.text, leaf.field, place))


def masked_query(node: Masked) -> Engine:
    """Every word that fits; all the same worth, since a word that is only half known says little."""
    marks = {"*": "[^ ]*", "?": "[^ ]"}
    pattern = "".join(marks.get(each) or re.escape(fold_tight(each)) for each in re.split(r"([*?])", node.pattern))
    fields = (node.field,) if node.field else tuple(TEXT_FIELDS)
    return Engine.const_score_query(any_of([Engine.regex_query(SCHEMA, each, pattern) for each in fields]), 1.0)


def any_of(clauses: Sequence[Engine]) -> Engine:
    """The best of the alternatives counts; the others a tenth."""
    if not clauses:
        return Engine.empty_query()
    return clauses[0] if len(clauses) == 1 else Engine.disjunction_max_query(list(clauses), tie_breaker=0.1)


def number_query(form: str) -> Engine:
    """A number in one of its forms, above all that is words."""
    return Engine.const_score_query(Engine.term_query(SCHEMA, "code", form), IDENTIFIER)


def class_query(beginning: str) -> Engine:
    """Class numbers with this beginning: up to three digits are a term of their own, more are looked for."""
    for field, digits in DIGITS.items():
        if len(beginning) == digits:
            return Engine.term_query(SCHEMA, value_field(field), beginning)
    return Engine.regex_query(SCHEMA, "classes", re.escape(beginning) + ".*")


def _as_typed(leaf: Word, place: Place) -> list[Engine]:
    looked = looked_for(leaf.text)
    found = [_parts(looked.parts, place)] if looked.parts else []
    found += _sounding(looked.sound, leaf.field)
    if leaf.field:
        return found
    if looked.year:
        found.append(Engine.const_score_query(Engine.term_query(SCHEMA, "code", year_code(looked.year)), PUBLISHED))
    return found + [number_query(each) for each in looked.codes]


def _otherwise(text: str, field: Field, place: Place) -> list[Engine]:
    found = [_parts(parts(other), place) for other in spellings(text)]
    if field in ("", "title"):
        found += [_parts(parts(other), Place(("title",), ("title",))) for other in volumes(text)]
    return found


def _sounding(sound: str, field: Field) -> list[Engine]:
    """Its reading among the words of readings."""
    fields = [name for name in SOUND_FIELDS if sound and field in ("", name)]
    return [
        Engine.boost_query(Engine.term_query(SCHEMA, SOUND_FIELDS[name], sound), BOOSTS[name] * SOUND_BOOST)
        for name in fields
    ]


def _parts(found: Parts, place: Place) -> Engine:
    clauses = [_part(part, place) for part in found]
    return clauses[0] if len(clauses) == 1 else Engine.boolean_query([(Occur.Must, each) for each in clauses])


def _part(terms: tuple[str, ...], place: Place) -> Engine:
    fields = place.characters if len(terms) == 1 and is_character(terms[0]) else place.terms
    return any_of([Engine.boost_query(_terms(field, terms), BOOSTS[field]) for field in fields])


def _terms(field: str, terms: tuple[str, ...]) -> Engine:
    if len(terms) > 1:
        return Engine.phrase_query(SCHEMA, field, [*phrase(terms)])
    return Engine.term_query(SCHEMA, _CHARACTERS[field] if is_character(terms[0]) else field, terms[0])


def _number(field: Field, text: str) -> Engine:
    if field == "ndc":
        return class_query(text)
    forms = codes_in(field, text)
    return any_of([number_query(issn_code(each) if field == "issn" else each) for each in forms])
