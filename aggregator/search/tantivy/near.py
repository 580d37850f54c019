"""Books with nearly the typed text, in an open Tantivy index: candidates for "did you mean"."""

from collections.abc import Iterator

import tantivy
from tantivy import Occur
from tantivy import Query as Engine

from aggregator.search.query.nearness import LONGEST, allowed_errors
from aggregator.search.query.segment import terms
from aggregator.search.tantivy.schema import SCHEMA, SOUND_FIELDS, SUGGEST
from metadata.text.folding import fold_tight

MOST = 12  # books per kind of query
_WORD_FIELDS = ("title", "creator", "rest")
_LATIN_FIELDS = (*_WORD_FIELDS, *SOUND_FIELDS.values())  # romanised readings as well


def near_books(searcher: tantivy.Searcher, typed: str) -> tuple[int, ...]:
    """The ids of books with a title, name, subject or word similar to `typed`, a few dozen at most."""
    key = fold_tight(typed[: LONGEST + 1])
    if not allowed_errors(key) or len(key) > LONGEST:
        return ()
    ids: dict[int, None] = {}
    for query in _queries(typed, key):
        hits = searcher.search(query, MOST, count=False, weight_by_field="holdings").hits
        numbers = searcher.fast_field_values("id", [address for _score, address in hits])
        ids |= dict.fromkeys(int(number or 0) for number in numbers)
    return tuple(ids)


def _queries(typed: str, key: str) -> Iterator[Engine]:
    yield Engine.fuzzy_term_query(SCHEMA, SUGGEST, key, allowed_errors(key), True, True)
    if key.isascii():
        yield _any(Engine.fuzzy_term_query(SCHEMA, field, key, allowed_errors(key)) for field in _LATIN_FIELDS)
        return
    pairs = [term for term in dict.fromkeys(terms(typed)) if len(term) > 1]
    missing = 2 * allowed_errors(key)  # one wrong letter spoils two pairs
    if len(pairs) - missing >= 2:
        yield _any(_most_of(pairs, field, len(pairs) - missing) for field in _WORD_FIELDS)


def _most_of(pairs: list[str], field: str, least: int) -> Engine:
    clauses = [(Occur.Should, Engine.term_query(SCHEMA, field, pair)) for pair in pairs]
    return Engine.boolean_query(clauses, minimum_number_should_match=least)


def _any(queries: Iterator[Engine]) -> Engine:
    return Engine.disjunction_max_query(list(queries))
