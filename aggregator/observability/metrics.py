"""/metrics: all figures and counts in Prometheus' text format. No database access of its own.

A group that fails is reported as failed and does not hide the others: metrics are needed most when something is broken.
"""

import logging
import time
from collections.abc import Iterable

from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from aggregator.observability import figures
from aggregator.observability.request_counts import PREFIX, Counts

logger = logging.getLogger(__name__)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
GROUPS: dict[str, figures.Group] = {
    "providers": figures.providers,
    "harvests": figures.harvests,
    "issues": figures.issues,
    "records": figures.records,
    "index": figures.index,
    "notices": figures.notices,
    "availability": figures.availability,
    "backups": figures.backups,
    "queue": figures.queue,
    "disk": figures.disk,
}


def exposition() -> bytes:
    """Return all metrics as of now."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures())
    registry.register(Counts())
    return generate_latest(registry)


class Figures(Collector):
    """The figures, computed at every request."""

    def collect(self) -> Iterable[Metric]:
        failed, seconds = {}, {}
        for name, group in GROUPS.items():
            started = time.perf_counter()
            found, failed[name] = _figures(name, group)
            yield from map(_metric, found)
            seconds[name] = time.perf_counter() - started
        text = "1 if these figures could not be computed."
        yield _metric(figures.Figure("figures_failed", text, {name: float(failed[name]) for name in failed}, "group"))
        yield _metric(figures.Figure("figures_seconds", "Time that computing these figures took.", seconds, "group"))


def _figures(name: str, group: figures.Group) -> tuple[list[figures.Figure], bool]:
    try:
        return list(group(timezone.now())), False
    except Exception:
        logger.exception("figures of %s", name)
        return [], True


def _metric(figure: figures.Figure) -> Metric:
    family = GaugeMetricFamily(PREFIX + figure.name, figure.text, labels=[figure.label] if figure.label else [])
    for label, value in figure.values.items():
        family.add_metric([label] if figure.label else [], float(value))
    return family
