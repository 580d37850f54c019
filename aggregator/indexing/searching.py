"""Searches for readers, who are not to be told that there is nothing while the index is gone."""

from collections.abc import Sequence

from aggregator.indexing.state import lacks_books
from aggregator.search import get_index
from aggregator.search.base import IndexUnavailable, Query, Results


def search(query: Query, facets: Sequence[str]) -> Results:
    """Return the results of the live index. Raises QueryError and IndexUnavailable.

    "rebuilding" is also raised where nothing is found because the index lacks books (see `state.lacks_books`).
    """
    results = get_index().search(query, facets=facets)
    if not results.total and lacks_books():
        raise IndexUnavailable("rebuilding")
    return results
