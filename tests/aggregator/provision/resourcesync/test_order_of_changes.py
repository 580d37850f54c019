"""The changes of a set are found in its own lists, whatever other sets have changed before and after."""

import pytest
from django.db import connection
from django.utils import timezone

from aggregator.models import ChangeList, HubSubscription, Provided, ResourceChange
from aggregator.provision.resourcesync import listing
from aggregator.provision.resourcesync.hub_calls import _due
from tests.plans import plan_of

QUIET, BUSY, EMPTY = 1, 2, 3  # origins


@pytest.fixture
def changes(db):
    """Keys of changes by origin: the quiet set's two lists lie between those of the busy one."""
    keys: dict[int, list[int]] = {QUIET: [], BUSY: [], EMPTY: []}
    for origin, count in ((BUSY, 4), (QUIET, 3), (BUSY, 4), (QUIET, 2), (BUSY, 40)):
        changed = ChangeList.objects.create(origin=origin, since=1, until=2, count=count)
        for number in range(count):
            item = 2 * (100 * changed.pk + number)
            Provided.objects.create(pk=item, origin=origin, public_id=f"R{item}", stamp=1)
            row = ResourceChange.objects.create(change_list=changed, item=item, kind="created", stamp=1, sha256=b"x")
            keys[origin].append(row.pk)
    ChangeList.objects.create(origin=QUIET, since=2, count=0)
    return keys


@pytest.fixture
def many_later_changes(changes):
    """So many changes of the busy set after all others that reading through them costs more than any index."""
    changed = ChangeList.objects.create(origin=BUSY, since=2, until=3, count=5000)
    ResourceChange.objects.bulk_create(
        ResourceChange(change_list=changed, item=2 * (10**6 + number), kind="created", stamp=2, sha256=b"x")
        for number in range(changed.count)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return changes


def names(rows):
    return [row.name for row in rows]


@pytest.mark.parametrize("origin", [QUIET, BUSY, EMPTY])
@pytest.mark.parametrize("count", [1, 2, 4, 100])
def test_the_last_changes_of_a_set_are_known_across_its_lists(changes, origin, count):
    own = changes[origin]
    assert listing.number_before_last(origin, count) == (own[-count:][0] - 1 if own else 0)
    assert listing.last_change(origin) == (own[-1] if own else 0)


@pytest.mark.parametrize("limit", [1, 3, 4, 100])
def test_the_changes_after_one_go_on_in_the_next_list(changes, limit):
    own = changes[QUIET]
    whole, last = listing.changes_after(QUIET, 0, 100)
    assert (len(whole), last) == (5, own[-1])
    for place, after in enumerate([own[0] - 1, *own]):
        rows, last = listing.changes_after(QUIET, after, limit)
        assert names(rows) == names(whole)[place : place + limit]
        assert last == (own[place : place + limit] or [after])[-1]


def subscribe(origin, last):
    HubSubscription.objects.create(
        origin=origin, callback=f"http://127.0.0.1/{origin}", active=True, last_notified=last, due=timezone.now(),
        asked_at=timezone.now(),
    )  # fmt: skip


def test_a_subscriber_is_called_only_while_it_lacks_changes(changes):
    subscribe(QUIET, changes[QUIET][-1])
    subscribe(BUSY, changes[BUSY][-2])
    assert [subscription.origin for subscription in _due()] == [BUSY]


def test_looking_for_changes_that_a_subscriber_lacks_reads_the_index_of_lists(many_later_changes):
    subscribe(QUIET, many_later_changes[QUIET][-1])
    plan = plan_of(lambda: list(_due()), "aggregator_resourcechange")
    assert "change_of_list" in plan


def test_reading_one_set_reads_the_index_of_its_lists(many_later_changes):
    last = many_later_changes[QUIET][-2]
    plan = plan_of(lambda: listing.changes_after(QUIET, last, 10), "aggregator_resourcechange")
    assert "change_of_list" in plan
    assert "change_of_list" in plan_of(lambda: listing.last_change(QUIET), "aggregator_resourcechange")
