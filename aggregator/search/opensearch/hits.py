"""The hits of one page, and the cursor for the next page, which are the same as those of the embedded engine.

A cursor is the sort order and the position of the last hit in it. Relevance compares a document with all others: its
cursors count hits, and after the first RANKED hits they continue with all others, newest first ("rest:…").
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from aggregator.search import base
from aggregator.search.analysis.orders import ORDERS, REST, id_of_order
from aggregator.search.base import Query
from aggregator.search.opensearch.mapping import FACTOR, WINDOW
from aggregator.search.opensearch.plan import Json, engine_query
from aggregator.search.plan.nodes import Both, Constant, OneOf, Plan
from aggregator.search.query.limits import bad_cursor, cursor_number, order_of

type Ask = Callable[[Json], dict[str, Any]]  # sends a search, returns the answer
_BEST_FIRST: list[Json] = [{"_score": "desc"}, {"id": "asc"}]


class Page(NamedTuple):
    """total: of all hits, whatever the page. following: the cursor of the next page, "" on the last one."""

    total: int
    hits: tuple[tuple[int, float], ...]
    following: str = ""


def page(ask: Ask, plan: Plan, query: Query) -> Page:
    """The page that the query asks for, by number or cursor. Raises QueryError for an invalid cursor."""
    sort = order_of(query)
    if not query.after:
        offset = query.start or (query.page - 1) * query.page_size
        if sort != "relevance":
            return _ordered(ask, plan, query, sort, offset=offset)
        if not query.start or offset < base.RANKED:
            return _ranked(ask, plan, query, offset)
        return _rest(ask, plan, query, "", offset - base.RANKED)
    name, _colon, position = query.after.partition(":")
    if sort == "relevance" and name == REST:
        return _rest(ask, plan, query, position)
    if name != sort:
        raise bad_cursor()
    if sort == "relevance":
        return _ranked(ask, plan, query, cursor_number(position, base.RANKED - 1))
    return _ordered(ask, plan, query, sort, position)


def best_ids(ask: Ask, plan: Plan, count: int) -> list[int]:
    """The ids of the best hits."""
    return [number for number, _score in _best(ask, plan, 0, count)[0]]


def _best(ask: Ask, plan: Plan, offset: int, size: int) -> tuple[list[tuple[int, float]], int]:
    """The best hits from an offset on, with their scores; and the number of all hits."""
    scored = {
        "function_score": {
            "query": engine_query(plan),
            "field_value_factor": {"field": FACTOR},
            "boost_mode": "multiply",
        }
    }
    answer = ask({"query": scored, "sort": _BEST_FIRST, "from": offset, "size": size})
    return [(hit["sort"][1], hit["sort"][0]) for hit in answer["hits"]["hits"]], _total(answer)


def _ranked(ask: Ask, plan: Plan, query: Query, offset: int) -> Page:
    by_position = bool(query.after or query.start)
    size = min(query.page_size, max(base.RANKED - offset, 0)) if by_position else query.page_size
    hits, total = _best(ask, plan, offset, size)
    end = offset + len(hits)
    following = "" if end >= total or not hits else f"{REST}:" if end >= base.RANKED else f"relevance:{end}"
    return Page(total, tuple(hits), following)


def _rest(ask: Ask, plan: Plan, query: Query, position: str, offset: int = 0) -> Page:
    """The hits after the ranked ones: all others."""
    ranked, total = _best(ask, plan, 0, base.RANKED)
    others = Both(must=(plan,), must_not=(OneOf("id", tuple(number for number, _score in ranked)),))
    return _ordered(ask, others, query, REST, position, offset)._replace(total=total)


def _ordered(ask: Ask, plan: Plan, query: Query, sort: str, position: str = "", offset: int = 0) -> Page:
    """The hits after a position in an order, or from an offset on."""
    field, largest_first = ORDERS[sort]
    request: Json = {
        "query": engine_query(Constant(plan)),
        "sort": [{field: "desc" if largest_first else "asc"}],
        "size": query.page_size + 1,
    }
    if position:
        request["search_after"] = [position if field.startswith("by_") else cursor_number(position, (1 << 63) - 1)]
    if offset + query.page_size < WINDOW:
        answer = ask({**request, "from": offset} if offset else request)
    else:
        answer = _far(ask, request, offset)
    values = [hit["sort"][0] for hit in answer["hits"]["hits"]]
    shown = values[: query.page_size]
    hits = tuple((id_of_order(value), 0.0) for value in shown)
    return Page(_total(answer), hits, f"{sort}:{shown[-1]}" if len(values) > len(shown) else "")


def _far(ask: Ask, request: Json, offset: int) -> dict[str, Any]:
    """The answer to a request from an offset that is too far for OpenSearch to count to: everything before it is read
    in large pages.
    """
    while offset:
        size = min(offset, WINDOW)
        answer = ask({**request, "size": size})
        skipped = answer["hits"]["hits"]
        if len(skipped) < size:
            return ask({**request, "size": 0})
        request, offset = {**request, "search_after": skipped[-1]["sort"]}, offset - size
    return ask(request)


def _total(answer: dict[str, Any]) -> int:
    return int(answer["hits"]["total"]["value"])
