"""What people see of a real queue: waiting and failed jobs and workers; failed ones are queued again or removed."""

import os

import django_rq
import pytest
from django.conf import settings
from rq import Queue, SimpleWorker
from rq.job import Job as QueuedJob
from rq.worker.base import BaseWorker

from core.work import queues
from core.work.jobs import Job
from core.work.worker import ListedJob

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not os.environ.get("REDIS_URL"), reason="REDIS_URL names no queue"),
]


def fail(number: int) -> None:
    raise ValueError(f"row {number}: password=geheim123")


FAIL = f"{__name__}.fail"


class OurJob(ListedJob):
    functions = frozenset({FAIL})


@pytest.fixture
def queue() -> Queue:
    for name in settings.RQ_QUEUES:  # other tests leave jobs
        django_rq.get_queue(name).empty()
        queues.remove(name, "")
    return django_rq.get_queue("default")


def enqueue(*numbers: int) -> None:
    job = Job(kind="rows", label="rows", function=FAIL, waiting=list)
    for number in numbers:
        job.enqueue(f"row-{number}", number)


def work(queue: Queue) -> BaseWorker:
    worker = SimpleWorker([queue], connection=queue.connection, serializer=queue.serializer, job_class=OurJob)
    worker.work(burst=True)
    return worker


def state() -> queues.QueueState:
    return next(state for state in queues.queue_states() if state.name == "default")


def test_waiting_jobs_are_counted_and_listed(queue):
    assert (state().waiting, state().since) == (0, queues.NEVER)
    enqueue(3, 4)
    assert state().waiting == 2 and state().since > queues.NEVER
    assert [(line.function, line.arguments) for line in queues.waiting_jobs(20)] == [(FAIL, (3,)), (FAIL, (4,))]


def test_a_failed_job_is_listed_with_its_sentence_and_without_secrets(queue):
    enqueue(3)
    work(queue)
    (line,) = queues.failed_jobs(20)
    assert line.error.startswith("ValueError: row 3:") and "geheim123" not in line.trace
    assert (state().failed, state().waiting) == (1, 0)


def test_failed_jobs_are_queued_again_once(queue):
    enqueue(3, 4)
    work(queue)
    number = queues.failed_jobs(20)[0].number
    assert queues.retry("default", number) == 1
    assert queues.retry("default", number) == 0
    assert (state().failed, state().waiting) == (1, 1)
    assert queues.retry("default", "") == 1


def test_failed_jobs_are_removed_with_their_data(queue):
    enqueue(3, 4)
    work(queue)
    number = queues.failed_jobs(20)[0].number
    assert queues.remove("default", number) == 1
    assert not QueuedJob.exists(number, queue.connection)
    assert queues.remove("default", "") == 1
    assert queues.remove("default", "") == 0


def test_a_live_worker_is_listed(queue):
    worker = SimpleWorker([queue], connection=queue.connection, serializer=queue.serializer)
    worker.register_birth()
    try:
        assert worker.name in [line.name for line in queues.workers(100)]
        assert state().workers >= 1
    finally:
        worker.register_death()


def test_what_others_wrote_into_the_queue_does_not_hide_the_rest(queue):
    enqueue(3)
    number = queue.job_ids[0]
    queue.connection.hset(f"rq:job:{number}", "data", b"\x80no json")
    enqueue(4)
    assert [line.function for line in queues.waiting_jobs(20)] == ["", FAIL]


def test_a_queue_that_does_not_exist_is_refused():
    with pytest.raises(KeyError):
        queues.retry("other", "")
