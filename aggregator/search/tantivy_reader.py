"""One search in an open Tantivy index: hits, total and facets. Knows no folder and no writing."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import tantivy

from aggregator.search.base import MAX_WINDOW, FacetValue, Query, QueryError, Results
from aggregator.search.tantivy_query import engine_query
from aggregator.search.tantivy_schema import FACET_COLUMNS, SCHEMA, id_of_order, more_column
from aggregator.search.words import without_text

_ORDERS = {"newest": tantivy.Order.Desc, "oldest": tantivy.Order.Asc}
_SORTS = ("relevance", *_ORDERS)
# Above what can be: a cut list of values would make counts of different segments inexact.
_MOST_VALUES = 10_000
_COLUMNS = ("year", *(column for columns in FACET_COLUMNS.values() for column in columns))


def search(searcher: tantivy.Searcher | None, query: Query) -> Results:
    """The page asked for. searcher: None for an index that was never written to. Raises QueryError."""
    _check_page(query)
    clause = engine_query(query)
    if searcher is None:
        return Results(total=0, hits=())
    # Without any text all scores are equal, and an order that people understand is worth more.
    sort = "newest" if query.sort == "relevance" and without_text(query) else query.sort
    total, hits = _by_score(searcher, clause, query) if sort == "relevance" else _by_year(searcher, clause, query, sort)
    return Results(total=total, hits=hits, facets=_facets(searcher, clause) if total else {})


def _check_page(query: Query) -> None:
    if query.sort not in _SORTS:
        raise QueryError("unknown_sort", sort=query.sort)
    if query.page < 1 or query.page_size < 1:
        raise QueryError("bad_page", page=query.page, page_size=query.page_size)
    if query.page * query.page_size > MAX_WINDOW:
        raise QueryError("too_deep", limit=MAX_WINDOW)


Hits = tuple[tuple[int, float], ...]


def _by_score(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query) -> tuple[int, Hits]:
    found = searcher.search(clause, query.page_size, offset=_offset(query), weight_by_field="holdings")
    ids = searcher.fast_field_values("id", [address for _score, address in found.hits])
    scores = (score for score, _address in found.hits)
    return _total(found), tuple((int(number or 0), score) for number, score in zip(ids, scores, strict=True))


def _by_year(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str) -> tuple[int, Hits]:
    found = searcher.search(clause, query.page_size, offset=_offset(query), order_by_field=sort, order=_ORDERS[sort])
    return _total(found), tuple((id_of_order(value), 0.0) for value, _address in found.hits)


def _total(found: tantivy.SearchResult) -> int:
    """Exact; Tantivy's type stub does not know it."""
    return int(found.count)  # type: ignore[attr-defined]


def _offset(query: Query) -> int:
    return (query.page - 1) * query.page_size


def _facets(searcher: tantivy.Searcher, clause: tantivy.Query) -> dict[str, tuple[FacetValue, ...]]:
    """Years from the newest, other values from the most frequent."""
    counts = _counts(searcher, clause, _COLUMNS)
    years = sorted(((str(year), count) for year, count in counts["year"].items() if year), reverse=True)
    facets = {"year": tuple(FacetValue(year, count) for year, count in years)}
    for facet, columns in FACET_COLUMNS.items():
        found = sum((counts[column] for column in columns), _counts_of_more(searcher, clause, facet))
        del found[""]
        ranked = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        facets[facet] = tuple(FacetValue(value, count) for value, count in ranked)
    return facets


def _counts_of_more(searcher: tantivy.Searcher, clause: tantivy.Query, facet: str) -> Counter[Any]:
    marked = tantivy.Query.term_query(SCHEMA, "many", facet)
    if not searcher.doc_freq("many", facet):
        return Counter()
    both = tantivy.Query.boolean_query([(tantivy.Occur.Must, marked), (tantivy.Occur.Must, clause)])
    return _counts(searcher, both, (more_column(facet),))[more_column(facet)]


def _counts(searcher: tantivy.Searcher, clause: tantivy.Query, columns: Iterable[str]) -> dict[str, Counter[Any]]:
    """How often each value stands in the columns of all hits."""
    counted = searcher.aggregate(
        clause, {column: {"terms": {"field": column, "size": _MOST_VALUES}} for column in columns}
    )
    return {
        column: Counter({bucket["key"]: bucket["doc_count"] for bucket in buckets["buckets"]})
        for column, buckets in counted.items()
    }
