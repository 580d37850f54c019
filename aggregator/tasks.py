"""Queue jobs of aggregation: call one function."""

from aggregator.aggregate import aggregate_pending
from aggregator.indexing import index_pending


def aggregate() -> int:
    """Match, merge and index all that waits; returns how many records were taken."""
    done = sum(aggregate_pending())
    for _each in index_pending():
        pass
    return done
