"""Requests counted and timed, in all processes of one web server together. Knows prometheus_client; no request.

The processes share files in the folder that `aggregator.deployment.web_server` names; where it names none, each counts
alone.
"""

import os
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from aggregator.deployment.web_server import COUNTS

OWN = "aggregator_"  # how our names begin
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 10.0)
_ALONE = CollectorRegistry()
# Statuses that mean something of their own here: over budget, busy. The others by their first digit.
_OWN = {429: "429", 503: "503"}
_REQUESTS = Counter(
    "aggregator_requests", "Requests answered, by part of the site and status.", ("kind", "status"), registry=_ALONE
)
_DURATIONS = Histogram(
    "aggregator_request_seconds",
    "How long requests took, by part of the site.",
    ("kind",),
    buckets=SECONDS,
    registry=_ALONE,
)


def count(kind: str, status: int, seconds: float) -> None:
    """One request is answered."""
    _REQUESTS.labels(kind, _OWN.get(status, f"{status // 100}xx")).inc()
    _DURATIONS.labels(kind).observe(seconds)


class Counts(Collector):
    """What was counted so far, by all processes where they share. RQ counts of its own there, which are not ours."""

    def collect(self) -> Iterable[Metric]:
        folder = os.environ.get(COUNTS)
        source: Collector = _ALONE
        if folder:
            source = MultiProcessCollector(CollectorRegistry(), path=folder)  # type: ignore[no-untyped-call]
        return (each for each in source.collect() if each.name.startswith(OWN))
