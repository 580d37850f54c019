"""Jobs on their way to a worker: put into the queue by name, no more of a name than is good. Decides nothing of runs.

Each job has an id of its own. Under an id that was given before, a second job would write over the first while a
worker ends it, and RQ would count the work that was done as failed.
"""

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import django_rq
from rq import Queue
from rq.registry import StartedJobRegistry

LONGEST = 24 * 60 * 60  # seconds; a run ends by its own rules long before
FAILED_KEPT = 7 * 24 * 60 * 60  # seconds that RQ's own list of failed jobs remembers one


def waiting(queue: Queue) -> list[str]:
    """The ids of the jobs that no worker has taken yet."""
    return list(queue.job_ids)


def under_way(queue: Queue) -> list[str]:
    """The ids of the jobs that some worker does now and lives: what a dead one held is forgotten after 90 seconds."""
    registry = StartedJobRegistry(queue=queue)
    entries: Any = queue.connection.zrangebyscore(registry.key, time.time(), "+inf")
    return [StartedJobRegistry.parse_job_id(each) for each in entries]


def is_known(name: str, job_ids: list[str]) -> bool:
    """Whether one of these is a job of this name."""
    return any(each.startswith(f"{name}-") for each in job_ids)


def put(name: str, job: Any, *arguments: int, queue: Queue, longest: int = LONGEST) -> None:
    """Put a job of this name into the queue: a function or its dotted name. longest: seconds. Raises RedisError."""
    queue.enqueue(
        job,
        *arguments,
        job_id=f"{name}-{uuid4().hex}",
        job_timeout=longest,
        result_ttl=0,
        failure_ttl=FAILED_KEPT,
    )


def put_once(name: str, job: Callable[[], Any]) -> int:
    """The same unless one of this name waits, or a worker is at it; 1, or 0 if so. Raises RedisError.

    Else every look of the dispatcher would give one more worker to a long job of which one at a time can work.
    """
    queue = django_rq.get_queue("default")
    if is_known(name, waiting(queue)) or is_known(name, under_way(queue)):
        return 0
    put(name, job, queue=queue)
    return 1
