"""One search in an open Tantivy index: hits, total and facets. Knows no folder and no writing."""

import tantivy

from aggregator.search.base import MAX_WINDOW, FacetValue, Query, QueryError, Results
from aggregator.search.tantivy_query import engine_query
from aggregator.search.tantivy_schema import id_of_order
from aggregator.search.words import without_text

_ORDERS = {"newest": tantivy.Order.Desc, "oldest": tantivy.Order.Asc}
_SORTS = ("relevance", *_ORDERS)
# Sizes above what can be: a cut list of values would make counts of different segments inexact.
_FACETS = {
    "repository": {"terms": {"field": "repository", "size": 10_000}},
    "year": {"terms": {"field": "year", "size": 10_000}},
    "type": {"terms": {"field": "type", "size": 1_000}},
}


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
    return found.count, tuple((number, score) for number, (score, _address) in zip(ids, found.hits, strict=True))


def _by_year(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str) -> tuple[int, Hits]:
    found = searcher.search(
        clause, query.page_size, offset=_offset(query), order_by_field=sort, order=_ORDERS[sort])
    return found.count, tuple((id_of_order(value), 0.0) for value, _address in found.hits)


def _offset(query: Query) -> int:
    return (query.page - 1) * query.page_size


def _facets(searcher: tantivy.Searcher, clause: tantivy.Query) -> dict[str, tuple[FacetValue, ...]]:
    """Years from the newest, other values from the most frequent."""
    counted = searcher.aggregate(clause, _FACETS)
    facets = {name: [(bucket["key"], bucket["doc_count"]) for bucket in counted[name]["buckets"]] for name in _FACETS}
    facets["year"] = [(int(year), count) for year, count in facets["year"]]
    return {
        "repository": _values(sorted(facets["repository"], key=lambda pair: (-pair[1], pair[0]))),
        "year": _values(sorted(facets["year"], reverse=True)),
        "type": _values(sorted(facets["type"], key=lambda pair: (-pair[1], pair[0]))),
    }


def _values(pairs: list[tuple[object, int]]) -> tuple[FacetValue, ...]:
    return tuple(FacetValue(str(value), count) for value, count in pairs)
