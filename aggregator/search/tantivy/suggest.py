"""Suggestions from an open Tantivy index: terms and their counts."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

import tantivy

from aggregator.search.analysis.fields import ANY_CHARACTER, SUGGEST
from aggregator.search.suggest.choice import CANDIDATES, LONGEST, TermCounts, choose
from aggregator.search.suggest.entries import Suggestion
from aggregator.search.tantivy.schema import SCHEMA, SUGGEST_FIRST

MANY_TERMS = 1000  # terms that are read in a few milliseconds

type TopTerms = Callable[[str], TermCounts | None]  # the terms that were prepared for a beginning, None = none


def suggest(searcher: tantivy.Searcher, top: TopTerms, typed: str) -> tuple[Suggestion, ...]:
    def beginning(prefix: str) -> TermCounts:
        known = top(prefix)
        return searcher.terms_with_prefix(SUGGEST, prefix, None, CANDIDATES) if known is None else known

    def books_of(term: str) -> int:
        return int(searcher.search(tantivy.Query.term_query(SCHEMA, SUGGEST, term), 1).count)  # type: ignore[attr-defined]

    return choose(typed, partial(map, beginning), partial(map, books_of))


def make_top_terms(searcher: tantivy.Searcher, crowd: int = MANY_TERMS) -> dict[str, TermCounts]:
    """For every beginning shared by more than `crowd` terms, its CANDIDATES most frequent terms."""
    books_by_first = Counter[str]()  # first character -> upper limit of the books with a term that begins with it
    for field in (ANY_CHARACTER, SUGGEST_FIRST):
        books_by_first.update(dict(searcher.terms_with_prefix(field, "", None, None)))
    firsts = [first for first, books in books_by_first.items() if books > crowd]
    return top_terms(lambda first: searcher.terms_with_prefix(SUGGEST, first, None, None), firsts, crowd)


def top_terms(
    terms_with_prefix: Callable[[str], TermCounts], firsts: Iterable[str], crowd: int
) -> dict[str, TermCounts]:
    """As `make_top_terms`. terms_with_prefix: all of one beginning, most frequent first. firsts: single characters."""
    result: dict[str, TermCounts] = {}
    for first in firsts:
        pending = [(first, terms_with_prefix(first))]
        while pending:
            prefix, counted = pending.pop()
            if len(counted) <= crowd:
                continue
            result[prefix] = list(counted[:CANDIDATES])
            if len(prefix) < LONGEST:
                pending += _longer(prefix, counted).items()
    return result


def _longer(prefix: str, counted: TermCounts) -> dict[str, list[tuple[str, int]]]:
    """Group terms with a common prefix by the character after it; a term that ends with the prefix is left out."""
    length = len(prefix)
    groups: dict[str, list[tuple[str, int]]] = {}
    for item in counted:
        if item[0][length] != "\t":
            groups.setdefault(item[0][: length + 1], []).append(item)
    return groups
