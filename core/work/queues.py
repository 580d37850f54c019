"""What the RQ queues hold, for people: waiting, running and failed jobs and the live workers. Failed jobs can be queued
again or removed. Every function raises RedisError if the queue server does not answer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import django_rq
from django.conf import settings
from rq import Queue, Worker
from rq.exceptions import DeserializationError, InvalidJobOperation, NoSuchJobError
from rq.job import Job as QueuedJob
from rq.results import Result
from rq.worker.base import BaseWorker

from core.redaction import redact
from core.work.jobs import running_ids

SERIALIZER = "rq.serializers.JSONSerializer"


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue in numbers. since: when the job was queued that has waited longest; the year 1 if none waits."""

    name: str
    waiting: int
    running: int
    failed: int
    workers: int
    since: datetime


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job in a queue. moment: when it was queued, begun or failed. error: a sentence; trace: all that is known."""

    number: str
    queue: str
    function: str
    arguments: tuple[object, ...]
    moment: datetime
    error: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """A live worker. job: the id of what it does; "" = it waits for work."""

    name: str
    machine: str
    queues: tuple[str, ...]
    job: str
    heartbeat: datetime


NEVER = datetime.min.replace(tzinfo=UTC)


def queue_states() -> list[QueueState]:
    """All queues in numbers, in the order of the settings."""
    return [_state(django_rq.get_queue(name)) for name in settings.RQ_QUEUES]


def _state(queue: Queue) -> QueueState:
    first = next(_lines(queue, queue.get_job_ids(0, 1), "enqueued_at"), None)
    return QueueState(
        queue.name,
        waiting=queue.count,
        running=len(running_ids(queue)),
        failed=queue.failed_job_registry.count,
        workers=Worker.count(queue=queue),
        since=first.moment if first else NEVER,
    )


def waiting_jobs(most: int) -> list[JobLine]:
    """The first jobs that wait, of each queue at most so many."""
    return [line for queue in _queues() for line in _lines(queue, queue.get_job_ids(0, most), "enqueued_at")]


def running_jobs(most: int) -> list[JobLine]:
    """The jobs that live workers are doing, of each queue at most so many."""
    return [line for queue in _queues() for line in _lines(queue, running_ids(queue)[:most], "started_at")]


def failed_jobs(most: int) -> list[JobLine]:
    """The last jobs that failed, newest first, of each queue at most so many."""
    return [
        line
        for queue in _queues()
        for line in _lines(queue, queue.failed_job_registry.get_job_ids(0, most - 1, desc=True), "ended_at")
    ]


def workers(most: int) -> list[WorkerLine]:
    """The live workers."""
    found: list[BaseWorker] = Worker.all(connection=django_rq.get_connection("default"), serializer=SERIALIZER)
    lines = [
        WorkerLine(
            str(worker.name),
            f"{worker.hostname} ({worker.pid})",
            tuple(worker.queue_names()),
            worker.get_current_job_id() or "",
            _aware(worker.last_heartbeat),
        )
        for worker in found[:most]
    ]
    return sorted(lines, key=lambda line: (line.queues, line.name))


def retry(name: str, number: str) -> int:
    """Put failed jobs of a queue into it again: one, or all if the number is "". Return how many."""
    registry = _queue(name).failed_job_registry
    done = 0
    for job in [number] if number else registry.get_job_ids():
        try:
            registry.requeue(job)
            done += 1
        except (NoSuchJobError, InvalidJobOperation):  # somebody else was faster, or its time was over
            continue
    return done


def remove(name: str, number: str) -> int:
    """Remove failed jobs of a queue: one, or all if the number is "". Return how many."""
    registry = _queue(name).failed_job_registry
    done = 0
    for job in [number] if number else registry.get_job_ids():
        if registry.remove(job):
            done += 1
            for found in QueuedJob.fetch_many([job], registry.connection, serializer=SERIALIZER):
                if found is not None:
                    found.delete()
    return done


def _queues() -> Iterator[Queue]:
    return (django_rq.get_queue(name) for name in settings.RQ_QUEUES)


def _queue(name: str) -> Queue:
    """The queue with this name. Raises KeyError."""
    if name not in settings.RQ_QUEUES:
        raise KeyError(name)
    return django_rq.get_queue(name)


def _lines(queue: Queue, ids: Iterable[str], moment: str) -> Iterator[JobLine]:
    for job in QueuedJob.fetch_many(ids, queue.connection, serializer=SERIALIZER):
        if job is None:  # done meanwhile
            continue
        function, arguments = _call_of(job)
        trace = _trace_of(job) if moment == "ended_at" else ""
        yield JobLine(
            job.id,
            queue.name,
            function,
            arguments,
            _aware(getattr(job, moment)),
            trace.rstrip().rpartition("\n")[2].strip(),
            trace,
        )


def _call_of(job: QueuedJob) -> tuple[str, tuple[object, ...]]:
    """The function of a job and its arguments; ("", ()) if others wrote something unreadable into the queue."""
    try:
        return str(job.func_name), tuple(job.args)
    except DeserializationError:
        return "", ()


def _trace_of(job: QueuedJob) -> str:
    """What is known about the failure of a job, without secrets."""
    result = job.latest_result()
    return redact(str(result.exc_string or "")) if result and result.type == Result.Type.FAILED else ""


def _aware(moment: Any) -> datetime:
    """A moment of RQ; NEVER if there is none."""
    if not isinstance(moment, datetime):
        return NEVER
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
