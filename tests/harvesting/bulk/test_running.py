"""Bulk actions: what they count, change, leave out and undo; portions, kills, and whose rows they reach."""

from datetime import timedelta

import pytest
from django.utils import timezone

from aggregator.bulk.table import ACTIONS
from harvesting.bulk import running
from harvesting.harvest.run import create_harvest
from harvesting.issues import counts
from harvesting.models import (
    AuditEntry,
    BulkAction,
    BulkChange,
    Feed,
    Harvest,
    IgnoredIssue,
    IssueCount,
    OutgoingMessage,
    RecordIssue,
    Repository,
    SourceRecord,
    Suppression,
)
from harvesting.records.suppression import release, suppress
from harvesting.records.tombstones import mark_deleted
from tests.aggregator.views.records_with_issues import harvested, issue_of, live, person, provider, record_of
from tests.aggregator.views.records_with_issues import with_bad_isbn as faulty
from tests.stored_once import stored_once

pytestmark = pytest.mark.django_db
State = BulkAction.State
REASON = {"reason": "古い目録のため"}


@pytest.fixture
@stored_once
def feed(db):
    feed = provider()
    harvested(feed, faulty("a"), live("b"), faulty("c"), faulty("d"))
    return feed


@pytest.fixture
def hanako(feed):
    return person("hanako", feed.repository)


def begun(name: str, user, query: str = "", chosen=(), **parameters) -> BulkAction:
    bulk = running.prepare(ACTIONS[name], user, query, chosen)
    assert running.confirm(bulk, ACTIONS[name], user, parameters)
    return bulk


def done(name: str, user, query: str = "", chosen=(), **parameters) -> BulkAction:
    bulk = begun(name, user, query, chosen, **parameters)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    return bulk


def undone(bulk: BulkAction, user) -> BulkAction:
    assert running.begin_undoing(bulk, ACTIONS[bulk.action], user)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert bulk.state == State.UNDONE
    return bulk


def test_all_issues_of_a_filter_are_counted_first_then_ignored_and_undone(feed, hanako):
    code = issue_of("a").code
    bulk = running.prepare(ACTIONS["issues.ignore"], hanako, f"code={code}")
    assert (bulk.state, bulk.matched, bulk.applicable) == (State.READY, 3, 3)
    shown = running.examples(bulk, ACTIONS["issues.ignore"], hanako)
    assert [example.name for example in shown] == ["oai:x:a", "oai:x:c", "oai:x:d"]
    assert not IgnoredIssue.objects.exists()
    assert running.confirm(bulk, ACTIONS["issues.ignore"], hanako, REASON)
    assert not running.confirm(bulk, ACTIONS["issues.ignore"], hanako, REASON)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.done) == (State.DONE, 3)
    assert RecordIssue.objects.filter(code=code, ignored__reason=REASON["reason"]).count() == 3
    assert ignored_of(code) == 3
    undone(bulk, hanako)
    assert (bulk.undone, bulk.left) == (3, 0)
    assert not RecordIssue.objects.exclude(ignored=None).exists()
    assert ignored_of(code) == 0
    entries = AuditEntry.objects.filter(action__startswith="bulk.").values_list("action", flat=True)
    assert sorted(entries) == ["bulk.begun", "bulk.undone"]
    assert not AuditEntry.objects.filter(action="issue.ignored").exists()


def ignored_of(code: str) -> int:
    """How many issues of a rule the newest count shows as ignored."""
    return next(rule.ignored for rule in counts.rule_counts(IssueCount.objects.first()) if rule.code == code)


def test_undoing_leaves_alone_what_others_have_changed(feed, hanako):
    records = [record_of(name).pk for name in "abc"]
    bulk = done("records.withhold", hanako, "", records, **REASON)
    assert SourceRecord.objects.exclude(suppressed_at=None).count() == 3
    release(record_of("a"))
    release(record_of("b"))
    suppress(record_of("b"), "other reason", "taro")
    undone(bulk, hanako)
    assert (bulk.undone, bulk.left) == (1, 2)
    assert list(Suppression.objects.values_list("reason", flat=True)) == ["other reason"]
    assert record_of("b").suppressed_at and not record_of("c").suppressed_at


def test_records_that_need_nothing_are_named_in_the_preview(feed, hanako):
    suppress(record_of("a"), "before", "taro")
    bulk = running.prepare(ACTIONS["records.withhold"], hanako, f"repository={feed.repository.number}")
    assert (bulk.matched, bulk.applicable, bulk.repository) == (4, 3, feed.repository)


