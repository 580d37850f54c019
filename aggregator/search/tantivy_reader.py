"""One search in an open Tantivy index: hits, total and facets. Knows no folder and no writing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import tantivy

from aggregator.search.base import (
    ADDED,
    CHOICES,
    CHOSEN_WITH,
    FACETS,
    MAX_WINDOW,
    MOST_VALUES,
    SORTS,
    FacetValue,
    Query,
    QueryError,
    Results,
    without_text,
)
from aggregator.search.tantivy_query import engine_query
from aggregator.search.tantivy_schema import (
    FACET_COLUMNS,
    SCHEMA,
    WORDED,
    id_of_order,
    more_column,
    printed_column,
    value_key,
)

# Every document has another value in each of these, so an order is the same at every search.
_ORDERS = {
    "newest": ("newest", tantivy.Order.Desc),
    "oldest": ("oldest", tantivy.Order.Asc),
    "title": ("by_title", tantivy.Order.Asc),
    "creator": ("by_creator", tantivy.Order.Asc),
    "holdings": ("most_held", tantivy.Order.Desc),
    ADDED: ("id", tantivy.Order.Desc),
}
# Above what can be: a cut list of values would make counts of different segments inexact.
_ALL_VALUES = 10_000
_FREQUENT = 60  # values looked at of a facet without end; a few of them are the same in another form
_CLASSES = ("ndc", "ndc2", "ndc3")


def search(searcher: tantivy.Searcher | None, query: Query, facets: Sequence[str] = FACETS) -> Results:
    """The page asked for. searcher: None for an index that was never written to. Raises QueryError."""
    _check_page(query)
    clause = engine_query(query)
    if searcher is None:
        return Results(total=0, hits=())
    # Without any text all scores are equal, and an order that people understand is worth more.
    sort = "newest" if query.sort == "relevance" and without_text(query) else query.sort
    total, hits = (
        _by_score(searcher, clause, query) if sort == "relevance" else _in_order(searcher, clause, query, sort)
    )
    return Results(total=total, hits=hits, facets=_facets(searcher, clause, facets, query.ndcs) if total else {})


def alternatives(searcher: tantivy.Searcher | None, query: Query) -> dict[str, tuple[FacetValue, ...]]:
    """See SearchIndex."""
    found: dict[str, tuple[FacetValue, ...]] = {}
    for facet, wider in _widened(query):
        clause = engine_query(wider)
        if searcher is not None:
            found |= _facets(searcher, clause, (facet,), query.ndcs)
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


def _check_page(query: Query) -> None:
    if query.sort not in (*SORTS, ADDED):
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


def _in_order(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str) -> tuple[int, Hits]:
    field, order = _ORDERS[sort]
    found = searcher.search(clause, query.page_size, offset=_offset(query), order_by_field=field, order=order)
    return _total(found), tuple((id_of_order(value), 0.0) for value, _address in found.hits)


def _total(found: tantivy.SearchResult) -> int:
    """Exact; Tantivy's type stub does not know it."""
    return int(found.count)  # type: ignore[attr-defined]


def _offset(query: Query) -> int:
    return (query.page - 1) * query.page_size


def _facets(
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
