"""How much one transaction does follows from how long the last one kept others out."""

import pytest
from django.db import connection

from core.database.pacing import AIM, GROWTH, Pace

on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere nobody waits for it")


@on_sqlite
def test_a_slow_transaction_makes_the_next_one_smaller():
    pace = Pace(1000, least=20)
    assert pace.size() == 1000
    pace.learn(1000, AIM * 4)
    assert pace.size() == 250
    pace.learn(250, AIM * 1000)
    assert pace.size() == 20
    assert pace.size(7) == 7


@on_sqlite
def test_quick_ones_grow_again_step_by_step_and_no_further_than_they_may():
    pace = Pace(1000)
    pace.learn(1000, AIM * 10)
    sizes = []
    for _each in range(8):
        pace.learn(pace.size(), AIM / 100)
        sizes.append(pace.size())
    assert sizes[0] == int(100 * GROWTH)
    assert sizes[-1] == 1000


@on_sqlite
def test_a_few_rows_say_little_of_many():
    pace = Pace(1000)
    pace.learn(1000, AIM * 10)
    pace.learn(3, AIM / 100)
    assert pace.size() == 100
    pace.learn(3, AIM * 2)  # but a slow one counts
    assert pace.size() == 20


@pytest.mark.skipif(connection.vendor == "sqlite", reason="there it follows the clock")
def test_elsewhere_it_is_as_much_as_it_may_be():
    pace = Pace(1000)
    pace.learn(1000, AIM * 100)
    assert pace.size() == 1000
