"""Gauges of the queue server, the disk and the size of the database."""

import shutil
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from redis.exceptions import RedisError

from aggregator.observability.backlog import age
from aggregator.observability.figures import Figure, single
from core.database.dialects import dialect
from core.work.queues import NEVER, queue_states


def queue(now: datetime) -> Iterator[Figure]:
    """Length of the queues, waiting time of the first job, failed jobs and workers."""
    try:
        states = queue_states()
    except RedisError:
        yield single("queue_up", "1 if the queue server answers.", 0)
        return
    waits = {state.name: age(now, state.since) if state.since != NEVER else 0.0 for state in states}
    yield single("queue_up", "1 if the queue server answers.", 1)
    yield Figure("queue_jobs", "Jobs that wait.", {state.name: float(state.waiting) for state in states}, "queue")
    yield Figure("queue_oldest_seconds", "How long the first job has been waiting.", waits, "queue")
    yield Figure("queue_failed", "Jobs that failed; their work is taken over by later jobs.",
                 {state.name: float(state.failed) for state in states}, "queue")  # fmt: skip
    yield Figure("queue_workers", "Workers that listen to the queue.",
                 {state.name: float(state.workers) for state in states}, "queue")  # fmt: skip


def disk(_now: datetime) -> Iterator[Figure]:
    usage = shutil.disk_usage(settings.DATA_DIR)
    yield single("disk_free_bytes", "Free space on the disk with AGGREGATOR_DATA.", usage.free)
    yield single("disk_bytes", "Size of the disk with AGGREGATOR_DATA.", usage.total)
    yield single("database_bytes", "Size of the database.", dialect().size())
