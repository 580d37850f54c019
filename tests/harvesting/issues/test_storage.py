"""Issues over several harvests: they stay, are resolved, and are counted. Earlier versions of records are kept."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.issues import counts, storage
from harvesting.models import IgnoredIssue, IssueCount, RecordIssue, RecordVersion, ResolvedIssue, SourceRecord
from harvesting.records import versions
from harvesting.records.compression import unpack_payload
from tests.harvesting.batches import gone, harvest_records, live, new_feed

pytestmark = pytest.mark.django_db
LATER = "2026-02-01T00:00:00Z"


def bad(local_id: str, datestamp: str = LATER, **fields):
    """A record whose ISBN is no ISBN."""
    return live(local_id, datestamp, isbn="978-4-00-310101-0", **fields)


def found() -> list[tuple[str, str]]:
    return sorted(RecordIssue.objects.filter(code="dcndl.E014").values_list("source_record__identifier", "value"))


def test_an_issue_that_is_found_again_keeps_its_row_and_its_age():
    feed = new_feed()
    harvest_records(feed, [bad("a"), live("b")])
    first = RecordIssue.objects.filter(source_record__identifier="oai:x:a")
    was = {issue.pk: issue.found_at for issue in first}
    assert was
    run = harvest_records(feed, [bad("a", LATER, title="別の題"), live("b")])
    now = RecordIssue.objects.filter(source_record__identifier="oai:x:a")
    assert {issue.pk: issue.found_at for issue in now} == was
    assert {issue.harvest_id for issue in now} == {run.pk}
    assert not ResolvedIssue.objects.exists()


def test_what_the_provider_corrects_is_resolved_by_that_run():
    feed = new_feed()
    harvest_records(feed, [bad("a")])
    codes = set(RecordIssue.objects.values_list("code", flat=True))
    run = harvest_records(feed, [live("a", LATER)])
    left = set(RecordIssue.objects.values_list("code", flat=True))
    mended = ResolvedIssue.objects.all()
    assert {issue.code for issue in mended} == codes - left != set()
    assert {(issue.how, issue.harvest, issue.repository_id) for issue in mended} == {
        ("mended", run.pk, feed.repository_id)
    }
    assert all(issue.found_at for issue in mended)


def test_the_issues_of_a_deleted_record_are_resolved():
    feed = new_feed()
    harvest_records(feed, [bad("a"), live("b")])
    harvest_records(feed, [gone("a")], full=False)
    assert not RecordIssue.objects.filter(source_record__identifier="oai:x:a").exists()
    assert set(ResolvedIssue.objects.values_list("how", flat=True)) == {"deleted"}


def test_what_somebody_ignores_stays_ignored_while_the_provider_sends_the_same():
    feed = new_feed()
    harvest_records(feed, [bad("a")])
    row = RecordIssue.objects.filter(severity="item_error").first() or RecordIssue.objects.first()
    ignoring = IgnoredIssue.objects.create(
        repository=feed.repository, code=row.code, record=row.source_record, reason="x", decided_by="hanako"
    )
    RecordIssue.objects.filter(pk=row.pk).update(ignored=ignoring)
    harvest_records(feed, [bad("a", LATER, title="別の題")])
    assert RecordIssue.objects.get(pk=row.pk).ignored == ignoring


def test_each_run_that_changes_something_is_counted_once():
    feed = new_feed()
    carry_and_count(feed, [bad("a"), live("b")])
    counted = IssueCount.objects.get()
    assert (counted.records, counted.faulty) == (2, 1)
    assert {rule.code for rule in counts.rule_counts(counted)} == set(
        RecordIssue.objects.values_list("code", flat=True)
    )
    carry_and_count(feed, [bad("a"), live("b")])
    assert IssueCount.objects.count() == 1
    carry_and_count(feed, [live("a", LATER), live("b")])
    assert [count.faulty for count in IssueCount.objects.all()] == [0, 1]


def test_records_that_could_not_be_registered_are_in_both_parts_of_a_share():
    feed = new_feed()
    carry_and_count(feed, [bad("a"), live("b"), live("c", title=""), live("d", title=""), live("e", title="")])
    counted = IssueCount.objects.get()
    assert (counted.records, counted.unregistered, counted.faulty) == (2, 3, 4)
    assert counted.share == 80.0


def test_a_count_that_was_missed_is_made_up_for():
    harvest_records(new_feed(), [bad("a")])
    assert counts.count_missed() == 1
    assert counts.count_missed() == 0


def carry_and_count(feed, records) -> None:
    counts.count_issues_after(harvest_records(feed, records))


def test_earlier_payloads_are_kept_the_newest_few_and_only_where_they_differ(monkeypatch):
    monkeypatch.setattr(versions, "KEPT_FOR", timedelta(0))
    feed = new_feed()
    for number in range(versions.VERSIONS_KEPT + 3):
        harvest_records(feed, [live("a", f"2026-02-0{number + 1}T00:00:00Z", title=f"題 {number}")])
    harvest_records(feed, [live("a", "2026-02-20T00:00:00Z", title=f"題 {versions.VERSIONS_KEPT + 2}")])
    kept = [unpack_payload(version.payload).decode() for version in RecordVersion.objects.order_by("pk")]
    assert len(kept) == versions.VERSIONS_KEPT
    assert all(f"題 {number + 2}" in text for number, text in enumerate(kept))
    last = RecordVersion.objects.first()
    assert last.datestamp == f"2026-02-0{versions.VERSIONS_KEPT + 2}T00:00:00Z"
    assert last.brought_by < SourceRecord.objects.get().brought_by


def test_a_record_that_comes_back_as_it_was_is_no_new_version():
    feed = new_feed()
    harvest_records(feed, [live("a"), live("b")])
    harvest_records(feed, [gone("a")], full=False)
    harvest_records(feed, [live("a", "2026-03-01T00:00:00Z"), live("b")])
    assert not SourceRecord.objects.get(identifier="oai:x:a").deleted
    assert not RecordVersion.objects.exists()


def test_what_was_resolved_long_ago_is_forgotten():
    feed = new_feed()
    harvest_records(feed, [bad("a")])
    harvest_records(feed, [live("a", LATER)])
    assert storage.forget(timezone.now() - timedelta(days=1)) == 0
    assert storage.forget(timezone.now() + timedelta(days=1)) > 0
    assert not ResolvedIssue.objects.exists()
