"""Undoing a run as a whole: what it added, replaced and deleted. What has changed since is left alone, and erased data
never return.
"""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from aggregator.bulk.table import ACTIONS
from aggregator.erasing.records import make_tombstones
from harvesting.bulk import running
from harvesting.bulk.harvests import can_be_undone
from harvesting.completion.sweep import _delete
from harvesting.harvest.run import create_harvest
from harvesting.models import Harvest, RecordIssue, RecordVersion, SourceRecord
from harvesting.records import versions
from harvesting.records.compression import unpack_payload, unpack_record
from tests.aggregator.views.records_with_issues import LATER, harvested, live, person, provider, record_of
from tests.aggregator.views.records_with_issues import with_bad_isbn as faulty
from tests.harvesting.batches import gone
from tests.harvesting.bulk.test_running import begun, done, undone
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
State = running.State
REASON = {"reason": "誤ったデータ"}


@pytest.fixture
@stored_once
def feed(db):
    feed = provider()
    harvested(feed, live("a", title="古い題"), live("b"), live("c"))
    return feed


@pytest.fixture
def hanako(feed):
    return person("hanako", feed.repository)


@pytest.fixture
@stored_once
def run(feed) -> Harvest:
    """A run that replaced a, left b, deleted c and added d."""
    run = harvested(feed, faulty("a", LATER, title="新しい題"), live("b"), gone("c", LATER), live("d"))
    return ended(run)


def ended(run: Harvest) -> Harvest:
    Harvest.objects.filter(pk=run.pk).update(state="succeeded", finished_at=timezone.now())
    run.refresh_from_db()
    return run


def title(name: str) -> str:
    return unpack_record(bytes(record_of(name).record)).title


def state() -> dict[str, tuple]:
    rows = SourceRecord.objects.order_by("identifier")
    return {
        row.identifier: (
            row.deleted,
            row.deletion,
            unpack_payload(bytes(row.payload)),
            bytes(row.payload_hash),
            title_of(row),
        )
        for row in rows
    }


def title_of(row: SourceRecord) -> str:
    return unpack_record(bytes(row.record)).title


def test_a_run_is_undone_as_a_whole_and_brought_back(feed, hanako, run):
    assert can_be_undone(run)
    before = state()
    issues = set(RecordIssue.objects.values_list("source_record", "code", "value"))
    bulk = running.prepare(ACTIONS["harvests.undo"], hanako, f"harvest={run.pk}")
    assert (bulk.matched, bulk.applicable, bulk.repository) == (3, 3, feed.repository)
    with translation.override("ja"):
        said = {example.name: example.text for example in running.examples(bulk, ACTIONS[bulk.action], hanako)}
    assert said == {
        "oai:x:a": "前の版に戻ります",
        "oai:x:c": "元に戻ります",
        "oai:x:d": "削除されます",
    }
    bulk = done("harvests.undo", hanako, f"harvest={run.pk}", **REASON)
    assert (bulk.state, bulk.done, bulk.skipped) == (State.DONE, 3, 0)
    assert title("a") == "古い題" and not record_of("c").deleted and record_of("d").deleted
    assert not RecordIssue.objects.filter(source_record=record_of("a"), code__endswith="E013").exists()
    assert record_of("a").aggregated_at is None
    undone(bulk, hanako)
    assert (bulk.undone, bulk.left) == (3, 0)
    assert state() == before
    assert set(RecordIssue.objects.values_list("source_record", "code", "value")) == issues


def test_what_has_changed_since_is_said_and_left_alone(feed, hanako, run):
    ended(harvested(feed, live("a", "2026-03-01T00:00:00Z", title="さらに新しい題"), gone("d", "2026-03-01T00:00:00Z")))
    bulk = done("harvests.undo", hanako, f"harvest={run.pk}", **REASON)
    assert (bulk.matched, bulk.applicable, bulk.done) == (3, 1, 1)
    assert title("a") == "さらに新しい題" and record_of("d").deletion == "reported" and not record_of("c").deleted
    SourceRecord.objects.filter(pk=record_of("c").pk).update(changed_at=timezone.now())
    undone(bulk, hanako)
    assert (bulk.undone, bulk.left) == (0, 1) and not record_of("c").deleted


def test_two_runs_are_undone_one_after_the_other(feed, hanako, run):
    second = ended(harvested(feed, live("a", "2026-03-01T00:00:00Z", title="さらに新しい題")))
    done("harvests.undo", hanako, f"harvest={second.pk}", **REASON)
    assert title("a") == "新しい題"
    done("harvests.undo", hanako, f"harvest={run.pk}", **REASON)
    assert title("a") == "古い題"


def test_records_deleted_because_absent_come_back(feed, hanako):
    run = create_harvest(feed, full=True)
    Harvest.objects.filter(pk=run.pk).update(state="running", lease_until=timezone.now() + timedelta(hours=1))
    run.refresh_from_db()
    _delete(run, [record_of("a").pk])
    ended(run)
    assert record_of("a").deleted_by == run.pk
    bulk = done("harvests.undo", hanako, f"harvest={run.pk}", **REASON)
    assert bulk.done == 1 and not record_of("a").deleted


def test_erased_data_never_return(feed, hanako, run):
    bulk = running.prepare(ACTIONS["harvests.undo"], hanako, f"harvest={run.pk}")
    make_tombstones([record_of(name).pk for name in "abcd"])
    running.confirm(bulk, ACTIONS[bulk.action], hanako, REASON)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert bulk.done == 0
    assert not SourceRecord.objects.exclude(payload=b"").exists()


def test_what_was_erased_after_undoing_is_not_brought_back_by_redoing(feed, hanako, run):
    bulk = done("harvests.undo", hanako, f"harvest={run.pk}", **REASON)
    make_tombstones([record_of(name).pk for name in "abcd"])
    undone(bulk, hanako)
    assert bulk.left == 3 and not SourceRecord.objects.exclude(payload=b"").exists()


def test_undoing_waits_while_the_provider_is_harvested(feed, hanako, run):
    create_harvest(feed)
    bulk = begun("harvests.undo", hanako, f"harvest={run.pk}", **REASON)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert bulk.resume_at and bulk.done == 0 and title("a") == "新しい題"


def test_old_runs_running_ones_and_those_of_others_are_not_undone(feed, hanako, run):
    stranger = person("jiro", provider("よその館").repository)
    assert done("harvests.undo", stranger, f"harvest={run.pk}", **REASON).matched == 0
    Harvest.objects.filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(days=31))
    run.refresh_from_db()
    assert not can_be_undone(run)
    assert running.prepare(ACTIONS["harvests.undo"], hanako, f"harvest={run.pk}").matched == 0


def test_versions_of_the_last_days_are_kept_whatever_their_number(feed):
    for number in range(versions.VERSIONS_KEPT + 4):
        harvested(feed, live("a", f"2026-03-{number + 1:02}T00:00:00Z", title=f"題 {number}"))
    assert RecordVersion.objects.count() == versions.VERSIONS_KEPT + 4
    assert versions.forget_old(timezone.now()) == 0
    assert versions.forget_old(timezone.now() + versions.KEPT_FOR + timedelta(minutes=1)) == 4
    assert RecordVersion.objects.count() == versions.VERSIONS_KEPT


def test_a_record_has_a_limited_number_of_versions(feed, monkeypatch):
    monkeypatch.setattr(versions, "MOST_VERSIONS", 5)
    for number in range(7):
        harvested(feed, live("a", f"2026-03-{number + 1:02}T00:00:00Z", title=f"題 {number}"))
    assert RecordVersion.objects.count() == 5
