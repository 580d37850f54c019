"""Jobs in a real queue: none waits twice, and a worker calls no function but those of our jobs."""

import os
import time
from dataclasses import replace

import django_rq
import pytest
from rq import Queue, SimpleWorker
from rq.registry import FailedJobRegistry, StartedJobRegistry

from core.work.jobs import Job, is_turn_over, queued_ids, when
from core.work.worker import ListedJob

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not os.environ.get("REDIS_URL"), reason="REDIS_URL names no queue"),
]
CALLS: list[tuple[int, ...]] = []


def record_call(*arguments: int) -> None:
    CALLS.append(arguments)


def record_turns(*seconds: int) -> None:
    """Note whether the turn of a job that has lasted so many seconds is over."""
    now = time.monotonic()
    CALLS.append(tuple(is_turn_over(now - lasted) for lasted in seconds))


def wake_another(*_arguments: int) -> None:
    single("other").wake()


RECORD = f"{__name__}.record_call"
TURNS = f"{__name__}.record_turns"
WAKE = f"{__name__}.wake_another"


class OurJob(ListedJob):
    functions = frozenset({RECORD, TURNS, WAKE})


@pytest.fixture
def queue() -> Queue:
    queue = django_rq.get_queue("default")
    queue.empty()
    queue.connection.delete(StartedJobRegistry(queue=queue).key)
    CALLS.clear()
    return queue


def single(name: str = "count") -> Job:
    return Job(kind="counts", label="counts", function=RECORD, waiting=when(lambda: True, name))


def of_rows(*numbers: int) -> Job:
    return Job(
        kind="rows", label="rows", function=RECORD, waiting=lambda: [(f"row-{number}", (number,)) for number in numbers]
    )


def register_running_job(queue: Queue, job_id: str, seconds: float) -> None:
    """Register a job as running. seconds: since the last heartbeat of its worker."""
    queue.connection.zadd(StartedJobRegistry(queue=queue).key, {f"{job_id}:execution": time.time() + 90 - seconds})


def work(queue: Queue) -> None:
    SimpleWorker([queue], connection=queue.connection, serializer=queue.serializer, job_class=OurJob).work(burst=True)


def test_a_waiting_job_is_not_queued_again(queue):
    assert single().enqueue_waiting() == 1
    assert single().enqueue_waiting() == 0
    assert single("counts").enqueue_waiting() == 1  # a job with another name


def test_a_running_job_is_not_queued_again(queue):
    register_running_job(queue, "count-1", seconds=10)
    assert single().enqueue_waiting() == 0


def test_the_job_of_a_dead_worker_does_not_block_for_long(queue):
    register_running_job(queue, "count-1", seconds=91)
    assert single().enqueue_waiting() == 1


def test_a_row_that_waits_is_queued_although_its_former_job_seems_to_run(queue):
    register_running_job(queue, "row-7-1", seconds=10)
    assert of_rows(7).enqueue_waiting() == 1


def test_only_the_missing_rows_are_queued(queue):
    of_rows(1).enqueue_waiting()
    assert of_rows(1, 2, 3).enqueue_waiting() == 2


def test_every_job_has_a_unique_id(queue):
    for _ in range(2):
        single().enqueue("count")
    assert len(set(queued_ids(queue))) == 2


def test_a_worker_calls_the_function_with_the_number_of_the_row(queue):
    of_rows(7).enqueue_waiting()
    work(queue)
    assert CALLS == [(7,)]


def test_a_worker_calls_no_other_function(queue, tmp_path):
    queue.enqueue("os.mkdir", f"{tmp_path}/made")
    work(queue)
    assert not (tmp_path / "made").exists()
    assert len(FailedJobRegistry(queue=queue)) >= 1


def test_a_worker_calls_nothing_after_a_job(queue):
    job = queue.enqueue(RECORD, 1)
    for moment in ("success", "failure", "stopped"):
        queue.connection.hset(job.key, f"{moment}_callback_name", RECORD)
    work(queue)
    assert CALLS == [(1,)]


def test_the_turn_of_a_job_is_over_earlier_if_another_job_waits(queue):
    queue.enqueue(TURNS, 1, 11, 61)
    queue.enqueue(TURNS, 1, 11, 61)
    work(queue)
    assert CALLS == [(False, True, True), (False, False, True)]
    assert not is_turn_over(time.monotonic() - 61)  # in no job of the queue


def test_a_job_wakes_another_one_and_nothing_else_does(queue):
    single("other").wake()
    assert not queued_ids(queue)
    queue.enqueue(WAKE)
    work(queue)
    assert CALLS == [()]


def test_a_job_that_is_first_goes_before_those_that_wait(queue):
    single().enqueue("count")
    replace(single("urgent"), is_first=True).enqueue("urgent")
    assert [name.partition("-")[0] for name in queued_ids(queue)] == ["urgent", "count"]
