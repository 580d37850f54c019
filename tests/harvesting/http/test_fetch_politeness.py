"""One request at a time for each host, among threads, processes and machines."""

import multiprocessing
import os
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
import redis

from harvesting.http.politeness import FileTurns, SharedTurns, ThreadTurns, Turns
from harvesting.types import TransportError

HOST = "provider.example"


def intervals(turns: Turns, times: int, pause: float = 0.0) -> list[tuple[float, float]]:
    found = []
    for _ in range(times):
        with turns.turn(HOST, pause):
            start = time.time()
            time.sleep(0.01)
            found.append((start, time.time()))
    return found


def least_gap(found: list[tuple[float, float]]) -> float:
    found = sorted(found)
    return min(later[0] - earlier[1] for earlier, later in pairwise(found))


def in_a_process(folder: Path, results: "multiprocessing.Queue[list[tuple[float, float]]]", pause: float) -> None:
    results.put(intervals(FileTurns(folder), 4, pause))


def test_processes_take_turns_with_a_pause(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[list[tuple[float, float]]] = context.Queue()
    workers = [context.Process(target=in_a_process, args=(tmp_path, results, 0.05)) for _ in range(3)]
    for worker in workers:
        worker.start()
    found = [each for _ in workers for each in results.get(timeout=20)]
    for worker in workers:
        worker.join()
    assert len(found) == 12
    assert least_gap(found) >= 0.04  # clocks of files tick every few milliseconds


@pytest.mark.parametrize("kind", ["threads", "files"])
def test_threads_take_turns(kind: str, tmp_path: Path) -> None:
    turns = ThreadTurns() if kind == "threads" else FileTurns(tmp_path)
    found: list[tuple[float, float]] = []
    threads = [threading.Thread(target=lambda: found.extend(intervals(turns, 3))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12
    assert least_gap(found) >= 0


def test_hosts_do_not_wait_for_each_other(tmp_path: Path) -> None:
    turns = FileTurns(tmp_path, longest_wait=0.1)
    with turns.turn(HOST, 0), turns.turn("other.example", 0):
        assert len(list(tmp_path.iterdir())) == 2


def test_a_host_is_the_same_in_any_spelling(tmp_path: Path) -> None:
    turns = FileTurns(tmp_path, longest_wait=0.1)
    turns._threads.longest_wait = 0.1
    with turns.turn(HOST, 0), pytest.raises(TransportError) as caught, turns.turn("PROVIDER.example.", 0):
        pass
    assert (caught.value.code, caught.value.permanent) == ("net.host_busy", False)


def test_a_worker_that_is_frozen_does_not_freeze_the_others(tmp_path: Path) -> None:
    with FileTurns(tmp_path).turn(HOST, 0):
        started = time.monotonic()
        with pytest.raises(TransportError), FileTurns(tmp_path, longest_wait=0.2).turn(HOST, 0):
            pass
    assert time.monotonic() - started < 60  # not for ever


def die_in_its_turn(folder: Path) -> None:
    FileTurns(folder).turn(HOST, 0).__enter__()
    os._exit(9)


def test_a_worker_that_dies_gives_its_turn_back(tmp_path: Path) -> None:
    child = multiprocessing.get_context("spawn").Process(target=die_in_its_turn, args=(tmp_path,))
    child.start()
    child.join()
    assert child.exitcode == 9
    with FileTurns(tmp_path, longest_wait=1).turn(HOST, 0):
        pass


def test_a_clock_that_jumps_back_costs_one_pause_at_most(tmp_path: Path) -> None:
    turns = FileTurns(tmp_path)
    intervals(turns, 1)
    for file in tmp_path.iterdir():
        os.utime(file, (time.time() + 1e6, time.time() + 1e6))
    started = time.monotonic()
    intervals(turns, 1, pause=0.1)
    assert time.monotonic() - started < 60  # not for ever


class FakeRedis:
    """What SharedTurns uses of redis-py."""

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
    machines = [SharedTurns(shared, FileTurns(tmp_path / name)) for name in ("a", "b")]
    found: list[tuple[float, float]] = []
    threads = [threading.Thread(target=lambda each=each: found.extend(intervals(each, 3, 0.05))) for each in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert least_gap(found) >= 0.045


def test_without_redis_the_machine_stays_polite(tmp_path: Path) -> None:
    shared = FakeRedis()
    shared.down = True
    assert least_gap(intervals(SharedTurns(shared, FileTurns(tmp_path)), 3, 0.05)) >= 0.04


def test_redis_that_dies_during_a_turn_breaks_nothing(tmp_path: Path) -> None:
    shared = FakeRedis()
    with SharedTurns(shared, FileTurns(tmp_path), hold=0.03).turn(HOST, 0):
        shared.down = True
        time.sleep(0.05)


def test_a_turn_is_kept_as_long_as_its_worker_lives(tmp_path: Path) -> None:
    shared = FakeRedis()
    with SharedTurns(shared, FileTurns(tmp_path / "a"), hold=0.6).turn(HOST, 0):
        time.sleep(1.5)
        assert shared.set(next(iter(shared.keys)), "another", nx=True, px=1000) is None


def test_a_turn_whose_time_ran_out_is_not_taken_from_its_new_owner(tmp_path: Path) -> None:
    shared = FakeRedis()
    turns = SharedTurns(shared, FileTurns(tmp_path))
    with turns.turn(HOST, 0):
        key = next(iter(shared.keys))
        shared.keys.clear()
        shared.set(key, "another", nx=True, px=60_000)
    assert shared.keys[key][0] == "another"
    assert shared.keys[key][1] > time.monotonic() + 50


@pytest.mark.services
@pytest.mark.skipif("not os.environ.get('REDIS_URL')", reason="REDIS_URL is not set")
def test_machines_take_turns_over_a_real_redis(tmp_path: Path) -> None:
    client = redis.Redis.from_url(os.environ["REDIS_URL"])
    turns = SharedTurns(client, FileTurns(tmp_path))
    assert least_gap(intervals(turns, 3, 0.1)) >= 0.09
    with turns.turn(HOST, 5):
        pass
    with turns.turn("other.example", 0):
        turns._keeper._held.copy().pop().keep()
    assert max(client.pttl(key) for key in client.keys("harvest:turn:*")) > 0
    for key in client.keys("harvest:turn:*"):
        client.delete(key)
