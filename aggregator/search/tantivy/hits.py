"""The hits of one page in an open Tantivy index, and the mark with which the next begins. Knows orders; no facet.

A mark is the order and where in it the last hit stood: "newest:2178914156544". In every order but that of relevance
each document has a place of its own that depends on itself only. So a walk from mark to mark meets every hit that is
there from its beginning to its end exactly once, whatever is written meanwhile. Relevance weighs a document against
all others: its marks count hits, which is exact as long as nothing is written; behind the first RANKED they go on with
all other hits, the newest first ("rest:…").
"""

from typing import NamedTuple

import tantivy
from tantivy import FieldType, Occur

from aggregator.search import base
from aggregator.search.base import ADDED, CHANGED, Query
from aggregator.search.query.limits import bad_mark, number_in, order_of
from aggregator.search.tantivy.schema import SCHEMA, START_OF, id_of_order, start_key

NEAR = 2_000  # texts that are put in order, to pass over them, sooner than their place is looked for
_REST = "rest"


class Order(NamedTuple):
    field: str
    direction: tantivy.Order = tantivy.Order.Asc


# Every document has another value in each of these, so an order is the same at every search.
_ORDERS = {
    "newest": Order("newest", tantivy.Order.Desc),
    "oldest": Order("oldest"),
    "title": Order("by_title"),
    "creator": Order("by_creator"),
    "holdings": Order("most_held", tantivy.Order.Desc),
    ADDED: Order("id", tantivy.Order.Desc),
    CHANGED: Order("latest", tantivy.Order.Desc),
    _REST: Order("newest", tantivy.Order.Desc),
}
Value = int | str


class Page(NamedTuple):
    """total: of all hits, whatever the page. following: the mark of the next page, "" behind the last."""

    total: int
    hits: tuple[tuple[int, float], ...]
    following: str = ""


def page(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query) -> Page:
    """The page that the query asks for, by number or by mark. Raises QueryError for a mark that is not one."""
    sort = order_of(query)
    if query.start and not query.after:
        return _from_place(searcher, clause, query, sort)
    if not query.after:
        offset = (query.page - 1) * query.page_size
        return (
            _ranked(searcher, clause, query, offset) if sort == "relevance" else _first(searcher, clause, query, sort)
        )
    name, _colon, place = query.after.partition(":")
    if sort == "relevance" and name == _REST:
        return _rest(searcher, clause, query, place)
    if name != sort:
        raise bad_mark()
    if sort == "relevance":
        return _ranked(searcher, clause, query, number_in(place, base.RANKED - 1))
    return _behind(searcher, clause, query, sort, place)


def _from_place(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str) -> Page:
    """From a place in the whole result on: the same hits as by marks, as long as nothing is written.

    A page that begins among those that are ranked ends with them.
    """
    if sort != "relevance" and _ORDERS[sort].field in START_OF and query.start > NEAR:
        return _from_deep_place(searcher, clause, query, sort)
    if sort != "relevance":
        return _first(searcher, clause, query, sort, query.start)
    if query.start < base.RANKED:
        return _ranked(searcher, clause, query, query.start)
    return _rest(searcher, clause, query, "", query.start - base.RANKED)


def _from_deep_place(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str) -> Page:
    """Putting texts in order costs for each that is passed over: so those with a beginning before that of the place
    are counted, by halves, and only those with the same beginning are put in order.
    """
    field = _ORDERS[sort].field
    low, high, passed = 0, (1 << 64) - 1, 0  # at most `start` hits begin before `low`
    while low < high:
        middle = (low + high + 1) // 2
        before = _total(searcher.search(_both(clause, _starting(field, 0, middle - 1)), 1))
        if before <= query.start:
            low, passed = middle, before
        else:
            high = middle - 1
    behind = _both(clause, _starting(field, low, None))
    found = _first(searcher, behind, query, sort, query.start - passed)
    return found._replace(total=_total(searcher.search(clause, 1)))


