"""The hits of one page in an open Tantivy index, and the cursor for the next page. Facets are counted elsewhere.

A cursor is the sort order and the position of the last hit in it: "newest:2178914156544". In every order but
relevance, a document's position depends on the document only. So reading from cursor to cursor returns every hit that
exists from beginning to end exactly once, whatever is written meanwhile. Relevance compares a document with all
others: its cursors count hits, which is exact as long as nothing is written; after the first RANKED hits they
continue with all others, newest first ("rest:…").
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import tantivy
from tantivy import FieldType, Occur

from aggregator.search import base
from aggregator.search.analysis.orders import ORDERS, REST, id_of_order
from aggregator.search.base import Query
from aggregator.search.plan.alike import alike_plan
from aggregator.search.plan.near import MOST as MOST_NEAR
from aggregator.search.plan.nodes import Plan
from aggregator.search.query.limits import bad_cursor, cursor_number, order_of
from aggregator.search.tantivy.frequencies import Frequencies
from aggregator.search.tantivy.plan import engine_query
from aggregator.search.tantivy.schema import SCHEMA, START_OF, start_key
from aggregator.search.tree import Phrase, Word

SORTED_OFFSET = 2_000  # up to this offset hits in text order are sorted and skipped; beyond it the position is searched
FEW = 300  # hits that are all read with the first page, so that counting their facets does not search again
type Value = int | str


class Page(NamedTuple):
    """total: of all hits, whatever the page. following: the cursor of the next page, "" on the last one.

    every: the ids of all hits, if there are at most FEW; () if there are more, or if they are not known.
    """

    total: int
    hits: tuple[tuple[int, float], ...]
    following: str = ""
    every: tuple[int, ...] = ()


def page(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, *, every: bool = False) -> Page:
    """The page that the query asks for, by number or cursor. Raises QueryError for an invalid cursor.

    every: whether the ids of all hits are wanted as well.
    """
    sort = order_of(query)
    if query.start and not query.after:
        return _from_offset(searcher, clause, query, sort)
    if not query.after:
        offset = (query.page - 1) * query.page_size
        return (
            _ranked(searcher, clause, query, offset, every=every)
            if sort == "relevance"
            else _first(searcher, clause, query, sort)
        )
    name, _colon, position = query.after.partition(":")
    if sort == "relevance" and name == REST:
        return _rest(searcher, clause, query, position)
    if name != sort:
        raise bad_cursor()
    if sort == "relevance":
        return _ranked(searcher, clause, query, cursor_number(position, base.RANKED - 1))
    return _after_position(searcher, clause, query, sort, position)


def these(ids: Iterable[int]) -> tantivy.Query:
    """Find the books with these ids, of which there are at most FEW."""
    return tantivy.Query.boolean_query([(Occur.Should, tantivy.Query.term_query(SCHEMA, "id", pk)) for pk in ids])


def near_books(searcher: tantivy.Searcher, plans: Iterable[Plan]) -> tuple[int, ...]:
    """The ids of the first books of each plan."""
    ids: dict[int, None] = {}
    for plan in plans:
        result = searcher.search(engine_query(plan), MOST_NEAR, count=False, weight_by_field="holdings")
        ids |= dict.fromkeys(_ids(searcher, result.hits))
    return tuple(ids)


def books_alike(searcher: tantivy.Searcher, traits: Sequence[Word | Phrase], most: int) -> tuple[int, ...]:
    """See SearchIndex.alike."""
    frequencies = Frequencies(searcher)
    clause = frequencies.query(alike_plan(traits, frequencies.at_most))
    return tuple(_ids(searcher, searcher.search(clause, most, count=False, weight_by_field="holdings").hits))


def _from_offset(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str) -> Page:
    """The hits from an offset in the whole result: the same hits as by cursors, as long as nothing is written.

    A page that begins among the ranked hits ends with them.
    """
    if sort != "relevance" and ORDERS[sort][0] in START_OF and query.start > SORTED_OFFSET:
        return _from_deep_offset(searcher, clause, query, sort)
    if sort != "relevance":
        return _first(searcher, clause, query, sort, query.start)
    if query.start < base.RANKED:
        return _ranked(searcher, clause, query, query.start)
    return _rest(searcher, clause, query, "", query.start - base.RANKED)


def _from_deep_offset(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str) -> Page:
    """As `_from_offset`, for a large offset in text order.

    Sorting texts costs time for every skipped hit. So a binary search over the beginnings of texts counts the hits
    before the offset, and only hits with the same beginning are sorted.
    """
    field = ORDERS[sort][0]
    low, high, skipped = 0, (1 << 64) - 1, 0  # at most `start` hits begin before `low`
    while low < high:
        middle = (low + high + 1) // 2
        before = _total(searcher.search(_both(clause, _beginning_between(field, 0, middle - 1)), 1))
        if before <= query.start:
            low, skipped = middle, before
        else:
            high = middle - 1
    from_low = _both(clause, _beginning_between(field, low, None))
    result = _first(searcher, from_low, query, sort, query.start - skipped)
    return result._replace(total=_total(searcher.search(clause, 1)))


def _ranked(
    searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, offset: int, *, every: bool = False
) -> Page:
    size = min(query.page_size, max(base.RANKED - offset, 0)) if query.after or query.start else query.page_size
    most = max(size, FEW) if every and not offset else size
    result = searcher.search(clause, most, offset=offset, weight_by_field="holdings")
    total = _total(result)
    is_every = every and not offset and total <= FEW
    found = result.hits if is_every else result.hits[:size]
    ids = _ids(searcher, found)
    hits = tuple(zip(ids, (score for score, _address in found), strict=True))[:size]
    end = offset + len(hits)
    following = "" if end >= total or not hits else f"{REST}:" if end >= base.RANKED else f"relevance:{end}"
    return Page(total, hits, following, tuple(ids) if is_every else ())


def _rest(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, position: str, offset: int = 0) -> Page:
    """The hits after the ranked ones: all others."""
    ranked = searcher.search(clause, base.RANKED, weight_by_field="holdings")
    ranked_ids = tantivy.Query.term_set_query(SCHEMA, "id", _ids(searcher, ranked.hits))
    others = tantivy.Query.boolean_query([(Occur.Must, clause), (Occur.MustNot, ranked_ids)])
    result = (
        _after_position(searcher, others, query, REST, position)
        if position
        else _first(searcher, others, query, REST, offset)
    )
    return result._replace(total=_total(ranked))


def _first(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str, offset: int = 0) -> Page:
    if not (offset or query.after or query.start):
        offset = (query.page - 1) * query.page_size
    field, direction = _order(sort)
    result = searcher.search(clause, query.page_size, offset=offset, order_by_field=field, order=direction)
    values = [value for value, _address in result.hits]
    return _page(sort, values, _total(result), more=_total(result) > offset + len(values))


def _after_position(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str, position: str) -> Page:
    """The hits after a position in an order."""
    field, direction = _order(sort)
    total = _total(searcher.search(clause, 1))
    if field in START_OF:
        return _after_text(searcher, clause, query, sort, position)._replace(total=total)
    after = cursor_number(position, (1 << 63) - 1)
    lower, upper = (0, max(after - 1, 0)) if direction == tantivy.Order.Desc else (after + 1, None)
    after_clause = tantivy.Query.range_query(SCHEMA, field, FieldType.Unsigned, lower, upper)
    result = searcher.search(_both(clause, after_clause), query.page_size, order_by_field=field, order=direction)
    values = [value for value, _address in result.hits]
    return _page(sort, values, total, more=_total(result) > len(values))


def _after_text(searcher: tantivy.Searcher, clause: tantivy.Query, query: Query, sort: str, position: str) -> Page:
    """Tantivy has no range search over texts: search from the same beginning on and skip those up to the position."""
    field = ORDERS[sort][0]
    start = start_key(position)
    same_beginning = _total(searcher.search(_both(clause, _beginning_between(field, start, start)), 1))
    from_here = _both(clause, _beginning_between(field, start, None))
    result = searcher.search(from_here, query.page_size + same_beginning, order_by_field=field, order=tantivy.Order.Asc)
    values = [value for value, _address in result.hits]
    after = [value for value in values if value > position]
    shown = after[: query.page_size]
    return _page(sort, shown, 0, more=_total(result) - (len(values) - len(after)) > len(shown))


def _order(sort: str) -> tuple[str, tantivy.Order]:
    field, largest_first = ORDERS[sort]
    return field, tantivy.Order.Desc if largest_first else tantivy.Order.Asc


def _beginning_between(field: str, first: int, last: int | None) -> tantivy.Query:
    return tantivy.Query.range_query(SCHEMA, START_OF[field], FieldType.Unsigned, first, last)


def _page(sort: str, values: list[Value], total: int, more: bool) -> Page:
    hits = tuple((id_of_order(value), 0.0) for value in values)
    return Page(total, hits, f"{sort}:{values[-1]}" if more and values else "")


def _ids(searcher: tantivy.Searcher, hits: Sequence[tuple[Any, tantivy.DocAddress]]) -> list[int]:
    return ids_of(searcher, [address for _key, address in hits])


def ids_of(searcher: tantivy.Searcher, addresses: Sequence[tantivy.DocAddress]) -> list[int]:
    """The ids of the books at these addresses."""
    return [int(number or 0) for number in searcher.fast_field_values("id", list(addresses))]


def _both(one: tantivy.Query, other: tantivy.Query) -> tantivy.Query:
    return tantivy.Query.boolean_query([(Occur.Must, one), (Occur.Must, tantivy.Query.const_score_query(other, 0.0))])


def _total(result: tantivy.SearchResult) -> int:
    """The exact number of hits; missing in Tantivy's type stub."""
    return int(result.count)  # type: ignore[attr-defined]
