"""/metrics: all figures and counts as Prometheus reads them. Knows prometheus_client; no table.

A group that fails is told as failed and does not hide the others: somebody looks because something is broken.
"""

import logging
import time
from collections.abc import Iterable

from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from aggregator.observability import figures, queue_and_disk
from aggregator.observability.request_counts import OWN, Counts

logger = logging.getLogger(__name__)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
GROUPS: dict[str, figures.Group] = {
    "providers": figures.providers,
    "harvests": figures.harvests,
    "issues": figures.issues,
    "records": figures.records,
    "index": figures.index,
    "notices": figures.notices,
    "backups": figures.backups,
    "queue": queue_and_disk.queue,
    "disk": queue_and_disk.disk,
}


def exposition() -> bytes:
    """Everything, as of now."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures())
    registry.register(Counts())
    return generate_latest(registry)


class Figures(Collector):
    """What is derived at each look."""

    def collect(self) -> Iterable[Metric]:
        failed, seconds = {}, {}
        for name, group in GROUPS.items():
            begun = time.perf_counter()
            found, failed[name] = _figures(name, group)
            yield from map(_metric, found)
            seconds[name] = time.perf_counter() - begun
        words = "1 when these figures could not be had."
        yield _metric(figures.Figure("figures_failed", words, {each: float(failed[each]) for each in failed}, "group"))
        yield _metric(figures.Figure("figures_seconds", "What finding them out cost.", seconds, "group"))


def _figures(name: str, group: figures.Group) -> tuple[list[figures.Figure], bool]:
    try:
        return list(group(timezone.now())), False
    except Exception:
        logger.exception("figures of %s", name)
        return [], True


def _metric(figure: figures.Figure) -> Metric:
    family = GaugeMetricFamily(OWN + figure.name, figure.text, labels=[figure.label] if figure.label else [])
    for label, value in figure.values.items():
        family.add_metric([label] if figure.label else [], float(value))
    return family
