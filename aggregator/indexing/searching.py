"""Searches for readers, who are to be told when the index lacks books, because it was lost or is being filled."""

from collections.abc import Sequence
from dataclasses import replace

from aggregator.indexing.state import is_partial, lacks_books
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query, Results


def search(query: Query, facets: Sequence[str]) -> Results:
    """Return the results of the live index, `partial` if it lacks books. Raises QueryError and IndexUnavailable.

    "rebuilding" is also raised where nothing is found because the index lacks books: "no hits" would not be true.
    """
    results = get_index().search(query, facets=facets)
    partial = is_partial()
    if not results.total and (partial or lacks_books()):
        raise IndexUnavailable("rebuilding")
    return replace(results, partial=partial)


def search_whole(query: Query, facets: Sequence[str]) -> Results:
    """As `search`, for answers that cannot say that books are missing: IndexUnavailable "rebuilding" instead."""
    results = search(query, facets)
    if results.partial:
        raise IndexUnavailable("rebuilding")
    return results
