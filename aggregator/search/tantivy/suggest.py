"""Suggestions from an open Tantivy index: terms and their counts.

In a large index very many terms share a short beginning, and reading all is slow. The suggestions for such beginnings
are in a cache: made from the index after a rebuild, and again when they are a day old. Without the cache nothing
fails, suggestions are only slow.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from itertools import batched

import tantivy
from django.core.cache import caches

from aggregator.search.analysis.fields import ANY_CHARACTER, SUGGEST
from aggregator.search.suggest.choice import CANDIDATES, LONGEST, TermCounts, choose
from aggregator.search.suggest.entries import MOST as MOST_ENTRIES
from aggregator.search.suggest.entries import Suggestion, label_code, split_term
from aggregator.search.tantivy.hits import ids_of, these
from aggregator.search.tantivy.schema import SCHEMA, SUGGEST_FIRST, SUGGESTED

CACHE = "suggestions"  # in settings.CACHES
LARGE = 50_000  # documents; a smaller index needs no prepared suggestions
AGE = 24 * 60 * 60  # seconds; the ranking of terms with very many books hardly changes
MAKING = 60 * 60  # seconds after which an attempt to make them counts as failed
BATCH = 1000
MANY_TERMS = 1000  # terms that are read in a few milliseconds

type TopTerms = Callable[[str], TermCounts | None]  # the terms that were prepared for a beginning, None = none


def suggest(searcher: tantivy.Searcher, top: TopTerms, typed: str) -> tuple[Suggestion, ...]:
    def beginning(prefix: str) -> TermCounts:
        known = top(prefix)
        return searcher.terms_with_prefix(SUGGEST, prefix, None, CANDIDATES) if known is None else known

    examples: dict[str, tantivy.DocAddress] = {}  # term -> a book with it

    def books_of(term: str) -> int:
        found = searcher.search(tantivy.Query.term_query(SCHEMA, SUGGEST, term), 1)
        examples.update((term, address) for _score, address in found.hits)
        return int(found.count)  # type: ignore[attr-defined]

    def labels(terms: Sequence[str]) -> list[str]:
        return _labels(searcher, [(term, examples[term]) for term in terms])

    return choose(typed, partial(map, beginning), partial(map, books_of), labels)


def _labels(searcher: tantivy.Searcher, examples: Sequence[tuple[str, tantivy.DocAddress]]) -> list[str]:
    """The printed texts of terms, from the texts of one book with each term."""
    if not examples:
        return []
    books = these(ids_of(searcher, [address for _term, address in examples]))
    texts = {"terms": {"field": SUGGESTED, "size": len(examples) * sum(MOST_ENTRIES.values())}}
    buckets = searcher.aggregate(books, {SUGGESTED: texts})[SUGGESTED]["buckets"]
    by_code = {label_code(bucket["key"]): bucket["key"] for bucket in buckets}
    return [by_code[split_term(term)[2]] for term, _address in examples]


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


def is_due(generation: str, documents: int) -> bool:
    """Whether the caller should make the suggestions of an index with this many documents now.

    True for one of several callers, and never where nothing can be stored. generation: the name of the index.
    """
    return documents >= LARGE and caches[CACHE].add(_key(generation), b"", MAKING)


def store_top_terms(generation: str, tops: Mapping[str, TermCounts]) -> None:
    """Store the terms by beginning. They are replaced before they expire."""
    for batch in batched(tops.items(), BATCH):
        packed = {_key(generation, beginning): json.dumps(terms).encode() for beginning, terms in batch}
        caches[CACHE].set_many(packed, 2 * AGE)
    caches[CACHE].set(_key(generation), b"", AGE)


def top_terms_of(generation: str, beginning: str) -> TermCounts | None:
    """Return the most frequent terms with a beginning, None where they were not prepared."""
    packed: bytes | None = caches[CACHE].get(_key(generation, beginning))
    terms: TermCounts | None = json.loads(packed) if packed else None
    return terms


def _key(generation: str, beginning: str = "") -> str:
    text = f"{generation}\0{beginning}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
