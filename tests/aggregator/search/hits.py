"""Search results in the form that tests compare. Independent of the engine."""

from aggregator.search.base import Results


def ids(results: Results) -> list[int]:
    """The ids of the hits, the first hit first."""
    return [number for number, _score in results.hits]
