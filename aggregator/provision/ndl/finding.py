"""Runs a search of the face of NDL Search: within its window of hits, in its orders, with its facets. No HTTP."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from aggregator.catalogue.books import Book
from aggregator.indexing.searching import search_whole
from aggregator.provision import permitted_books
from aggregator.provision.contents import all_terms
from aggregator.search.base import FacetValue, Query
from aggregator.search.tree import Node

WINDOW = 500  # hits that can be read, as NDL Search limits them; `total` counts all
DEFAULT_COUNT = 200
FACETS = ("repository", "ndc", "year")


@dataclass(frozen=True, slots=True)
class Order:
    """A sort order of this site, read from its end if is_reversed."""

    sort: str
    is_reversed: bool = False


RELEVANCE = Order("relevance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to find. start: from 1. count: hits at most; both are cut to the window."""

    tree: Node
    start: int = 1
    count: int = DEFAULT_COUNT
    order: Order = RELEVANCE


@dataclass(frozen=True, slots=True)
class Found:
    """The hits as (position, book) in their order; a book that was deleted since it was indexed is left out.

    next: position of the next hit that can be read, 0 after the last.
    """

    total: int = 0
    books: Sequence[tuple[int, Book]] = ()
    next: int = 0
    facets: Mapping[str, Sequence[FacetValue]] = field(default_factory=dict)


def find(wanted: Wanted, facets: Sequence[str] = ()) -> Found:
    """Return the hits. Raises QueryError and IndexUnavailable as the search does."""
    count = max(min(wanted.count, WINDOW + 1 - wanted.start), 0)
    query = permitted_books.restrict_to_permitted(Query(tree=wanted.tree, sort=wanted.order.sort))
    if count and not wanted.order.is_reversed:
        results = search_whole(replace(query, start=wanted.start - 1, page_size=count), facets=facets)
        numbers = [number for number, _score in results.hits]
    else:
        results = search_whole(replace(query, page_size=1), facets=facets)
        numbers = _from_the_end(query, results.total, wanted.start, count) if count else []
    following = wanted.start + len(numbers)
    more = bool(numbers) and following <= min(results.total, WINDOW)
    return Found(results.total, _books(numbers, wanted.start), following if more else 0, _permitted(results.facets))


def _from_the_end(query: Query, total: int, start: int, count: int) -> list[int]:
    """Return the hits of a page in the opposite order, which the search does not have itself."""
    last = total - (start - 1)
    if last <= 0:
        return []
    first = max(last - count, 0)
    results = search_whole(replace(query, start=first, page_size=last - first), facets=())
    return [number for number, _score in reversed(results.hits)]


def _books(numbers: Sequence[int], start: int) -> list[tuple[int, Book]]:
    books = permitted_books.with_holdings(permitted_books.books(numbers))
    return [(position, books[number]) for position, number in enumerate(numbers, start) if number in books]


def _permitted(facets: Mapping[str, Sequence[FacetValue]]) -> dict[str, Sequence[FacetValue]]:
    """Return the facets without the providers whose records are not redistributed."""
    permitted = {provider.number for provider in all_terms().values() if provider.give_on} if facets else set()
    return {
        name: [value for value in values if name != "repository" or value.value in permitted]
        for name, values in facets.items()
    }
