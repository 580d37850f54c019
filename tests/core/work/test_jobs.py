"""Jobs in a real queue: never two of a name where one is enough."""

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
    found = django_rq.get_queue("default")
    found.empty()
    found.connection.delete(StartedJobRegistry(queue=found).key)
    return found


def worker_is_at(queue: Queue, job_id: str, seconds: float) -> None:
    """seconds: since its last heartbeat would have been followed by another."""
    queue.connection.zadd(StartedJobRegistry(queue=queue).key, {f"{job_id}:execution": time.time() + 90 - seconds})


def test_a_job_that_waits_is_not_put_there_again(queue):
    assert jobs.put_once("count", count_records) == 1
    assert jobs.put_once("count", count_records) == 0
    assert jobs.put_once("counts", count_records) == 1  # another name


def test_a_job_that_a_worker_is_at_is_not_given_to_one_more(queue):
    worker_is_at(queue, "count-1", seconds=10)
    assert jobs.put_once("count", count_records) == 0


def test_what_a_dead_worker_held_blocks_nothing_for_long(queue):
    worker_is_at(queue, "count-1", seconds=91)
    assert jobs.put_once("count", count_records) == 1


def test_every_job_has_an_id_of_its_own(queue):
    for _time in range(2):
        jobs.put("count", count_records, queue=queue)
    assert len(set(jobs.waiting(queue))) == 2
