"""Counts and durations of requests, summed over all processes of one web server.

The processes share files in the folder that `aggregator.deployment.web_server` sets in the environment. Without it
every process counts for itself.
"""

import os
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from aggregator.deployment.web_server import COUNTS_VARIABLE

PREFIX = "aggregator_"  # of the names of all metrics of this site
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 10.0)
_REGISTRY = CollectorRegistry()
# Statuses that are counted separately: over budget, busy. The others are counted by their first digit.
_DISTINCT_STATUSES = {429: "429", 503: "503"}
_REQUESTS = Counter(
    "aggregator_requests", "Requests answered, by part of the site and status.", ("kind", "status"), registry=_REGISTRY
)
_DURATIONS = Histogram(
    "aggregator_request_seconds",
    "How long requests took, by part of the site.",
    ("kind",),
    buckets=SECONDS,
    registry=_REGISTRY,
)
_UNLIMITED = Counter(
    "aggregator_unlimited_searches",
    "Searches that were let through without counting, because Redis did not answer.",
    registry=_REGISTRY,
)


def count(kind: str, status: int, seconds: float) -> None:
    """Count one answered request."""
    _REQUESTS.labels(kind, _DISTINCT_STATUSES.get(status, f"{status // 100}xx")).inc()
    _DURATIONS.labels(kind).observe(seconds)


def count_unlimited() -> None:
    """Count one search that was let through without a rate limit."""
    _UNLIMITED.inc()


class Counts(Collector):
    """The counts so far, of all processes that share the folder. Metrics that RQ writes there are left out."""

    def collect(self) -> Iterable[Metric]:
        folder = os.environ.get(COUNTS_VARIABLE)
        source: Collector = _REGISTRY
        if folder:
            source = MultiProcessCollector(CollectorRegistry(), path=folder)  # type: ignore[no-untyped-call]
        return (metric for metric in source.collect() if metric.name.startswith(PREFIX))
