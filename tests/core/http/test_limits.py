"""Budgets refill with time, and only so many are inside at once."""

import threading
import time

import pytest

from core.http.concurrency import ConcurrencyLimit
from core.http.token_bucket import TokenBuckets


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_is_granted_and_then_the_rate():
    clock = Clock()
    buckets = TokenBuckets(rate=2, burst=3, clock=clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now += 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 0.5]
    assert buckets.take("b") == 0


def test_what_is_refused_costs_nothing():
    clock = Clock()
    buckets = TokenBuckets(rate=1, burst=1, clock=clock)
    assert buckets.take("a") == 0
    for _ in range(100):
        assert buckets.take("a") == 1
    clock.now += 1
    assert buckets.take("a") == 0


def test_small_costs_add_up():
    buckets = TokenBuckets(rate=1, burst=1, clock=Clock())
    assert [buckets.take("a", 0.25) for _ in range(5)] == [0, 0, 0, 0, 0.25]


def test_a_flood_of_networks_keeps_the_table_small():
    buckets = TokenBuckets(rate=1, burst=1, clock=Clock(), most_keys=10)
    for number in range(1000):
        buckets.take(number)
    assert len(buckets._levels) == 10
    assert buckets.take(999) > 0


def test_a_full_gate_turns_away_and_opens_again():
    gate = ConcurrencyLimit(slots=2)
    assert [gate.enter(), gate.enter(), gate.enter()] == [True, True, False]
    gate.leave()
    assert gate.enter()


def test_one_may_wait_at_the_door_and_no_second_one():
    gate = ConcurrencyLimit(slots=1, patience=60)
    assert gate.enter()
    inside = threading.Event()
    waiter = threading.Thread(target=lambda: gate.enter() and inside.set())
    waiter.start()
    until_there_wait(gate, 1)
    assert not gate.enter()
    gate.leave()
    waiter.join(60)
    assert inside.is_set()


@pytest.mark.parametrize("patience", [0.0, 0.001])
def test_patience_ends(patience):
    gate = ConcurrencyLimit(slots=1, patience=patience)
    assert gate.enter()
    assert not gate.enter()


def until_there_wait(gate: ConcurrencyLimit, number: int) -> None:
    while gate.waiting() < number:
        time.sleep(0.001)


def test_who_is_known_goes_in_before_a_stranger_who_came_first():
    gate = ConcurrencyLimit(slots=1, patience=60, known=2, known_patience=60)
    assert gate.enter()
    came: list[str] = []

    def come(name: str) -> None:
        assert gate.enter(is_known=name == "known")
        came.append(name)
        gate.leave()

    threads = []
    for number, name in enumerate(("stranger", "known"), 1):
        threads.append(threading.Thread(target=come, args=[name]))
        threads[-1].start()
        until_there_wait(gate, number)
    assert not gate.enter()
    gate.leave()
    for each in threads:
        each.join(60)
    assert came == ["known", "stranger"]
    assert gate.enter()


def test_a_stranger_who_waits_makes_room_for_who_is_known():
    gate = ConcurrencyLimit(slots=1, patience=60, known=2, known_patience=60)
    assert gate.enter()
    refused, inside = threading.Event(), []
    stranger = threading.Thread(target=lambda: gate.enter() or refused.set())
    stranger.start()
    until_there_wait(gate, 1)
    known = [threading.Thread(target=lambda: inside.append(gate.enter(is_known=True))) for _each in range(2)]
    for each in known:
        each.start()
    stranger.join(60)
    assert refused.is_set()
    until_there_wait(gate, 2)
    assert not gate.enter(is_known=True)
    assert not gate.enter()
    for _each in known:
        gate.leave()
    for each in known:
        each.join(60)
    assert inside == [True, True]
