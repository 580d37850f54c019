"""Rate limits: an amount in a window, for each key, in the memory of the process or in Redis for all processes."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from limits.storage import memory

from core.http import rate_limit
from core.http.rate_limit import Counts, RateLimit

REDIS = os.environ.get("REDIS_URL", "")
needs_redis = pytest.mark.skipif(not REDIS, reason="REDIS_URL is not set")
STORES = ["", pytest.param(REDIS, marks=[pytest.mark.services, needs_redis])]


@pytest.fixture(params=STORES, ids=["memory", "redis"])
def counts(request):
    counts = Counts(request.param)
    counts.storage.reset()
    yield counts
    counts.storage.reset()


def waits(limit: RateLimit, times: int, cost: float = 1.0) -> list[bool]:
    return [limit.take("a", cost).wait > 0 for _ in range(times)]


def test_an_amount_is_granted_to_each_key(counts):
    limit = RateLimit(counts, "x", 3, 60)
    assert waits(limit, 4) == [False, False, False, True]
    assert limit.take("b").wait == 0


def test_the_answer_says_what_is_left_and_how_long_to_wait(counts):
    limit = RateLimit(counts, "x", 2, 60)
    assert [limit.take("a").left, limit.take("a").left] == [1, 0]
    assert 1 <= limit.take("a").wait <= 60


def test_a_refusal_takes_nothing(counts):
    limit = RateLimit(counts, "x", 2, 60)
    limit.take("a", 1.5)
    assert all(waits(limit, 100))
    assert limit.take("a", 0.5).wait == 0


def test_small_costs_add_up(counts):
    assert waits(RateLimit(counts, "x", 1, 60), 11, cost=0.1) == [False] * 10 + [True]


def test_limits_of_different_names_do_not_share_counts(counts):
    first, second = RateLimit(counts, "x", 1, 60), RateLimit(counts, "y", 1, 60)
    assert (first.take("a").wait, second.take("a").wait) == (0, 0)


def test_after_two_windows_everything_is_granted_again():
    limit = RateLimit(Counts(""), "x", 3, 60)
    waits(limit, 4)
    with time_machine.travel(time.time() + 121):
        assert waits(limit, 4) == [False, False, False, True]


def test_a_burst_that_lasts_less_than_a_second_is_counted_by_the_second(counts):
    limit = RateLimit(counts, "x", 5, 0.5)
    assert (limit.amount, limit.window) == (10, 1)


@pytest.mark.services
@needs_redis
def test_two_processes_share_the_counts():
    first, second = Counts(REDIS), Counts(REDIS)
    first.storage.reset()
    assert waits(RateLimit(first, "x", 2, 60), 2) == [False, False]
    assert waits(RateLimit(second, "x", 2, 60), 1) == [True]
    first.storage.reset()


def test_while_redis_is_away_everybody_is_let_through_at_once_and_one_line_says_so(caplog):
    limit = RateLimit(Counts("redis://127.0.0.1:9/0"), "x", 1, 60)
    taken = [limit.take("a") for _ in range(50)]
    assert {(one.wait, one.is_counted) for one in taken} == {(0, False)}
    assert [record.levelname for record in caplog.records] == ["ERROR"]


@pytest.mark.services
@needs_redis
def test_when_redis_is_back_it_counts_again(monkeypatch):
    counts = Counts(REDIS)
    counts.storage.reset()
    limit = RateLimit(counts, "x", 1, 60)
    counts.report(rate_limit.StorageError(ConnectionError()))
    assert waits(limit, 3) == [False] * 3
    counts._away_until = 0.0
    assert waits(limit, 2) == [False, True]
    counts.storage.reset()


def test_threads_that_count_at_the_same_time_do_not_start_one_timer_twice(monkeypatch):
    def put(storage, timer):
        vars(storage)["timer"] = timer
        time.sleep(0.02)  # here another thread may put its own timer in the place

    monkeypatch.setattr(memory.MemoryStorage, "timer", property(lambda it: vars(it)["timer"], put), raising=False)
    limit = RateLimit(Counts(""), "test", 1000, 60)
    time.sleep(0.1)  # until the storage's first timer is over
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda _number: limit.take("key").wait, range(16)))
    assert taken == [0.0] * 16
