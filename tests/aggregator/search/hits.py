"""What a search found, as tests compare it. Knows no engine."""

from aggregator.search.base import Results


def ids(results: Results) -> list[int]:
    """The numbers of the documents, the first hit first."""
    return [number for number, _score in results.hits]
