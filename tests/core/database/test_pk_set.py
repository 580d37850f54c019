"""A set of ids in little memory answers as a Python set does."""

from random import Random

from core.database.pk_set import PkSet
from tests.seeds import seeds

SPREAD = [range(1, 500), range(65_000, 66_100), range(2**40, 2**40 + 300)]  # across the edges of blocks


@seeds(10)
def test_the_set_contains_what_was_added_and_nothing_else(seed):
    asked = [pk for numbers in SPREAD for pk in numbers]
    added = Random(seed).sample(asked, 400)
    pks = PkSet(added[:200])
    pks.update(added[200:])
    assert [pk for pk in asked if pk in pks] == sorted(added)


def test_asking_does_not_take_memory():
    pks = PkSet([1])
    assert 10**12 not in pks and len(pks._blocks) == 1
