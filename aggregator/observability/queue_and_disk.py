"""Gauges of the queue server, the disk and the size of the database."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime

import django_rq
from django.conf import settings
from redis.exceptions import RedisError
from rq import Worker
from rq.job import Job

from aggregator.observability.figures import Figure, age, single
from core.database.dialects import dialect


def queue(now: datetime) -> Iterator[Figure]:
    """Length of the queues, waiting time of the first job, failed jobs and workers."""
    names = list(settings.RQ_QUEUES)
    try:
        queues = {name: django_rq.get_queue(name) for name in names}
        jobs = {name: float(rq_queue.count) for name, rq_queue in queues.items()}
        waits = {
            name: age(now, _oldest(rq_queue.connection, rq_queue.get_job_ids(0, 1)))
            for name, rq_queue in queues.items()
        }
        failed = {name: float(rq_queue.failed_job_registry.count) for name, rq_queue in queues.items()}
        workers = {name: float(Worker.count(queue=rq_queue)) for name, rq_queue in queues.items()}
    except RedisError:
        yield single("queue_up", "1 if the queue server answers.", 0)
        return
    yield single("queue_up", "1 if the queue server answers.", 1)
    yield Figure("queue_jobs", "Jobs that wait.", jobs, "queue")
    yield Figure("queue_oldest_seconds", "How long the first job has been waiting.", waits, "queue")
    yield Figure("queue_failed", "Jobs that failed; their work is taken over by later jobs.", failed, "queue")
    yield Figure("queue_workers", "Workers that listen to the queue.", workers, "queue")


def disk(_now: datetime) -> Iterator[Figure]:
    usage = shutil.disk_usage(settings.DATA_DIR)
    yield single("disk_free_bytes", "Free space on the disk with AGGREGATOR_DATA.", usage.free)
    yield single("disk_bytes", "Size of the disk with AGGREGATOR_DATA.", usage.total)
    yield single("database_bytes", "Size of the database.", dialect().size())


def _oldest(server: object, ids: list[str]) -> datetime | None:
    for job in Job.fetch_many(ids, connection=server, serializer="rq.serializers.JSONSerializer"):  # type: ignore[arg-type]
        if job and job.enqueued_at:
            enqueued: datetime = job.enqueued_at
            return enqueued if enqueued.tzinfo else enqueued.replace(tzinfo=UTC)
    return None
