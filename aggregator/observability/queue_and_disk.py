"""The queue server and the disk, in numbers. Knows RQ; no table."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import django_rq
from django.conf import settings
from django.db import connection
from redis.exceptions import RedisError
from rq import Worker
from rq.job import Job

from aggregator.observability.figures import Figure, age, one


def queue(now: datetime) -> Iterator[Figure]:
    """How long the queues are, since when the first job waits, who works."""
    names = list(settings.RQ_QUEUES)
    try:
        queues = {name: django_rq.get_queue(name) for name in names}
        jobs = {name: float(each.count) for name, each in queues.items()}
        waits = {name: age(now, _oldest(each.connection, each.get_job_ids(0, 1))) for name, each in queues.items()}
        failed = {name: float(each.failed_job_registry.count) for name, each in queues.items()}
        workers = {name: float(Worker.count(queue=each)) for name, each in queues.items()}
    except RedisError:
        yield one("queue_up", "1 when the queue server answers.", 0)
        return
    yield one("queue_up", "1 when the queue server answers.", 1)
    yield Figure("queue_jobs", "Jobs that wait.", jobs, "queue")
    yield Figure("queue_oldest_seconds", "How long the first of them waits.", waits, "queue")
    yield Figure("queue_failed", "Jobs that broke; what they were to do is done by others.", failed, "queue")
    yield Figure("queue_workers", "Workers that listen.", workers, "queue")


def disk(_now: datetime) -> Iterator[Figure]:
    usage = shutil.disk_usage(settings.DATA_DIR)
    yield one("disk_free_bytes", "What is free where AGGREGATOR_DATA lies.", usage.free)
    yield one("disk_bytes", "The size of that disk.", usage.total)
    yield one("database_bytes", "The size of the database.", _database_bytes())


def _oldest(server: object, ids: list[str]) -> datetime | None:
    for job in Job.fetch_many(ids, connection=server, serializer="rq.serializers.JSONSerializer"):  # type: ignore[arg-type]
        if job and job.enqueued_at:
            moment: datetime = job.enqueued_at
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _database_bytes() -> float:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return float(cursor.fetchone()[0])
    path = Path(str(connection.settings_dict["NAME"]))
    return float(sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*"))) if path.exists() else 0.0
