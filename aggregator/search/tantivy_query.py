"""A Query as Tantivy's query objects. Knows no index; user text never meets Tantivy's own query parser."""

import re
from collections.abc import Sequence

from tantivy import FieldType, Occur
from tantivy import Query as Engine

from aggregator.search.base import CHOICES, CHOSEN_WITH, MAX_CHARACTERS, TEXTS, Query, QueryError
from aggregator.search.segment import is_character, phrase
from aggregator.search.tantivy_schema import (
    DIGITS,
    ONLINE,
    PART_FIELDS,
    SCHEMA,
    TEXT_FIELDS,
    WORDED,
    YEARS,
    exact,
    issn_code,
    value_field,
    value_key,
)
from aggregator.search.words import Word, codes, key, without_text, words

BOOSTS = {"title": 4.0, "creator": 2.0, "rest": 1.0, "publisher": 1.0, "subject": 1.0}
_CHARACTERS = TEXT_FIELDS | PART_FIELDS
_FACET_OF = {condition: facet for facet, condition in CHOSEN_WITH.items()}
Fields = tuple[Sequence[str], Sequence[str]]  # where terms are looked for, and where single characters
ANYWHERE: Fields = (tuple(TEXT_FIELDS), tuple(TEXT_FIELDS))
BESIDE_OTHERS: Fields = (tuple(TEXT_FIELDS), ("rest",))
# Constants above any sum of the scores of terms: a whole title first, whatever else was found more often.
EXACT_TITLE = 10_000.0
EXACT_WORD = 1_000.0  # こころ in "こころ 夏目漱石"
IDENTIFIER = 20_000.0
# Lengths of the numbers with a parameter of their own. 10: an ISBN with a wrong check digit, as some books print it.
NUMBERS = {"isbn": (10, 13), "issn": (8,)}


def engine_query(query: Query) -> Engine:
    """Everything that must hold, and nothing of what is excluded. Raises QueryError."""
    texts = [clause for name in TEXTS if (clause := _text(name, getattr(query, name)))]
    must = texts + [_unscored(clause) for clause in _filters(query)]
    if without_text(query) and not must:
        must = [Engine.all_query()]
    excluded = [clause for name, value in query.excluded if (clause := _excluded(name, value))]
    if not excluded:
        return _all_of(must)
    return Engine.boolean_query([(Occur.Must, _all_of(must)), *((Occur.MustNot, each) for each in excluded)])


def _text(name: str, text: str) -> Engine | None:
    """None where nothing was typed."""
    if not text.strip():
        return None
    if name == "q":
        return _anywhere(text)
    return _number(name, text) if name in NUMBERS else _within(name, text)


def _excluded(name: str, value: str) -> Engine | None:
    if name in CHOICES:
        return _choice(name, (value,))
    return _is_online() if name == "online" else _text(name, value)


def _anywhere(text: str) -> Engine:
    """Every word in any field; or the whole text as one identifier, blanks and all."""
    found = words("q", text)
    if not found:
        return Engine.empty_query()
    alone = len(found) == 1 and len(found[0].parts) == 1
    together = _ranked(_all_of([_word(word, ANYWHERE if alone else BESIDE_OTHERS) for word in found]), text, found)
    return _any_of([together, *map(_code, codes(text))]) if len(found) > 1 else together


def _within(field: str, text: str) -> Engine:
    found = words(field, text)
    if not found:
        return Engine.empty_query()
    together = _all_of([_word(word._replace(codes=()), ((field,), (field,))) for word in found])
    return _ranked(together, text, found) if field == "title" else together


def _number(name: str, text: str) -> Engine:
    if len(text) > MAX_CHARACTERS:
        raise QueryError("too_long", field=name, limit=MAX_CHARACTERS, length=len(text))
    forms = [each for each in codes(text) if len(each) in NUMBERS[name]]
    return _any_of([_code(issn_code(each) if name == "issn" else each) for each in forms])


def _ranked(together: Engine, text: str, found: Sequence[Word]) -> Engine:
    """What was found, the titles first that are what was typed and nothing else."""
    wholes = [_exact(key(text), EXACT_TITLE)]
    if len(found) > 1:
        wholes += [_exact(word.key, EXACT_WORD) for word in found]
    return Engine.boolean_query([(Occur.Must, together), *((Occur.Should, whole) for whole in wholes)])


def _word(word: Word, fields: Fields) -> Engine:
    parts = [_all_of([_part(part, fields) for part in word.parts])] if word.parts else []
    return _any_of([*parts, *map(_code, word.codes)])


def _part(terms: tuple[str, ...], fields: Fields) -> Engine:
    single = len(terms) == 1 and is_character(terms[0])
    return _any_of([Engine.boost_query(_terms(field, terms), BOOSTS[field]) for field in fields[single]])


def _terms(field: str, terms: tuple[str, ...]) -> Engine:
    if len(terms) > 1:
        return Engine.phrase_query(SCHEMA, field, [*phrase(terms)])
    return Engine.term_query(SCHEMA, _CHARACTERS[field] if is_character(terms[0]) else field, terms[0])


def _exact(whole: str, score: float) -> Engine:
    return Engine.const_score_query(Engine.term_query(SCHEMA, "exact", exact(whole)), score)


def _code(form: str) -> Engine:
    return Engine.const_score_query(Engine.term_query(SCHEMA, "code", form), IDENTIFIER)


def _filters(query: Query) -> list[Engine]:
    found = [_choice(name, values) for name, field in CHOICES.items() if (values := getattr(query, field))]
    if query.online:
        found.append(_is_online())
    if query.from_year or query.until_year:
        first, last = max(query.from_year, YEARS[0]), min(query.until_year or YEARS[-1], YEARS[-1])
        found.append(
            Engine.range_query(SCHEMA, "year", FieldType.Integer, first, last)
            if first <= last
            else Engine.empty_query()
        )
    return found


def _choice(name: str, values: Sequence[str]) -> Engine:
    """One of the values must hold."""
    values = [value.encode("utf-8", "ignore").decode() for value in values]
    if name == "ndc":
        return _any_of([_class(value) for value in values])
    facet = _FACET_OF[name]
    keys = [value_key(value) for value in values] if facet in WORDED else values
    return Engine.term_set_query(SCHEMA, value_field(facet), keys)


def _class(beginning: str) -> Engine:
    """Class numbers with this beginning: up to three digits are a term of their own, more are looked for."""
    for field, digits in DIGITS.items():
        if len(beginning) == digits:
            return Engine.term_query(SCHEMA, value_field(field), beginning)
    return Engine.regex_query(SCHEMA, "classes", re.escape(beginning) + ".*")


def _is_online() -> Engine:
    return Engine.term_query(SCHEMA, value_field("online"), ONLINE)


def _unscored(clause: Engine) -> Engine:
    return Engine.const_score_query(clause, 0.0)


def _all_of(clauses: Sequence[Engine]) -> Engine:
    return clauses[0] if len(clauses) == 1 else Engine.boolean_query([(Occur.Must, each) for each in clauses])


def _any_of(clauses: Sequence[Engine]) -> Engine:
    """The best of the alternatives counts; the others a tenth."""
    if not clauses:
        return Engine.empty_query()
    return clauses[0] if len(clauses) == 1 else Engine.disjunction_max_query(list(clauses), tie_breaker=0.1)
