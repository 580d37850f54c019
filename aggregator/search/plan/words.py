"""Convert a word or phrase of a query to a plan: which fields are searched, with which weights."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from aggregator.search.analysis.fields import (
    DIGITS,
    PART_FIELDS,
    SOUND_FIELDS,
    TEXT_FIELDS,
    issn_code,
    jpno_code,
    value_field,
    value_key,
    year_code,
)
from aggregator.search.base import SHORTEST_NAME
from aggregator.search.plan.nodes import Adjacent, Constant, Like, Plan, Term, Weighted, Wild, all_of, best_of
from aggregator.search.query.segment import is_character, phrase
from aggregator.search.query.spellings import other_spellings, volume_forms
from aggregator.search.query.words import NUMBERS, Parts, code, codes, codes_in, phrase_parts, word_forms, word_parts
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


def leaf_query(leaf: Word | Phrase, alone: bool) -> Plan:
    """The plan for a word or phrase. alone: nothing else was typed."""
    if leaf.field in NUMBERS or leaf.field in _CLASSES:
        return _number(leaf.field, leaf.text)
    place = Place((leaf.field,), (leaf.field,)) if leaf.field else ANYWHERE if alone else BESIDE_OTHERS
    if isinstance(leaf, Phrase):
        sounds = _sound_queries(joined_sound(leaf.text), leaf.field)
        libraries = [] if leaf.field else held_by(leaf.text)
        return best_of([_parts(phrase_parts(leaf.text), place), *sounds, *libraries])
    return best_of(_as_typed(leaf, place) + _other_forms(leaf.text, leaf.field, place))


def masked_query(node: Masked) -> Plan:
    """All words that match the pattern, with equal scores, since a partly known word says little about relevance."""
    if node.field in NUMBERS:
        return _masked_number(node)
    pieces = _pieces(node.pattern, fold_tight)
    fields = (node.field,) if node.field else tuple(TEXT_FIELDS)
    return Constant(best_of([Like(field, pieces) for field in fields]), 1.0)


def _masked_number(node: Masked) -> Plan:
    """All numbers that match the pattern; an ISBN is a term of thirteen digits."""
    prefix = (_PREFIXED[node.field](""),) if node.field in _PREFIXED else ()
    return Constant(Like("code", prefix + _pieces(node.pattern, code), alphanumeric=True), 1.0)


def _pieces(pattern: str, fold: Callable[[str], str]) -> tuple[str | Wild, ...]:
    """The pieces of a pattern, as `Like` has them; the texts between the wildcards are folded."""
    return tuple(Wild(piece) if piece in "*?" else fold(piece) for piece in re.split(r"([*?])", pattern) if piece)


def number_query(form: str) -> Plan:
    """A number in one of its forms, scored above all words."""
    return Constant(Term("code", form), IDENTIFIER)


def held_by(text: str) -> list[Plan]:
    """The plan for the books of the library with this name or code; [] for a text too short to be one."""
    key = value_key(text.encode("utf-8", "ignore").decode())
    if len(key) < SHORTEST_NAME:
        return []
    return [Constant(Term(value_field("library"), key), HELD)]


def class_query(beginning: str) -> Plan:
    """Class numbers with this beginning: up to three digits are terms of their own, longer ones a prefix search."""
    for field, digits in DIGITS.items():
        if len(beginning) == digits:
            return Term(value_field(field), beginning)
    return Like("classes", (beginning, Wild.ANY))


def _ndlc_query(beginning: str) -> Plan:
    return Like("classes", (f"ndlc:{beginning.lower()}", Wild.ANY))


def _any_class_query(beginning: str) -> Plan:
    """Class numbers of NDC, which stand alone, and of the schemes whose name is before the number."""
    others = Like("classes", (Wild.ANY, f":{beginning.lower()}", Wild.ANY))
    return best_of([class_query(beginning), others])


_CLASSES = {"ndc": class_query, "ndlc": _ndlc_query, "class": _any_class_query}


def _as_typed(leaf: Word, place: Place) -> list[Plan]:
    forms = word_forms(leaf.text)
    queries = [_parts(forms.parts, place)] if forms.parts else []
    queries += _sound_queries(forms.sound, leaf.field)
    if leaf.field:
        return queries
    if forms.year:
        queries.append(Constant(Term("code", year_code(forms.year)), PUBLISHED))
    return queries + [number_query(code) for code in forms.codes] + held_by(leaf.text)


def _other_forms(text: str, field: Field, place: Place) -> list[Plan]:
    queries = [_parts(word_parts(other), place) for other in other_spellings(text)]
    if field in ("", "title"):
        queries += [_parts(word_parts(other), Place(("title",), ("title",))) for other in volume_forms(text)]
    return queries


def _sound_queries(sound: str, field: Field) -> list[Plan]:
    """Return plans for a word's sound among the words of readings; [] for fields without readings."""
    fields = [name for name in SOUND_FIELDS if sound and field in ("", name)]
    return [Weighted(Term(SOUND_FIELDS[name], sound), BOOSTS[name] * SOUND_BOOST) for name in fields]


def _parts(parts: Parts, place: Place) -> Plan:
    clauses = [_part(part, place) for part in parts]
    return all_of(clauses)


def _part(terms: tuple[str, ...], place: Place) -> Plan:
    fields = place.characters if len(terms) == 1 and is_character(terms[0]) else place.terms
    return best_of([Weighted(_terms(field, terms), BOOSTS[field]) for field in fields])


def _terms(field: str, terms: tuple[str, ...]) -> Plan:
    if len(terms) > 1:
        return Adjacent(field, tuple(phrase(terms)))
    return Term(_CHARACTERS[field] if is_character(terms[0]) else field, terms[0])


def _number(field: Field, text: str) -> Plan:
    if field in _CLASSES:
        return _CLASSES[field](text)
    forms = codes_in(field, text)
    return best_of([number_query(_PREFIXED.get(field, str)(form)) for form in forms])
