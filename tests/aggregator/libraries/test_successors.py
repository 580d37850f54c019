"""Libraries that were merged into others are followed, however many mergings there were."""

from itertools import pairwise

import pytest

from aggregator.libraries.successors import present_keys, present_library, successors, with_merged
from aggregator.models import Library

pytestmark = pytest.mark.django_db


@pytest.fixture
def chain() -> list[Library]:
    """Twenty libraries, each merged into the next one."""
    made = [Library.objects.create(name=f"{number}") for number in range(20)]
    for one, following in pairwise(made):
        one.merged_into = following
        one.save()
    return made


def test_a_library_is_followed_to_the_present_one(chain):
    first, last = chain[0].pk, chain[-1].pk
    assert present_library(Library.objects.get(pk=first)).pk == last
    assert present_keys({"one": first, "last": last, "none": last + 1}) == {"one": last, "last": last}
    assert list(successors(first)) == [library.pk for library in chain]


def test_all_libraries_that_were_merged_into_one_are_found(chain):
    assert with_merged([chain[-1].pk]) == {library.pk for library in chain}
    assert with_merged([chain[0].pk]) == {chain[0].pk}


def test_a_cycle_ends(chain):
    Library.objects.filter(pk=chain[-1].pk).update(merged_into=chain[0])
    assert with_merged([chain[0].pk]) == {library.pk for library in chain}
    assert len(list(successors(chain[0].pk))) > len(chain)