def _ranked(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, offset: int) -> Page:
    size = min(query.page_size, max(base.RANKED - offset, 0)) if query.after or query.start else query.page_size
    found = searcher.search(clause, size, offset=offset, weight_by_field="holdings")
    scores = [score for score, _address in found.hits]
    hits = tuple(zip(_ids(searcher, found), scores, strict=True))
    end, total = offset + len(hits), _total(found)
    following = "" if end >= total or not hits else f"{_REST}:" if end >= base.RANKED else f"relevance:{end}"
    return Page(total, hits, following)


def _rest(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, place: str, offset: int = 0) -> Page:
    """Behind the hits that were ranked: all the others."""
    ranked = searcher.search(clause, base.RANKED, weight_by_field="holdings")
    given = tantivy.Query.term_set_query(SCHEMA, "id", _ids(searcher, ranked))
    others = tantivy.Query.boolean_query([(Occur.Must, clause), (Occur.MustNot, given)])
    found = _behind(searcher, others, query, _REST, place) if place else _first(searcher, others, query, _REST, offset)
    return found._replace(total=_total(ranked))


def _first(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str, offset: int = 0) -> Page:
    if not (offset or query.after or query.start):
        offset = (query.page - 1) * query.page_size
    field, direction = _ORDERS[sort]
    found = searcher.search(clause, query.page_size, offset=offset, order_by_field=field, order=direction)
    values = [value for value, _address in found.hits]
    return _page(sort, values, _total(found), more=_total(found) > offset + len(values))


def _behind(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str, place: str) -> Page:
    """What comes behind a place in an order."""
    field, direction = _ORDERS[sort]
    total = _total(searcher.search(clause, 1))
    if field in START_OF:
        return _behind_text(searcher, clause, query, sort, place)._replace(total=total)
    after = number_in(place, (1 << 63) - 1)
    lower, upper = (0, max(after - 1, 0)) if direction == tantivy.Order.Desc else (after + 1, None)
    behind = tantivy.Query.range_query(SCHEMA, field, FieldType.Unsigned, lower, upper)
    found = searcher.search(_both(clause, behind), query.page_size, order_by_field=field, order=direction)
    values = [value for value, _address in found.hits]
    return _page(sort, values, total, more=_total(found) > len(values))


def _behind_text(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str, place: str) -> Page:
    """Tantivy finds no range of texts: it is asked for those from the same beginning on, and some are passed over."""
    field = _ORDERS[sort].field
    start = start_key(place)
    same = _total(searcher.search(_both(clause, _starting(field, start, start)), 1))
    from_here = _both(clause, _starting(field, start, None))
    found = searcher.search(from_here, query.page_size + same, order_by_field=field, order=tantivy.Order.Asc)
    values = [value for value, _address in found.hits]
    behind = [value for value in values if value > place]
    shown = behind[: query.page_size]
    return _page(sort, shown, 0, more=_total(found) - (len(values) - len(behind)) > len(shown))


def _starting(field: str, first: int, last: int | None) -> tantivy.Query:
    return tantivy.Query.range_query(SCHEMA, START_OF[field], FieldType.Unsigned, first, last)


def _page(sort: str, values: list[Value], total: int, more: bool) -> Page:
    hits = tuple((id_of_order(value), 0.0) for value in values)
    return Page(total, hits, f"{sort}:{values[-1]}" if more and values else "")


def _ids(searcher: tantivy.Searcher, found: tantivy.SearchResult) -> list[int]:
    return [int(number or 0) for number in searcher.fast_field_values("id", [address for _key, address in found.hits])]


def _both(one: tantivy.Query, other: tantivy.Query) -> tantivy.Query:
    return tantivy.Query.boolean_query([(Occur.Must, one), (Occur.Must, tantivy.Query.const_score_query(other, 0.0))])


def _total(found: tantivy.SearchResult) -> int:
    """Exact; Tantivy's type stub does not know it."""
    return int(found.count)  # type: ignore[attr-defined]
