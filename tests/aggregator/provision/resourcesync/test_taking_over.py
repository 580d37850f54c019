"""Taking over into the lists costs in proportion to what has changed, and goes on where it was stopped."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.models import ChangeList, Provided, Resource, ResourceChange, ResourceClock
from aggregator.provision.resourcesync import changes
from aggregator.provision.stamping import stamp_everything
from aggregator.tasks import aggregate
from tests.aggregator.provision.list_helpers import next_second
from tests.aggregator.shelves import Shelf
from tests.books import record
from tests.plans import plan_of

pytestmark = pytest.mark.django_db
STEP, ITEMS = 5, 12  # six records and their books


@pytest.fixture
def restored(catalogue: Shelf, monkeypatch: pytest.MonkeyPatch) -> int:
    """A site of which all items got their stamps in one second, which is over. Returns the second."""
    monkeypatch.setattr(changes, "STEP", STEP)
    next_second()
    stamp_everything()
    next_second()
    return Provided.objects.earliest("pk").stamp or 0


def one_step() -> int:
    """Take over one step and stop, as a worker whose turn is over."""
    steps = changes.update_resources()
    done = next(steps, 0)
    steps.close()
    return done


def steps_until_nothing_waits() -> Iterator[int]:
    while changes.has_changes():
        yield one_step()


def test_turns_of_one_step_get_to_the_end_of_a_second_that_many_items_share(restored: int) -> None:
    assert list(steps_until_nothing_waits()) == [5, 5, 2]
    assert ResourceChange.objects.count() == ITEMS  # the bytes are the same: no change
    assert list(changes.update_resources()) == []


def test_only_a_second_that_was_not_over_is_read_again(restored: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes.listing, "begin_list", lambda: restored)
    assert sum(changes.update_resources()) == ITEMS
    monkeypatch.undo()
    assert not changes.has_changes()
    assert sum(changes.update_resources()) == ITEMS
    assert list(changes.update_resources()) == []


def test_what_is_stamped_in_the_second_of_a_stopped_run_is_not_missed(
    restored: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes.listing, "begin_list", lambda: restored)
    assert one_step() == STEP
    first = Resource.objects.earliest("pk")
    Resource.objects.filter(pk=first.pk).update(sha256=b"other")  # as if stamped again after it was taken over
    monkeypatch.undo()
    assert sum(changes.update_resources()) == ITEMS
    assert ResourceChange.objects.filter(item=first.pk).count() == 2


def test_a_run_of_an_older_release_between_two_is_noticed(restored: int) -> None:
    one_step()
    ResourceClock.objects.update(seen=restored - 1)
    assert sum(changes.update_resources()) == ITEMS


def test_the_number_of_statements_does_not_grow_with_the_number_of_sets(shelf: Shelf) -> None:
    counts = []
    for providers in ("ab", "abcdefgh"):
        for number, name in enumerate(providers):
            shelf.put(
                name, f"oai:p:{name}", record(f"{providers}{name}", title=f"{len(providers)}版、{number}冊目の本")
            )
        aggregate()
        next_second()
        ResourceChange.objects.all().delete()
        Resource.objects.all().delete()
        stamp_everything()
        next_second()
        with CaptureQueriesContext(connection) as queries:
            assert sum(changes.update_resources()) >= 2 * len(providers)
        counts.append(len(queries))
    assert ChangeList.objects.filter(until=None).count() == 9
    assert counts[0] == counts[1]


def test_a_step_reads_the_index_of_stamps_behind_its_place(restored: int) -> None:
    one_step()
    plan = plan_of(lambda: list(changes.update_resources()), "aggregator_provided")
    assert "provided_order" in plan
