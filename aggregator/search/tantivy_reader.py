"""One search in an open Tantivy index: hits, total and facets. Knows no folder and no writing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import tantivy

from aggregator.search.base import CHOICES, CHOSEN_WITH, FACETS, FacetValue, Query, Results
from aggregator.search.tantivy_cost import check_cost
from aggregator.search.tantivy_facets import count_facets
from aggregator.search.tantivy_hits import check_page, page
from aggregator.search.tantivy_query import engine_query


def search(searcher: tantivy.Searcher | None, query: Query, facets: Sequence[str] = FACETS) -> Results:
    """The page asked for. searcher: None for an index that was never written to. Raises QueryError."""
    check_page(query)
    clause = engine_query(query)
    if searcher is None:
        return Results(total=0, hits=())
    check_cost(searcher, query)
    found = page(searcher, clause, query)
    counts = count_facets(searcher, clause, facets, query.ndcs) if found.total else {}
    return Results(total=found.total, hits=found.hits, facets=counts, next=found.following)


def alternatives(searcher: tantivy.Searcher | None, query: Query) -> dict[str, tuple[FacetValue, ...]]:
    """See SearchIndex."""
    found: dict[str, tuple[FacetValue, ...]] = {}
    for facet, wider in _widened(query):
        clause = engine_query(wider)
        if searcher is not None:
            check_cost(searcher, wider)
            found |= count_facets(searcher, clause, (facet,), query.ndcs)
    return found


def _widened(query: Query) -> Iterator[tuple[str, Query]]:
    """For each facet with a choice in force the query without it."""
    for facet, condition in CHOSEN_WITH.items():
        if (field := CHOICES.get(condition)) and getattr(query, field):
            without: dict[str, Any] = {field: ()}
            yield facet, replace(query, **without)
    if query.online:
        yield "online", replace(query, online=False)
    if query.from_year or query.until_year:
        yield "year", replace(query, from_year=0, until_year=0)
