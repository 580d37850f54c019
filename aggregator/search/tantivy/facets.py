"""Counts of facet values among the hits in an open Tantivy index."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tantivy

from aggregator.search.base import MOST_LIBRARIES, MOST_VALUES, FacetValue
from aggregator.search.tantivy.schema import (
    FACET_COLUMNS,
    PLACED,
    PREFECTURE,
    SCHEMA,
    WORDED,
    more_column,
    printed_column,
    value_key,
)

# Above the possible number of values: a truncated list would make the sums over segments inexact.
_ALL_VALUES = 10_000
_FREQUENT = 60  # values examined of a facet with unlimited values; some of them are the same in another spelling
_CLASS_FIELDS = ("ndc", "ndc2", "ndc3")


def count_facets(
    searcher: tantivy.Searcher, clause: tantivy.Query, wanted: Sequence[str], chosen: Mapping[str, Sequence[str]]
) -> dict[str, tuple[FacetValue, ...]]:
    """Count the values of the wanted facets among the hits of a clause.

    chosen: by facet, the values within which its counts are refined (see `Results`). Years are ordered from newest,
    classes by number, other values from most frequent.
    """
    fields = [field for facet in wanted for field in _fields(facet, chosen.get(facet, ()))]
    counts = _counts(searcher, clause, [column for field in fields for column in _columns(field)])

    def count_field(field: str) -> Counter[str]:
        return _count_field(searcher, clause, counts, field)

    return {
        facet: _values(_CUSTOM.get(facet, _plain)(facet, _fields(facet, within), within, count_field))
        for facet in wanted
        for within in [chosen.get(facet, ())]
    }


type Count = Callable[[str], Counter[Any]]  # field of the index -> the number of hits by value
type Pairs = Iterable[tuple[str, int]]


def _fields(facet: str, within: Sequence[str]) -> list[str]:
    """Return the fields of the index that a facet is counted from."""
    if facet == "ndc":
        return ["ndc", *_inner_classes(within)]
    return ["region", "municipality"] if facet == "region" and within else [facet]


def _plain(_facet: str, fields: Sequence[str], _within: Sequence[str], count: Count) -> Pairs:
    return _ranked(count(fields[0]))


def _years(_facet: str, _fields: Sequence[str], _within: Sequence[str], count: Count) -> Pairs:
    years = {str(year): number for year, number in count("year").items() if year}
    return sorted(years.items(), reverse=True)


def _classes(_facet: str, fields: Sequence[str], within: Sequence[str], count: Count) -> Pairs:
    return sorted(_near_chosen(sum(map(count, fields), Counter()), within))


def _worded(facet: str, _fields: Sequence[str], _within: Sequence[str], count: Count) -> Pairs:
    return _combine_spellings(_ranked(count(facet)))[:MOST_VALUES]


def _regions(_facet: str, fields: Sequence[str], within: Sequence[str], count: Count) -> Pairs:
    """All prefectures, and the municipalities of each prefecture that is chosen or has a chosen municipality."""
    prefectures = {code[:PREFECTURE] for code in within}
    return [
        (code, number)
        for code, number in _ranked(sum(map(count, fields), Counter()))
        if len(code) == PREFECTURE or code[:PREFECTURE] in prefectures
    ]


def _libraries(_facet: str, _fields: Sequence[str], within: Sequence[str], count: Count) -> Pairs:
    """The libraries in the chosen regions; of all if none is chosen."""
    located = _ranked(count("library"))
    regions = tuple(within) or ("",)
    held = [(value.partition("/")[2], number) for value, number in located if value.startswith(regions)]
    return held[:MOST_LIBRARIES]


# facet -> how its values are counted, where that is not `_plain`
_CUSTOM: dict[str, Callable[[str, Sequence[str], Sequence[str], Count], Pairs]] = {
    "year": _years,
    "ndc": _classes,
    "region": _regions,
    "library": _libraries,
    **dict.fromkeys(WORDED, _worded),
}


def _columns(field: str) -> tuple[str, ...]:
    return (printed_column(field),) if field in WORDED + PLACED else FACET_COLUMNS.get(field, (field,))


def _inner_classes(chosen: Sequence[str]) -> list[str]:
    """Return the fields of the index that hold longer NDC class numbers than one digit, as far as they are needed.

    Two digits are needed if a class is chosen, three digits if the number of a chosen class has two digits or more.
    """
    return [_CLASS_FIELDS[digits] for digits in (1, 2) if any(len(number) >= digits for number in chosen)]


def _near_chosen(classes: Counter[str], chosen: Sequence[str]) -> Iterable[tuple[str, int]]:
    """The ten main classes, and those directly inside a chosen class or inside a class that contains it."""
    return (
        (value, count)
        for value, count in classes.items()
        if len(value) == 1 or any(number.startswith(value[:-1]) for number in chosen)
    )


def _count_field(
    searcher: tantivy.Searcher, clause: tantivy.Query, counts: Mapping[str, Counter[Any]], field: str
) -> Counter[Any]:
    """The number of hits with each value of a field, over all of its columns."""
    more = _count_more(searcher, clause, field) if field in FACET_COLUMNS else Counter()
    totals: Counter[Any] = sum((counts[column] for column in _columns(field)), more)
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
