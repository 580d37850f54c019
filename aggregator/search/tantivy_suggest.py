"""Suggestions from an open Tantivy index. Knows terms and their counts; no folder, no page."""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

import tantivy

from aggregator.search.suggest_entries import KINDS, Suggestion, split
from aggregator.search.tantivy_schema import SCHEMA, SUGGEST, SUGGEST_FIRST
from metadata.romaji import beginnings
from metadata.text import fold_tight

MOST = 10
LONGEST = 60  # characters typed; who has typed more knows what to look for
OF_ONE_KIND = 5  # while there are others
CANDIDATES = 40  # looked at more closely
CROWD = 1000  # terms that are read in a few milliseconds

Counted = Sequence[tuple[str, int]]  # terms with the number of books, also of those that were deleted meanwhile
Tops = Mapping[str, Counted]  # the most frequent terms of beginnings that very many terms share


def suggest(searcher: tantivy.Searcher, tops: Tops, typed: str) -> tuple[Suggestion, ...]:
    """At most MOST texts that begin with what is typed, in their own script or by their reading.

    What is typed to its end comes first, then what most books have.
    """
    key = fold_tight(typed[: LONGEST + 1])
    if not key or len(key) > LONGEST:
        return ()
    prefixes = [key, *(each for each in beginnings(typed) if each != key)]
    found: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for term, books in (each for prefix in prefixes for each in _beginning(searcher, tops, prefix)):
        written, kind, label = split(term)
        place = found.get((kind, label), (False, 0, ""))
        found[kind, label] = max(place, (written in prefixes, books, term))
    ranked = heapq.nlargest(CANDIDATES, found.items(), key=lambda each: each[1][:2])
    return _mixed(_living(searcher, ranked))


def _beginning(searcher: tantivy.Searcher, tops: Tops, prefix: str) -> Counted:
    known = tops.get(prefix)
    return searcher.terms_with_prefix(SUGGEST, prefix, None, CANDIDATES) if known is None else known


def _living(
    searcher: tantivy.Searcher,
    ranked: Iterable[tuple[tuple[str, str], tuple[bool, int, str]]],
) -> Iterable[tuple[bool, Suggestion]]:
    """With the counts of this moment; what nothing has any more is left out. One by one: few are needed."""
    for (kind, label), (whole, _books, term) in ranked:
        books = int(searcher.search(tantivy.Query.term_query(SCHEMA, SUGGEST, term), 1).count)  # type: ignore[attr-defined]
        if books:
            yield whole, Suggestion(label, KINDS.get(kind, ""), books)


def _mixed(found: Iterable[tuple[bool, Suggestion]]) -> tuple[Suggestion, ...]:
    """The first MOST, of one kind no more than OF_ONE_KIND where others can fill the list."""
    chosen: list[tuple[bool, Suggestion]] = []
    spare: list[tuple[bool, Suggestion]] = []
    for each in found:
        same = sum(other[1].kind == each[1].kind for other in chosen)
        (chosen if same < OF_ONE_KIND else spare).append(each)
        if len(chosen) == MOST:
            break
    chosen += spare[: MOST - len(chosen)]
    return tuple(each for _whole, each in sorted(chosen, key=lambda each: (not each[0], -each[1].books, each[1].label)))


def make_tops(searcher: tantivy.Searcher, crowd: int = CROWD) -> dict[str, Counted]:
    """The beginnings that more than `crowd` terms share, each with its CANDIDATES most frequent terms."""
    firsts = [first for first, books in searcher.terms_with_prefix(SUGGEST_FIRST, "", None, None) if books > crowd]
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
