"""How often each value of a facet is among the hits in an open Tantivy index. Knows columns; no page, no folder."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tantivy

from aggregator.search.base import MOST_VALUES, FacetValue
from aggregator.search.tantivy.schema import FACET_COLUMNS, SCHEMA, WORDED, more_column, printed_column, value_key

# Above what can be: a cut list of values would make counts of different segments inexact.
_ALL_VALUES = 10_000
_FREQUENT = 60  # values looked at of a facet without end; a few of them are the same in another form
_CLASSES = ("ndc", "ndc2", "ndc3")


def count_facets(
    searcher: tantivy.Searcher, clause: tantivy.Query, wanted: Sequence[str], chosen_classes: Sequence[str]
) -> dict[str, tuple[FacetValue, ...]]:
    """Years from the newest, classes in their order, other values from the most frequent."""
    fields = [*wanted, *_inner_classes(chosen_classes)] if "ndc" in wanted else list(wanted)
    columns = [column for field in fields for column in _columns(field)]
    counts = _counts(searcher, clause, columns)
    found: dict[str, tuple[FacetValue, ...]] = {}
    for facet in wanted:
        if facet == "year":
            years = {str(year): count for year, count in counts["year"].items() if year}
            found[facet] = _values(sorted(years.items(), reverse=True))
        elif facet == "ndc":
            classes = sum((_counted(searcher, clause, counts, each) for each in fields if each in _CLASSES), Counter())
            found[facet] = _values(sorted(_near(classes, chosen_classes)))
        elif facet in WORDED:
            found[facet] = _values(_as_written_most(_ranked(counts[printed_column(facet)]))[:MOST_VALUES])
        else:
            found[facet] = _values(_ranked(_counted(searcher, clause, counts, facet)))
    return found


def _columns(field: str) -> tuple[str, ...]:
    return (printed_column(field),) if field in WORDED else FACET_COLUMNS.get(field, (field,))


def _inner_classes(chosen: Sequence[str]) -> list[str]:
    """The fields with the next digit inside the chosen classes."""
    return [_CLASSES[digits] for digits in (1, 2) if any(len(each) >= digits for each in chosen)]


def _near(classes: Counter[str], chosen: Sequence[str]) -> Iterable[tuple[str, int]]:
    """The ten classes, and of the finer ones those just inside a chosen one or on the way to it."""
    return (
        (value, count)
        for value, count in classes.items()
        if len(value) == 1 or any(each.startswith(value[:-1]) for each in chosen)
    )


def _counted(
    searcher: tantivy.Searcher, clause: tantivy.Query, counts: Mapping[str, Counter[Any]], field: str
) -> Counter[Any]:
    """How many hits have each value of a field, in whichever of its columns."""
    found = sum((counts[column] for column in FACET_COLUMNS[field]), _counts_of_more(searcher, clause, field))
    del found[""]
    return found


def _ranked(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def _as_written_most(ranked: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """What differs in writing only as one value, written as most write it."""
    forms: dict[str, str] = {}
    together: Counter[str] = Counter()
    for value, count in ranked:
        together[forms.setdefault(value_key(value), value)] += count
    return together.most_common()


def _values(pairs: Iterable[tuple[str, int]]) -> tuple[FacetValue, ...]:
    return tuple(FacetValue(value, count) for value, count in pairs)


def _counts_of_more(searcher: tantivy.Searcher, clause: tantivy.Query, facet: str) -> Counter[Any]:
    marked = tantivy.Query.term_query(SCHEMA, "many", facet)
    if not searcher.doc_freq("many", facet):
        return Counter()
    both = tantivy.Query.boolean_query([(tantivy.Occur.Must, marked), (tantivy.Occur.Must, clause)])
    return _counts(searcher, both, (more_column(facet),))[more_column(facet)]


def _counts(searcher: tantivy.Searcher, clause: tantivy.Query, columns: Iterable[str]) -> dict[str, Counter[Any]]:
    """How often each value stands in the columns of all hits."""
    asked = {column: {"terms": {"field": column, "size": _size(column)}} for column in columns}
    counted = searcher.aggregate(clause, asked) if asked else {}
    return {
        column: Counter({bucket["key"]: bucket["doc_count"] for bucket in buckets["buckets"]})
        for column, buckets in counted.items()
    }


def _size(column: str) -> int:
    return _FREQUENT if column.startswith(WORDED) else _ALL_VALUES