def test_publishing_again_and_restoring_are_undone_as_it_was(feed, hanako):
    suppress(record_of("a"), "before", "taro")
    bulk = done("records.release", hanako, "state=withheld")
    assert bulk.done == 1 and not Suppression.objects.exists()
    undone(bulk, hanako)
    assert (Suppression.objects.get().reason, Suppression.objects.get().decided_by) == ("before", "taro")
    mark_deleted(SourceRecord.objects.filter(pk=record_of("c").pk), SourceRecord.Deletion.ABSENT)
    mark_deleted(SourceRecord.objects.filter(pk=record_of("d").pk), SourceRecord.Deletion.REPORTED)
    deleted_at = record_of("c").deleted_at
    bulk = done("records.restore", hanako, "state=deleted")
    assert bulk.done == 2 and not record_of("c").deleted
    SourceRecord.objects.filter(pk=record_of("d").pk).update(changed_at=timezone.now())  # a harvest changed it
    undone(bulk, hanako)
    restored = record_of("c")
    assert (restored.deleted, restored.deletion, restored.deleted_at) == (True, "absent", deleted_at)
    assert not record_of("d").deleted and (bulk.undone, bulk.left) == (1, 1)


def test_a_librarian_reaches_only_own_providers_even_by_ids(feed, hanako):
    other = provider("よその館")
    harvested(other, faulty("z"))
    every = list(RecordIssue.objects.values_list("pk", flat=True))
    foreign = RecordIssue.objects.filter(repository=other.repository)
    bulk = done("issues.ignore", hanako, "", every, **REASON)
    assert bulk.done == len(every) - foreign.count()
    assert not foreign.exclude(ignored=None).exists()
    for query in ("", f"repository={other.repository.number}"):
        done("records.withhold", hanako, query, **REASON)
    assert record_of("z").suppressed_at is None and record_of("a").suppressed_at


def test_who_may_no_longer_act_for_a_provider_changes_and_undoes_nothing_there(feed, hanako):
    other = provider("よその館")
    harvested(other, live("z"))
    other.repository.managers.add(hanako)
    bulk = begun("records.withhold", hanako, **REASON)
    other.repository.managers.remove(hanako)
    running.carry_out(ACTIONS)
    assert record_of("z").suppressed_at is None and record_of("a").suppressed_at
    feed.repository.managers.remove(hanako)
    bulk.refresh_from_db()
    undone(bulk, hanako)
    assert (bulk.undone, bulk.left) == (0, 4) and record_of("a").suppressed_at
    bulk = begun("records.withhold", hanako, **REASON)
    hanako.is_active = False
    hanako.save()
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.problem, bulk.done) == (State.FAILED, running.NOT_PERMITTED, 0)


@pytest.mark.parametrize("place", [running.BEFORE_COMMIT, running.AFTER_COMMIT])
def test_a_killed_worker_repeats_nothing_and_leaves_nothing_out(feed, hanako, monkeypatch, place):
    action = ACTIONS["records.withhold"]
    monkeypatch.setitem(ACTIONS, action.name, replaced(action, portion=1))
    bulk = begun("records.withhold", hanako, **REASON)
    kills = iter([True, True])

    def kill(name: str) -> None:
        if name == place and next(kills, False):
            raise SystemExit

    monkeypatch.setattr(running, "checkpoint", kill)
    for _kill in range(2):
        with pytest.raises(SystemExit):
            running.carry_out(ACTIONS)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.done, bulk.skipped) == (State.DONE, 4, 0)
    assert sorted(bulk.changes.values_list("number", flat=True)) == sorted(
        SourceRecord.objects.values_list("pk", flat=True)
    )


def replaced(action, **values):
    return type(action)(**{name: getattr(action, name) for name in action.__slots__} | values)


def test_rows_that_came_after_the_preview_are_left_alone(feed, hanako):
    bulk = running.prepare(ACTIONS["records.withhold"], hanako, "")
    harvested(feed, live("later"))
    running.confirm(bulk, ACTIONS["records.withhold"], hanako, REASON)
    running.carry_out(ACTIONS)
    assert record_of("later").suppressed_at is None and record_of("a").suppressed_at


def test_large_filters_are_counted_in_steps_by_the_queue(feed, hanako, monkeypatch):
    monkeypatch.setattr(running, "SCAN", 1)
    monkeypatch.setattr(running, "AT_ONCE", 0.0)
    bulk = running.prepare(ACTIONS["records.withhold"], hanako, "")
    assert bulk.state == State.COUNTING and running.has_work()
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.matched) == (State.READY, 4)
    running.confirm(bulk, ACTIONS["records.withhold"], hanako, REASON)
    running.carry_out(ACTIONS)
    assert SourceRecord.objects.exclude(suppressed_at=None).count() == 4


def test_a_stopped_action_can_be_undone_and_a_discarded_one_is_gone(feed, hanako, monkeypatch):
    action = replaced(ACTIONS["records.withhold"], portion=1)
    monkeypatch.setitem(ACTIONS, action.name, action)
    bulk = begun("records.withhold", hanako, **REASON)
    running.carry_out(ACTIONS, seconds=0)
    running._step(bulk.pk, ACTIONS)
    assert running.stop(bulk, hanako)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.done) == (State.STOPPED, 1)
    undone(bulk, hanako)
    assert not Suppression.objects.exists()
    bulk = running.prepare(action, hanako, "")
    assert running.stop(bulk, hanako) and not BulkAction.objects.filter(pk=bulk.pk).exists()


