"""Jobs in a real queue: `enqueue_once` never puts two with the same name."""

import os
import time

import django_rq
import pytest
from rq import Queue
from rq.registry import StartedJobRegistry

from core.work import jobs
from harvesting.tasks import count_records

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not os.environ.get("REDIS_URL"), reason="REDIS_URL names no queue"),
]


@pytest.fixture
def queue() -> Queue:
    queue = django_rq.get_queue("default")
    queue.empty()
    queue.connection.delete(StartedJobRegistry(queue=queue).key)
    return queue


def register_running_job(queue: Queue, job_id: str, seconds: float) -> None:
    """Register a job as running. seconds: since the last heartbeat of its worker."""
    queue.connection.zadd(StartedJobRegistry(queue=queue).key, {f"{job_id}:execution": time.time() + 90 - seconds})


def test_a_waiting_job_is_not_queued_again(queue):
    assert jobs.enqueue_once("count", count_records) == 1
    assert jobs.enqueue_once("count", count_records) == 0
    assert jobs.enqueue_once("counts", count_records) == 1  # another name


def test_a_running_job_is_not_queued_again(queue):
    register_running_job(queue, "count-1", seconds=10)
    assert jobs.enqueue_once("count", count_records) == 0


def test_the_job_of_a_dead_worker_does_not_block_for_long(queue):
    register_running_job(queue, "count-1", seconds=91)
    assert jobs.enqueue_once("count", count_records) == 1


def test_every_job_has_a_unique_id(queue):
    for _ in range(2):
        jobs.enqueue("count", count_records, queue=queue)
    assert len(set(jobs.queued_ids(queue))) == 2
