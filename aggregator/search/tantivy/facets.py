"""Counts of values among the hits in an open Tantivy index."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import tantivy

from aggregator.search.analysis.fields import PLACED, WORDED, printed_column, value_field
from aggregator.search.plan.facets import ALL_VALUES, FREQUENT
from aggregator.search.tantivy.schema import FACET_COLUMNS, SCHEMA, more_column

# Facets whose values are from short lists, so that it is quick to see whether any book has one.
FEW_VALUES = ("online", "accessible", "fulltext", "kind", "access", "licence")
VERY_MANY = 100_000  # hits


class Hits(NamedTuple):
    """The query that finds the hits. total: how many they are, 0 if that is not known."""

    clause: tantivy.Query
    total: int = 0


def count_fields(searcher: tantivy.Searcher, hits: Hits, fields: Sequence[str]) -> dict[str, Counter[Any]]:
    """The number of hits with each value of these fields, over all columns of a field.

    All columns are counted in one search, because finding the hits may take longer than counting. An exception are
    very many hits: a column for several values takes five times as long for a hit as others, so only the books with
    such values are looked for again.
    """
    columns = {field: list(_columns(searcher, field)) for field in fields}
    more = [field for field in fields if field in FACET_COLUMNS and searcher.doc_freq("many", field)]
    if hits.total <= VERY_MANY:
        for field in more:
            columns[field].append(more_column(field))
        more = []
    counts = _counts(searcher, hits.clause, chain.from_iterable(columns.values()))
    totals = {field: sum((counts[column] for column in of_field), Counter()) for field, of_field in columns.items()}
    for field in more:
        totals[field] += _count_more(searcher, hits.clause, field)
    for counted in totals.values():
        del counted[""]
    return totals


def _columns(searcher: tantivy.Searcher, field: str) -> tuple[str, ...]:
    """The columns of a field that have one value for every book; none if no book has a value."""
    if field in FEW_VALUES and not searcher.terms_with_prefix(value_field(field), "", limit=1):
        return ()
    return (printed_column(field),) if field in WORDED + PLACED else FACET_COLUMNS.get(field, (field,))


def _count_more(searcher: tantivy.Searcher, clause: tantivy.Query, facet: str) -> Counter[Any]:
    has_more = tantivy.Query.term_query(SCHEMA, "many", facet)
    both = tantivy.Query.boolean_query([(tantivy.Occur.Must, has_more), (tantivy.Occur.Must, clause)])
    return _counts(searcher, both, (more_column(facet),))[more_column(facet)]


def _counts(searcher: tantivy.Searcher, clause: tantivy.Query, columns: Iterable[str]) -> dict[str, Counter[Any]]:
    """How often each value occurs in the columns of all hits."""
    aggregations = {column: {"terms": {"field": column, "size": _size(column)}} for column in columns}
    results = searcher.aggregate(clause, aggregations) if aggregations else {}
    return {
        column: Counter({bucket["key"]: bucket["doc_count"] for bucket in buckets["buckets"]})
        for column, buckets in results.items()
    }


def _size(column: str) -> int:
    return FREQUENT if column.startswith(WORDED) else ALL_VALUES
