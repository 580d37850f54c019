"""Counts of values among the hits in an open Tantivy index."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import tantivy

from aggregator.search.analysis.fields import PLACED, WORDED, printed_column
from aggregator.search.plan.facets import ALL_VALUES, FREQUENT
from aggregator.search.tantivy.schema import FACET_COLUMNS, SCHEMA, more_column


def count_fields(searcher: tantivy.Searcher, clause: tantivy.Query, fields: Sequence[str]) -> dict[str, Counter[Any]]:
    """The number of hits with each value of these fields, over all columns of a field."""
    counts = _counts(searcher, clause, [column for field in fields for column in _columns(field)])
    return {field: _count_field(searcher, clause, counts, field) for field in fields}


def _columns(field: str) -> tuple[str, ...]:
    return (printed_column(field),) if field in WORDED + PLACED else FACET_COLUMNS.get(field, (field,))


def _count_field(
    searcher: tantivy.Searcher, clause: tantivy.Query, counts: dict[str, Counter[Any]], field: str
) -> Counter[Any]:
    more = _count_more(searcher, clause, field) if field in FACET_COLUMNS else Counter()
    totals: Counter[Any] = sum((counts[column] for column in _columns(field)), more)
    del totals[""]
    return totals


def _count_more(searcher: tantivy.Searcher, clause: tantivy.Query, facet: str) -> Counter[Any]:
    has_more = tantivy.Query.term_query(SCHEMA, "many", facet)
    if not searcher.doc_freq("many", facet):
        return Counter()
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
