"""Suggestions from an open Tantivy index. Knows terms and their counts; no folder, no page."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import tantivy

from aggregator.search.suggest.choice import CANDIDATES, LONGEST, Counted, choose
from aggregator.search.suggest.entries import Suggestion
from aggregator.search.tantivy.schema import ANY_CHARACTER, SCHEMA, SUGGEST, SUGGEST_FIRST

CROWD = 1000  # terms that are read in a few milliseconds

Tops = Mapping[str, Counted]  # the most frequent terms of beginnings that very many terms share


def suggest(searcher: tantivy.Searcher, tops: Tops, typed: str) -> tuple[Suggestion, ...]:
    def beginning(prefix: str) -> Counted:
        known = tops.get(prefix)
        return searcher.terms_with_prefix(SUGGEST, prefix, None, CANDIDATES) if known is None else known

    def books_of(term: str) -> int:
        return int(searcher.search(tantivy.Query.term_query(SCHEMA, SUGGEST, term), 1).count)  # type: ignore[attr-defined]

    return choose(typed, beginning, books_of)


def make_tops(searcher: tantivy.Searcher, crowd: int = CROWD) -> dict[str, Counted]:
    """The beginnings that more than `crowd` terms share, each with its CANDIDATES most frequent terms."""
    having = Counter[str]()  # at least as many books as have a term with this beginning
    for field in (ANY_CHARACTER, SUGGEST_FIRST):
        having.update(dict(searcher.terms_with_prefix(field, "", None, None)))
    firsts = [first for first, books in having.items() if books > crowd]
    return tops(lambda first: searcher.terms_with_prefix(SUGGEST, first, None, None), firsts, crowd)


def tops(terms_with_prefix: Callable[[str], Counted], firsts: Iterable[str], crowd: int) -> dict[str, Counted]:
    """As `make_tops`. terms_with_prefix: all of one beginning, the most frequent first. firsts: one character each."""
    found: dict[str, Counted] = {}
    for first in firsts:
        waiting = [(first, terms_with_prefix(first))]
        while waiting:
            prefix, counted = waiting.pop()
            if len(counted) <= crowd:
                continue
            found[prefix] = list(counted[:CANDIDATES])
            if len(prefix) < LONGEST:
                waiting += _longer(prefix, counted).items()
    return found


def _longer(prefix: str, counted: Counted) -> dict[str, list[tuple[str, int]]]:
    """The same terms by one character more; a term that ends here has no more."""
    length = len(prefix)
    groups: dict[str, list[tuple[str, int]]] = {}
    for each in counted:
        if each[0][length] != "\t":
            groups.setdefault(each[0][: length + 1], []).append(each)
    return groups