def test_an_error_ends_the_action_and_it_can_be_continued(feed, hanako, monkeypatch, caplog):
    def broken(_portion):
        raise ValueError("broken")

    action = ACTIONS["records.withhold"]
    monkeypatch.setitem(ACTIONS, action.name, replaced(action, apply=broken))
    bulk = done("records.withhold", hanako, **REASON)
    assert (bulk.state, bulk.done) == (State.FAILED, 0) and "broken" in caplog.text
    monkeypatch.setitem(ACTIONS, action.name, action)
    assert running.retry(bulk)
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.done) == (State.DONE, 4)


def test_fetching_again_waits_for_a_harvest_and_asks_for_each_record_once(feed, hanako):
    active = create_harvest(feed)
    bulk = done("records.ask", hanako)
    assert bulk.state == State.RUNNING and bulk.resume_at and not bulk.runs
    Harvest.objects.filter(pk=active.pk).update(state=Harvest.State.CANCELLED)
    assert not running.has_work()
    BulkAction.objects.update(resume_at=timezone.now() - timedelta(seconds=1))
    running.carry_out(ACTIONS)
    bulk.refresh_from_db()
    run = Harvest.objects.get(kind="record")
    assert (bulk.state, bulk.runs, bulk.done) == (State.DONE, [run.pk], 4)
    assert run.identifier.split("\n") == [f"oai:x:{name}" for name in "abcd"] and run.asked_by == ""


def test_issues_of_one_record_request_it_once(feed, hanako):
    done("issues.ask", hanako)
    run = Harvest.objects.get(kind="record")
    assert sorted(run.identifier.split("\n")) == sorted(set(run.identifier.split("\n")))


def test_rereading_finds_missing_issues_again(feed, hanako):
    before = RecordIssue.objects.count()
    RecordIssue.objects.exclude(pk=issue_of("a").pk).filter(source_record=record_of("a")).delete()
    bulk = done("issues.reread", hanako, "", [issue_of("a").pk])
    assert (bulk.done, RecordIssue.objects.count()) == (1, before)
    assert not running.can_be_undone(bulk, ACTIONS[bulk.action])


def test_each_provider_gets_one_letter_which_can_be_kept_back(feed, hanako):
    Repository.objects.update(contact_email="toshokan@example.jp")
    bulk = done("issues.letter", hanako, f"code={issue_of('a').code}")
    message = OutgoingMessage.objects.get()
    assert message.address == "toshokan@example.jp" and issue_of("a").code in message.text and "oai:x:a" in message.text
    undone(bulk, hanako)
    assert not OutgoingMessage.objects.exists()


def test_providers_are_paused_rescheduled_and_given_a_profile(feed, hanako):
    staff = person("taro", staff=True)
    second = provider("第二館")
    Repository.objects.filter(pk=second.repository_id).update(state="stopped")
    paused = done("providers.pause", staff, "", **REASON)
    assert (paused.matched, paused.applicable, paused.done) == (2, 1, 1)
    assert Repository.objects.get(pk=feed.repository_id).state == "paused"
    Feed.objects.filter(pk=second.pk).update(schedule="cron", cron="1 2 * * *")
    scheduled = done("providers.schedule", staff, "", schedule="weekly")
    assert set(Feed.objects.values_list("schedule", "cron")) == {("weekly", "")}
    profiled = done("providers.profile", staff, "", profile="lax")
    assert set(Repository.objects.values_list("profile", flat=True)) == {"lax"}
    Feed.objects.filter(pk=feed.pk).update(schedule="monthly")
    for bulk in (paused, scheduled, profiled):
        undone(bulk, staff)
    assert Repository.objects.get(pk=feed.repository_id).state == "live"
    assert Feed.objects.get(pk=second.pk).cron == "1 2 * * *" and Feed.objects.get(pk=feed.pk).schedule == "monthly"
    assert "lax" not in Repository.objects.values_list("profile", flat=True)
    assert (scheduled.undone, scheduled.left) == (1, 1)


def test_what_can_no_longer_be_undone_is_forgotten(feed, hanako):
    bulk = done("records.withhold", hanako, **REASON)
    now = timezone.now()
    assert running.forget(now + running.UNDO_FOR - timedelta(minutes=1)) == 0
    BulkAction.objects.update(ended_at=now - running.UNDO_FOR - timedelta(minutes=1))
    bulk.refresh_from_db()
    assert not running.can_be_undone(bulk, ACTIONS[bulk.action])
    running.prepare(ACTIONS["records.release"], hanako, "")
    assert running.forget(now + timedelta(days=2)) == 6
    assert not BulkAction.objects.exists() and not BulkChange.objects.exists()
