"""The threads for questions: few in all, one for each host, none when there is nothing to do."""

import threading
import time
from collections import Counter

from core.work.pool import Pool

PATIENCE = 30.0


class Hosts:
    """Jobs that note how many of them run at a time, and wait until they may end."""

    def __init__(self) -> None:
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.most_at_all = 0
        self.done = threading.Semaphore(0)
        self.order: list[str] = []
        self._lock = threading.Lock()

    def job(self, host: str, seconds: float = 0.002):
        def run() -> None:
            with self._lock:
                self.order.append(host)
                self.now[host] += 1
                self.most[host] = max(self.most[host], self.now[host])
                self.most_at_all = max(self.most_at_all, self.now.total())
            time.sleep(seconds)
            with self._lock:
                self.now[host] -= 1
            self.done.release()

        return run

    def wait(self, jobs: int) -> None:
        for _job in range(jobs):
            assert self.done.acquire(timeout=PATIENCE)


def idle(pool: Pool) -> bool:
    """Wait until no thread of the pool runs."""
    deadline = time.monotonic() + PATIENCE
    while pool._running and time.monotonic() < deadline:
        time.sleep(0.01)
    return not pool._running


def test_200_jobs_run_few_at_a_time_and_one_for_each_host():
    pool, hosts = Pool(threads=4, most_waiting=200), Hosts()
    for number in range(200):
        host = f"host{number % 7}"
        assert pool.submit(host, hosts.job(host))
    hosts.wait(200)
    assert hosts.most_at_all <= 4
    assert set(hosts.most.values()) == {1}
    assert idle(pool)


def test_a_slow_host_does_not_keep_others_waiting():
    pool, hosts, ended = Pool(threads=2, most_waiting=10), Hosts(), threading.Event()
    pool.submit("slow", ended.wait)
    pool.submit("slow", hosts.job("slow"))
    pool.submit("fast", hosts.job("fast"))
    hosts.wait(1)
    assert hosts.order == ["fast"]
    ended.set()
    hosts.wait(1)


def test_more_jobs_than_may_wait_are_refused():
    pool, ended = Pool(threads=1, most_waiting=2), threading.Event()
    taken = threading.Event()

    def first() -> None:
        taken.set()
        ended.wait()

    pool.submit("a", first)
    assert taken.wait(PATIENCE)
    assert [pool.submit("a", ended.wait) for _job in range(3)] == [True, True, False]
    ended.set()
    assert idle(pool)


def test_a_job_that_fails_does_not_end_the_work(caplog):
    left = threading.Event()
    pool, hosts = Pool(threads=1, most_waiting=5, leave=left.set), Hosts()
    pool.submit("a", lambda: 1 / 0)
    pool.submit("a", hosts.job("a"))
    hosts.wait(1)
    assert left.wait(PATIENCE)
    assert "ZeroDivisionError" in caplog.text


def test_without_threads_a_job_is_refused(monkeypatch):
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    pool = Pool(threads=1, most_waiting=5)
    assert not pool.submit("a", lambda: None)
    assert not pool.submit("a", lambda: None)
    assert not pool._waiting


def test_a_slow_host_does_not_take_the_places_of_all_others():
    pool, hosts = Pool(threads=1, most_waiting=10, most_of_host=2), Hosts()
    began, end = threading.Event(), threading.Event()

    def hang() -> None:
        began.set()
        end.wait(PATIENCE)

    assert pool.submit("slow", hang)
    assert began.wait(PATIENCE)
    assert [pool.submit("slow", hosts.job("slow")) for _job in range(4)] == [True, True, False, False]
    assert pool.submit("quick", hosts.job("quick"))
    end.set()
    hosts.wait(3)
    assert idle(pool)
