"""The size of a transaction follows from the duration of the last one."""

import pytest
from django.db import connection

from core.database.pacing import GROWTH, TARGET_SECONDS, Pace

on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="on other databases writers do not wait")


@on_sqlite
def test_a_slow_transaction_makes_the_next_one_smaller():
    pace = Pace(1000, least=20)
    pace.learn(100, TARGET_SECONDS * 2)
    assert pace.size() == 50
    pace.learn(50, TARGET_SECONDS * 1000)
    assert pace.size() == 20
    assert pace.size(7) == 7


@on_sqlite
def test_the_first_transaction_of_a_process_is_small():
    pace = Pace(1000, least=20)
    assert pace.size() == 100
    pace.learn(100, TARGET_SECONDS / 2)
    assert pace.size() == 150
    assert Pace(50, least=20).size() == 20


@on_sqlite
def test_after_fast_transactions_the_size_grows_in_steps_up_to_the_maximum():
    pace = Pace(1000)
    pace.learn(1000, TARGET_SECONDS * 10)
    sizes = []
    for _ in range(8):
        pace.learn(pace.size(), TARGET_SECONDS / 100)
        sizes.append(pace.size())
    assert sizes[0] == int(100 * GROWTH)
    assert sizes[-1] == 1000


@on_sqlite
def test_a_small_fast_transaction_does_not_change_the_size():
    pace = Pace(1000)
    pace.learn(1000, TARGET_SECONDS * 10)
    pace.learn(3, TARGET_SECONDS / 100)
    assert pace.size() == 100
    pace.learn(3, TARGET_SECONDS * 2)  # but a small slow one does
    assert pace.size() == 20


@pytest.mark.skipif(connection.vendor == "sqlite", reason="on SQLite the size follows the duration")
def test_on_other_databases_the_size_is_always_the_maximum():
    pace = Pace(1000)
    pace.learn(1000, TARGET_SECONDS * 100)
    assert pace.size() == 1000
