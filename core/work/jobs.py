"""Kinds of jobs, and the RQ queues that they wait in. Does not decide which work there is.

Every job has a unique id. If an id were used again, the second job would overwrite the first while a worker finishes
it, and RQ would count the finished work as failed.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import django_rq
from django.utils.module_loading import import_string
from redis.exceptions import RedisError
from rq import Queue, get_current_job
from rq.registry import StartedJobRegistry

from core.checkpoints import checkpoint

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_JOB_SECONDS = 24 * 60 * 60  # a run ends by its own rules long before
TURN_SECONDS = 10.0  # after which a job that takes turns ends, if another one waits in its queue
LONGEST_TURN = 60.0  # after which it ends in any case
FAILED_TTL = 7 * 24 * 60 * 60  # seconds that a job stays in RQ's list of failed jobs
type Waiting = tuple[str, tuple[int, ...]]  # the name of a job, and the arguments of its function


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A kind of job. kind: the name of its count in what the dispatcher reports; label: for people.

    function: the dotted name of what a worker calls; it is stored in the queue, so it must not change. waiting: what
    waits for a worker now. queue: which workers it waits for. timeout: seconds. hourly: looked for once an hour
    instead of every few seconds. is_first: its jobs go before those that wait already. without_queue: the function
    where there is no queue; "" for the same.
    """

    kind: str
    label: "StrOrPromise"
    function: str
    waiting: Callable[[], Iterable[Waiting]]
    queue: str = "default"
    timeout: int = MAX_JOB_SECONDS
    hourly: bool = False
    is_first: bool = False
    without_queue: str = ""

    def enqueue_waiting(self) -> int:
        """Put what waits into the queue, unless it is there already; return how many. Raises RedisError."""
        checkpoint("dispatch.before_enqueue")
        if not (waiting := list(self.waiting())):
            return 0
        queue = django_rq.get_queue(self.queue)
        queued, running = queued_ids(queue), running_ids(queue)
        missing = [
            (name, arguments)
            for name, arguments in waiting
            # A row that is worked on has been claimed and no longer waits. Work without arguments has no row: without
            # regard to running jobs, every round could occupy one more worker.
            if not has_job(name, queued if arguments else (*queued, *running))
        ]
        for name, arguments in missing:
            self.enqueue(name, *arguments)
        return len(missing)

    def wake(self) -> None:
        """In a job of the queue: put at once into the queue what waits, for a worker that is free.

        The dispatcher would do so only after some seconds; it does if the queue does not answer, or there is none.
        """
        if is_queued():
            with suppress(RedisError):
                self.enqueue_waiting()

    def enqueue(self, name: str, *arguments: int) -> None:
        """Put one job into the queue. Raises RedisError."""
        django_rq.get_queue(self.queue).enqueue(
            self.function,
            *arguments,
            job_id=f"{name}-{uuid4().hex}",
            job_timeout=self.timeout,
            result_ttl=0,
            failure_ttl=FAILED_TTL,
            at_front=self.is_first,
        )

    def do_waiting(self) -> int:
        """Do, in this process, what waits. Return how many rows, or for work without arguments what it returns."""
        run = import_string(self.without_queue or self.function)
        results = [(arguments, run(*arguments)) for _name, arguments in list(self.waiting())]
        return sum(1 if arguments else int(result) for arguments, result in results)


def is_queued() -> bool:
    """Whether this process does a job of the queue now."""
    return get_current_job() is not None


def is_turn_over(begun: float) -> bool:
    """Whether a job that began then (`time.monotonic`) should end, so that others have their turn. What is no job of
    the queue goes on to its end.
    """
    own, seconds = get_current_job(), time.monotonic() - begun
    if own is None or seconds < TURN_SECONDS:
        return False
    with suppress(RedisError):
        return seconds > LONGEST_TURN or django_rq.get_queue(own.origin).count > 0
    return True


def when(is_due: Callable[[], object], name: str) -> Callable[[], list[Waiting]]:
    """Return `Job.waiting` for work that has no rows: one job of this name while the work is due."""
    return lambda: [(name, ())] if is_due() else []


def queued_ids(queue: Queue) -> list[str]:
    """The ids of the jobs that no worker has taken yet."""
    return list(queue.job_ids)


def running_ids(queue: Queue) -> list[str]:
    """The ids of the jobs that a live worker is running; the job of a dead worker drops out after 90 seconds."""
    registry = StartedJobRegistry(queue=queue)
    entries: Any = queue.connection.zrangebyscore(registry.key, time.time(), "+inf")
    return [StartedJobRegistry.parse_job_id(entry) for entry in entries]


def has_job(name: str, job_ids: Iterable[str]) -> bool:
    """Whether one of these ids is of a job with this name."""
    return any(job_id.startswith(f"{name}-") for job_id in job_ids)
