"""Counts of facet values among the hits in an open Tantivy index."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tantivy

from aggregator.search.base import MOST_VALUES, FacetValue
from aggregator.search.tantivy.schema import FACET_COLUMNS, SCHEMA, WORDED, more_column, printed_column, value_key

# Above the possible number of values: a truncated list would make the sums over segments inexact.
_ALL_VALUES = 10_000
_FREQUENT = 60  # values examined of a facet with unlimited values; some of them are the same in another spelling
_CLASSES = ("ndc", "ndc2", "ndc3")


def count_facets(
    searcher: tantivy.Searcher, clause: tantivy.Query, wanted: Sequence[str], chosen_classes: Sequence[str]
) -> dict[str, tuple[FacetValue, ...]]:
    """Count the values of the wanted facets among the hits of a clause.

    chosen_classes: NDC numbers, within which the next digit is counted too. Years are ordered from newest, classes by
    number, other values from most frequent.
    """
    fields = [*wanted, *_inner_classes(chosen_classes)] if "ndc" in wanted else list(wanted)
    columns = [column for field in fields for column in _columns(field)]
    counts = _counts(searcher, clause, columns)
    result: dict[str, tuple[FacetValue, ...]] = {}
    for facet in wanted:
        if facet == "year":
            years = {str(year): count for year, count in counts["year"].items() if year}
            result[facet] = _values(sorted(years.items(), reverse=True))
        elif facet == "ndc":
            classes = sum(
                (_count_field(searcher, clause, counts, field) for field in fields if field in _CLASSES), Counter()
            )
            result[facet] = _values(sorted(_near_chosen(classes, chosen_classes)))
        elif facet in WORDED:
            result[facet] = _values(_combine_spellings(_ranked(counts[printed_column(facet)]))[:MOST_VALUES])
        else:
            result[facet] = _values(_ranked(_count_field(searcher, clause, counts, facet)))
    return result


def _columns(field: str) -> tuple[str, ...]:
    return (printed_column(field),) if field in WORDED else FACET_COLUMNS.get(field, (field,))


def _inner_classes(chosen: Sequence[str]) -> list[str]:
    """Return the fields of the index that hold longer NDC class numbers than one digit, as far as they are needed.

    Two digits are needed if a class is chosen, three digits if the number of a chosen class has two digits or more.
    """
    return [_CLASSES[digits] for digits in (1, 2) if any(len(number) >= digits for number in chosen)]


def _near_chosen(classes: Counter[str], chosen: Sequence[str]) -> Iterable[tuple[str, int]]:
    """The ten classes, and of the finer ones those directly inside a chosen class or on the way to it."""
    return (
        (value, count)
        for value, count in classes.items()
        if len(value) == 1 or any(number.startswith(value[:-1]) for number in chosen)
    )


def _count_field(
    searcher: tantivy.Searcher, clause: tantivy.Query, counts: Mapping[str, Counter[Any]], field: str
) -> Counter[Any]:
    """The number of hits with each value of a field, over all of its columns."""
    totals = sum((counts[column] for column in FACET_COLUMNS[field]), _count_more(searcher, clause, field))
    del totals[""]
    return totals


def _ranked(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def _combine_spellings(ranked: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Combine values that differ in spelling only, under the most frequent spelling."""
    forms: dict[str, str] = {}
    totals: Counter[str] = Counter()
    for value, count in ranked:
        totals[forms.setdefault(value_key(value), value)] += count
    return totals.most_common()


def _values(pairs: Iterable[tuple[str, int]]) -> tuple[FacetValue, ...]:
    return tuple(FacetValue(value, count) for value, count in pairs)


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
    return _FREQUENT if column.startswith(WORDED) else _ALL_VALUES
