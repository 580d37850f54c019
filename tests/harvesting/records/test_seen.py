"""A full list writes only the records that have changed, and still knows which records it has contained."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from harvesting.completion.sweep import sweep
from harvesting.models import Harvest, Membership, SeenRecords, SourceRecord
from harvesting.records import membership, seen
from harvesting.runs import lifecycle
from harvesting.runs.observations import UNMARKED, is_complete
from harvesting.types import TransportError
from tests.harvesting.batches import (
    begin_run,
    finish,
    gone,
    harvest_records,
    live,
    live_local_ids,
    make_records,
    new_feed,
    store_records,
)

pytestmark = pytest.mark.django_db
WRITES_RECORDS = re.compile(r'\s*(INSERT INTO|UPDATE|DELETE FROM) "harvesting_(sourcerecord|membership|recordissue)"')


def again(run: Harvest) -> Harvest:
    """The run as another worker claims it after this one was killed."""
    Harvest.objects.filter(pk=run.pk).update(state="interrupted")
    other = Harvest.objects.get(pk=run.pk)
    assert lifecycle.claim(other)
    return other


@pytest.mark.parametrize("deleted_record", ["persistent", "no"])
def test_a_full_list_in_which_nothing_changed_writes_no_record(deleted_record):
    feed = new_feed(deleted_record=deleted_record)
    records = [*make_records(30), *(gone(f"b{number}") for number in range(3))]
    harvest_records(feed, make_records(30))
    harvest_records(feed, records[3:])
    rows = list(SourceRecord.objects.order_by("pk").values())
    written = []

    def note(execute, statement, parameters, many, context):
        if WRITES_RECORDS.match(statement):
            written.append(statement)
        return execute(statement, parameters, many, context)

    with connection.execute_wrapper(note):
        run = harvest_records(feed, records[3:], page=10)
    assert (run.state, run.unchanged, run.swept, written) == ("succeeded", 30, 0, [])
    assert list(SourceRecord.objects.order_by("pk").values()) == rows


@pytest.mark.parametrize("size", [100, 101])
def test_of_several_feeds_too_a_full_list_in_which_nothing_changed_writes_no_record_and_no_membership(size):
    first = new_feed(set_spec="one")
    second = new_feed(first.repository, set_spec="two")
    records = make_records(100)
    harvest_records(first, records[:60])
    harvest_records(second, records)
    rows = list(SourceRecord.objects.order_by("pk").values()), list(Membership.objects.order_by("pk").values())
    with CaptureQueriesContext(connection) as caught:
        run = harvest_records(second, records, page=30, complete_list_size=size)
    written = [query["sql"] for query in caught if WRITES_RECORDS.match(query["sql"])]
    assert (run.state, run.unchanged, run.swept, written) == ("succeeded", 100, 0, [])
    assert ("safety.size" in run.observations) is (size != 100)
    assert (
        list(SourceRecord.objects.order_by("pk").values()),
        list(Membership.objects.order_by("pk").values()),
    ) == rows
    run = harvest_records(second, records[:98])
    assert (run.swept, membership.count_listed(first), membership.count_listed(second)) == (2, 60, 98)


def test_a_run_that_another_worker_goes_on_with_deletes_only_what_neither_has_seen():
    feed = new_feed()
    harvest_records(feed, make_records(100))
    run = store_records(begin_run(feed, full=True), make_records(40), resumption_token="t1")
    run = store_records(again(run), make_records(97)[40:], exhaustive=True)
    sweep(again(run))
    run.refresh_from_db()
    assert (run.state, run.swept) == ("succeeded", 3)
    assert live_local_ids(feed) == {f"b{number}" for number in range(97)}


def test_a_page_that_was_not_stored_has_not_been_seen():
    feed = new_feed()
    harvest_records(feed, make_records(40))
    run = store_records(begin_run(feed, full=True), make_records(20), resumption_token="t1")
    other = again(run)
    with pytest.raises(TransportError, match="another worker"):
        store_records(run, make_records(40)[20:], resumption_token="t2")
    pks = seen.among(SourceRecord.objects.all(), [run.pk], seen=True)
    names = SourceRecord.objects.filter(pk__in=list(pks)).values_list("identifier", flat=True)
    assert set(names) == {f"oai:x:b{number}" for number in range(20)}
    store_records(other, make_records(39)[20:], exhaustive=True)
    assert finish(other).swept == 1


@pytest.mark.parametrize("killed", [False, True])
def test_of_two_versions_in_overlapping_pages_the_first_counts_also_if_it_was_unchanged(killed):
    feed = new_feed()
    harvest_records(feed, make_records(5))
    run = store_records(begin_run(feed, full=True), make_records(5), resumption_token="t1")
    run = store_records(again(run) if killed else run, [live("b1", title="別の題名")], resumption_token="t2")
    assert (run.updated, run.unchanged) == (0, 6)
    assert run.observations["safety.clash"]["count"] == 1


def test_what_a_run_has_seen_is_forgotten_when_it_or_a_later_one_has_succeeded():
    feed = new_feed()
    harvest_records(feed, make_records(100))
    run = harvest_records(feed, make_records(50))
    assert (run.state, len(seen.among(SourceRecord.objects.all(), [run.pk], seen=True))) == ("paused", 50)
    assert harvest_records(feed, make_records(100)).state == "succeeded"
    assert not SeenRecords.objects.exists()


def test_the_program_before_concludes_nothing_from_absence_in_a_run_that_it_goes_on_with():
    """It looks for an incomplete observation, and does not know the notes; see `harvesting.runs.observations`."""
    feed = new_feed()
    harvest_records(feed, make_records(10))
    run = store_records(begin_run(feed, full=True), make_records(5), resumption_token="t1")
    assert any(entry["incomplete"] for entry in run.observations.values())
    assert is_complete(run.observations)
    run = finish(store_records(run, make_records(10)[5:], exhaustive=True))
    assert UNMARKED not in run.observations


def test_no_note_is_written_for_a_page_of_new_records_or_by_a_run_of_changes():
    feed = new_feed()
    finish(store_records(begin_run(feed, full=True), make_records(5), exhaustive=True))
    store_records(begin_run(feed), make_records(5), resumption_token="t1")
    assert not SeenRecords.objects.exists()
