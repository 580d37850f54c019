"""Puts named jobs into the RQ queue, on request only one per name. Does not decide which runs start.

Every job has a unique id. If an id were used again, the second job would overwrite the first while a worker finishes
it, and RQ would count the finished work as failed.
"""

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import django_rq
from rq import Queue
from rq.registry import StartedJobRegistry

MAX_JOB_SECONDS = 24 * 60 * 60  # a run ends by its own rules long before
FAILED_TTL = 7 * 24 * 60 * 60  # seconds that a job stays in RQ's list of failed jobs


def queued_ids(queue: Queue) -> list[str]:
    """The ids of the jobs that no worker has taken yet."""
    return list(queue.job_ids)


def running_ids(queue: Queue) -> list[str]:
    """The ids of the jobs that a live worker is running; the job of a dead worker drops out after 90 seconds."""
    registry = StartedJobRegistry(queue=queue)
    entries: Any = queue.connection.zrangebyscore(registry.key, time.time(), "+inf")
    return [StartedJobRegistry.parse_job_id(entry) for entry in entries]


def has_job(name: str, job_ids: list[str]) -> bool:
    """Whether one of these ids is of a job with this name."""
    return any(job_id.startswith(f"{name}-") for job_id in job_ids)


def enqueue(name: str, job: Any, *arguments: int, queue: Queue, timeout: int = MAX_JOB_SECONDS) -> None:
    """Put a job into the queue. job: a function or its dotted name. timeout: seconds. Raises RedisError."""
    queue.enqueue(
        job,
        *arguments,
        job_id=f"{name}-{uuid4().hex}",
        job_timeout=timeout,
        result_ttl=0,
        failure_ttl=FAILED_TTL,
    )


def enqueue_once(name: str, job: Callable[[], Any]) -> int:
    """Put a job into the queue and return 1, or return 0 if one of this name waits or runs. Raises RedisError.

    Without this, every round of the dispatcher would occupy one more worker with a long job that only one at a time can
    do.
    """
    queue = django_rq.get_queue("default")
    if has_job(name, queued_ids(queue)) or has_job(name, running_ids(queue)):
        return 0
    enqueue(name, job, queue=queue)
    return 1
