"""The concurrency limit admits only so many threads."""

import threading
import time

import pytest

from core.http.concurrency import ConcurrencyLimit


def test_a_full_limit_refuses_until_a_slot_is_free():
    limit = ConcurrencyLimit(slots=2)
    assert [limit.enter(), limit.enter(), limit.enter()] == [True, True, False]
    limit.leave()
    assert limit.enter()


def test_one_unknown_client_may_wait_and_no_second_one():
    limit = ConcurrencyLimit(slots=1, patience=60)
    assert limit.enter()
    inside = threading.Event()
    waiter = threading.Thread(target=lambda: limit.enter() and inside.set())
    waiter.start()
    wait_until_waiting(limit, 1)
    assert not limit.enter()
    limit.leave()
    waiter.join(60)
    assert inside.is_set()


@pytest.mark.parametrize("patience", [0.0, 0.001])
def test_waiting_ends_after_the_patience(patience):
    limit = ConcurrencyLimit(slots=1, patience=patience)
    assert limit.enter()
    assert not limit.enter()


def wait_until_waiting(limit: ConcurrencyLimit, number: int) -> None:
    while limit.waiting() < number:
        time.sleep(0.001)


def test_a_known_client_enters_before_an_unknown_one_that_came_first():
    limit = ConcurrencyLimit(slots=1, patience=60, known=2, known_patience=60)
    assert limit.enter()
    entered: list[str] = []

    def enter(name: str) -> None:
        assert limit.enter(is_known=name == "known")
        entered.append(name)
        limit.leave()

    threads = []
    for number, name in enumerate(("unknown", "known"), 1):
        threads.append(threading.Thread(target=enter, args=[name]))
        threads[-1].start()
        wait_until_waiting(limit, number)
    assert not limit.enter()
    limit.leave()
    for thread in threads:
        thread.join(60)
    assert entered == ["known", "unknown"]
    assert limit.enter()


def test_a_waiting_unknown_client_makes_room_for_known_ones():
    limit = ConcurrencyLimit(slots=1, patience=60, known=2, known_patience=60)
    assert limit.enter()
    refused, inside = threading.Event(), []
    unknown = threading.Thread(target=lambda: limit.enter() or refused.set())
    unknown.start()
    wait_until_waiting(limit, 1)
    known = [threading.Thread(target=lambda: inside.append(limit.enter(is_known=True))) for _ in range(2)]
    for thread in known:
        thread.start()
    unknown.join(60)
    assert refused.is_set()
    wait_until_waiting(limit, 2)
    assert not limit.enter(is_known=True)
    assert not limit.enter()
    for _ in known:
        limit.leave()
    for thread in known:
        thread.join(60)
    assert inside == [True, True]
