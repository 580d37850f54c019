"""Throttling: one request at a time to a host, among threads, processes and machines."""

import multiprocessing
import os
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
import redis

from harvesting.http.politeness import FileThrottle, HostThrottle, RedisThrottle, ThreadThrottle
from harvesting.types import TransportError

HOST = "provider.example"


def timed_turns(throttle: HostThrottle, times: int, pause: float = 0.0) -> list[tuple[float, float]]:
    intervals = []
    for _ in range(times):
        with throttle.turn(HOST, pause):
            start = time.time()
            time.sleep(0.01)
            intervals.append((start, time.time()))
    return intervals


def shortest_gap(intervals: list[tuple[float, float]]) -> float:
    intervals = sorted(intervals)
    return min(later[0] - earlier[1] for earlier, later in pairwise(intervals))


def run_in_process(folder: Path, results: "multiprocessing.Queue[list[tuple[float, float]]]", pause: float) -> None:
    results.put(timed_turns(FileThrottle(folder), 4, pause))


def test_processes_take_turns_with_a_pause(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[list[tuple[float, float]]] = context.Queue()
    workers = [context.Process(target=run_in_process, args=(tmp_path, results, 0.05)) for _ in range(3)]
    for worker in workers:
        worker.start()
    intervals = [interval for _ in workers for interval in results.get(timeout=20)]
    for worker in workers:
        worker.join()
    assert len(intervals) == 12
    assert shortest_gap(intervals) >= 0.04  # clocks of files tick every few milliseconds


@pytest.mark.parametrize("kind", ["threads", "files"])
def test_threads_take_turns(kind: str, tmp_path: Path) -> None:
    throttle = ThreadThrottle() if kind == "threads" else FileThrottle(tmp_path)
    intervals: list[tuple[float, float]] = []
    threads = [threading.Thread(target=lambda: intervals.extend(timed_turns(throttle, 3))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(intervals) == 12
    assert shortest_gap(intervals) >= 0


def test_hosts_do_not_wait_for_each_other(tmp_path: Path) -> None:
    throttle = FileThrottle(tmp_path, max_wait=0.1)
    with throttle.turn(HOST, 0), throttle.turn("other.example", 0):
        assert len(list(tmp_path.iterdir())) == 2


def test_spellings_of_one_host_share_a_lock(tmp_path: Path) -> None:
    throttle = FileThrottle(tmp_path, max_wait=0.1)
    throttle._threads.max_wait = 0.1
    with throttle.turn(HOST, 0), pytest.raises(TransportError) as caught, throttle.turn("PROVIDER.example.", 0):
        pass
    assert (caught.value.code, caught.value.permanent) == ("net.host_busy", False)


def test_a_frozen_worker_does_not_block_the_others_for_ever(tmp_path: Path) -> None:
    with FileThrottle(tmp_path).turn(HOST, 0):
        started = time.monotonic()
        with pytest.raises(TransportError), FileThrottle(tmp_path, max_wait=0.2).turn(HOST, 0):
            pass
    assert time.monotonic() - started < 60  # it did not wait for ever


def die_in_its_turn(folder: Path) -> None:
    FileThrottle(folder).turn(HOST, 0).__enter__()
    os._exit(9)


def test_a_worker_that_dies_releases_its_turn(tmp_path: Path) -> None:
    child = multiprocessing.get_context("spawn").Process(target=die_in_its_turn, args=(tmp_path,))
    child.start()
    child.join()
    assert child.exitcode == 9
    with FileThrottle(tmp_path, max_wait=1).turn(HOST, 0):
        pass


def test_a_clock_that_jumps_back_delays_by_one_pause_at_most(tmp_path: Path) -> None:
    throttle = FileThrottle(tmp_path)
    timed_turns(throttle, 1)
    for file in tmp_path.iterdir():
        os.utime(file, (time.time() + 1e6, time.time() + 1e6))
    started = time.monotonic()
    timed_turns(throttle, 1, pause=0.1)
    assert time.monotonic() - started < 60  # it did not wait for ever


class FakeRedis:
    """A Redis in memory, with the methods of redis-py that RedisThrottle uses."""

    def __init__(self) -> None:
        self.keys: dict[str, tuple[str, float]] = {}
        self.down = False

    def set(self, key: str, value: str, *, nx: bool, px: int) -> bool | None:
        self._check()
        if key in self.keys and self.keys[key][1] > time.monotonic():
            return None
        self.keys[key] = (value, time.monotonic() + px / 1000)
        return True

    def eval(self, script: str, count: int, key: str, value: str, px: int) -> None:
        self._check()
        if self.keys.get(key, ("", 0))[0] == value:
            self.keys[key] = (value, time.monotonic() + px / 1000)

    def _check(self) -> None:
        if self.down:
            raise RuntimeError("connection refused")


def test_machines_take_turns_over_redis(tmp_path: Path) -> None:
    shared = FakeRedis()
    machines = [RedisThrottle(shared, FileThrottle(tmp_path / name)) for name in ("a", "b")]
    intervals: list[tuple[float, float]] = []
    threads = [
        threading.Thread(target=lambda machine=machine: intervals.extend(timed_turns(machine, 3, 0.05)))
        for machine in machines
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(intervals) == 6
    assert shortest_gap(intervals) >= 0.045


def test_requests_for_one_purpose_take_turns_on_all_machines(tmp_path: Path) -> None:
    shared = FakeRedis()
    with RedisThrottle(shared, FileThrottle(tmp_path / "a"), "covers").turn(HOST, 0):
        other = FileThrottle(tmp_path / "b", 0.1)
        with RedisThrottle(shared, other, "loans").turn(HOST, 0):
            pass
        with pytest.raises(TransportError), RedisThrottle(shared, other, "covers").turn(HOST, 0):
            pass


def test_without_redis_the_workers_of_one_machine_are_still_throttled(tmp_path: Path) -> None:
    shared = FakeRedis()
    shared.down = True
    assert shortest_gap(timed_turns(RedisThrottle(shared, FileThrottle(tmp_path)), 3, 0.05)) >= 0.04


def test_a_failure_of_redis_during_a_turn_is_harmless(tmp_path: Path) -> None:
    shared = FakeRedis()
    with RedisThrottle(shared, FileThrottle(tmp_path), key_lifetime=0.03).turn(HOST, 0):
        shared.down = True
        time.sleep(0.05)


def test_a_key_is_renewed_as_long_as_its_worker_lives(tmp_path: Path) -> None:
    shared = FakeRedis()
    with RedisThrottle(shared, FileThrottle(tmp_path / "a"), key_lifetime=0.6).turn(HOST, 0):
        time.sleep(1.5)
        assert shared.set(next(iter(shared.keys)), "another", nx=True, px=1000) is None


def test_an_expired_key_is_not_changed_for_its_new_holder(tmp_path: Path) -> None:
    shared = FakeRedis()
    throttle = RedisThrottle(shared, FileThrottle(tmp_path))
    with throttle.turn(HOST, 0):
        key = next(iter(shared.keys))
        shared.keys.clear()
        shared.set(key, "another", nx=True, px=60_000)
    assert shared.keys[key][0] == "another"
    assert shared.keys[key][1] > time.monotonic() + 50


@pytest.mark.services
@pytest.mark.skipif("not os.environ.get('REDIS_URL')", reason="REDIS_URL is not set")
def test_machines_take_turns_over_a_real_redis(tmp_path: Path) -> None:
    client = redis.Redis.from_url(os.environ["REDIS_URL"])
    throttle = RedisThrottle(client, FileThrottle(tmp_path))
    assert shortest_gap(timed_turns(throttle, 3, 0.1)) >= 0.09
    with throttle.turn(HOST, 5):
        pass
    with throttle.turn("other.example", 0):
        throttle._renewer._locks.copy().pop().renew()
    assert max(client.pttl(key) for key in client.keys("harvest:turn:*")) > 0
    for key in client.keys("harvest:turn:*"):
        client.delete(key)
