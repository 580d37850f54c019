"""Runs from claim to outcome, against a provider on loopback."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from core.database.dialects import dialect
from core.database.outages import LOST as DatabaseLost
from harvesting.harvest import run as runs
from harvesting.harvest.run import create_harvest, find_claimable, from_date, harvest
from harvesting.harvest.store import store_batch
from harvesting.models import Feed, Harvest, RecordIssue, Repository, SourceRecord
from harvesting.records.decisions import Outcome, decide_changes
from harvesting.runs import lifecycle
from harvesting.runs.lifecycle import claim
from harvesting.transports.retries import MOST_BUSY, MOST_REQUESTED, Spent, may_wait
from harvesting.types import Batch, HarvestedRecord, TransportError
from metadata.policy import DEFAULT
from sampleprovider.source import SampleRecord
from tests.harvesting.conftest import sample
from tests.sessions import end_session

pytestmark = pytest.mark.django_db


def run(feed: Feed, **scope: object) -> Harvest:
    feed.refresh_from_db()
    return harvest(create_harvest(feed, **scope))


def counts(done: Harvest) -> dict[str, int]:
    return {name: getattr(done, name) for name in map(str, Outcome) if getattr(done, name)}


def test_a_first_harvest_stores_every_record_of_every_page(source, feed_of):
    done = run(feed_of(source))
    assert (done.state, done.kind, done.pages, done.received) == ("succeeded", "full", 3, 5)
    assert counts(done) == {"created": 5}
    assert SourceRecord.objects.pending().count() == 5


def test_a_second_harvest_asks_only_for_what_changed(source, feed_of):
    feed = feed_of(source)
    run(feed)
    soon = (datetime.now(UTC) + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    source.update([sample("b2", soon, title="改訂された本"), sample("b9", soon, title="新しい本")])
    done = run(feed)
    assert (done.kind, done.received) == ("incremental", 2)
    assert counts(done) == {"created": 1, "updated": 1}


def test_a_deleted_record_keeps_its_id_and_waits_to_leave_its_group(source, feed_of):
    feed = feed_of(source)
    run(feed)
    SourceRecord.objects.update(aggregated_at=datetime.now(UTC))
    source.update([SampleRecord(identifier="oai:sample:b3", datestamp="2026-02-01T00:00:00Z", deleted=True)])
    done = run(feed, full=True)
    assert counts(done) == {"unchanged": 4, "deleted": 1}
    gone = SourceRecord.objects.pending().get()
    assert (gone.identifier, gone.deleted) == ("oai:sample:b3", True)


def test_harvesting_the_same_again_changes_nothing(source, feed_of):
    feed = feed_of(source)
    run(feed)
    before = list(SourceRecord.objects.order_by("pk").values_list("pk", "public_id", "changed_at"))
    assert counts(run(feed, full=True)) == {"unchanged": 5}
    assert list(SourceRecord.objects.order_by("pk").values_list("pk", "public_id", "changed_at")) == before


def test_a_deleted_record_that_returns_is_updated(source, feed_of):
    feed = feed_of(source)
    gone = SampleRecord(identifier="oai:sample:b1", datestamp="2026-02-01T00:00:00Z", deleted=True)
    source.update([gone])
    assert counts(run(feed)) == {"created": 4, "deleted": 1}
    source.update([sample("b1", title="戻った本")])
    assert counts(run(feed, full=True)) == {"created": 1, "unchanged": 4}
    assert not SourceRecord.objects.filter(deleted=True).exists()


def test_a_record_without_title_is_rejected_with_its_bytes_and_a_reason(source, feed_of):
    source.update([sample("b3", title="")])
    done = run(feed_of(source))
    assert counts(done) == {"created": 4, "rejected": 1}
    refused = SourceRecord.objects.get(refused=True)
    assert refused.rejected_payload and not refused.payload
    assert RecordIssue.objects.filter(source_record=refused, severity="record_error").exists()
    assert done.issue_counts["record_error"] >= 1


def test_a_refused_new_version_leaves_the_old_one_in_use(source, feed_of):
    feed = feed_of(source)
    run(feed)
    source.update([sample("b3", title="")])
    assert counts(run(feed, full=True)) == {"unchanged": 4, "rejected": 1}
    record = SourceRecord.objects.get(identifier="oai:sample:b3")
    assert record.payload and record.refused
    source.update([sample("b3", title="見本の本3")])
    assert counts(run(feed, full=True)) == {"unchanged": 4, "updated": 1}
    assert not RecordIssue.objects.filter(source_record=record, severity="record_error").exists()


def test_one_record_can_be_asked_for(source, feed_of):
    feed = feed_of(source)
    done = run(feed, identifier="oai:sample:b4")
    assert (done.kind, done.received) == ("record", 1)
    feed.refresh_from_db()
    assert feed.watermark is None


def test_a_date_window_does_not_move_the_watermark(source, feed_of):
    feed = feed_of(source)
    done = run(feed, from_date="2026-01-01T00:00:00Z", until_date="2026-01-31T00:00:00Z")
    feed.refresh_from_db()
    assert (done.kind, done.received, feed.watermark) == ("window", 5, None)


def test_a_wrong_prefix_names_the_formats_on_offer(source, feed_of):
    done = run(feed_of(source, metadata_prefix="marcxml"))
    assert (done.state, done.code) == ("failed", "oai.cannotDisseminateFormat")
    assert done.facts["available"] == "dcndl"


def test_an_unreachable_provider_fails_and_keeps_what_is_there(source, feed_of):
    feed = feed_of(source)
    run(feed)
    feed.base_url = "http://127.0.0.1:9/oai"
    feed.save()
    done = run(feed)
    assert (done.state, done.code) == ("failed", "net.connect")
    assert SourceRecord.objects.count() == 5


def test_a_feed_has_one_active_run(source, feed_of):
    feed = feed_of(source)
    waiting = create_harvest(feed)
    with pytest.raises(TransportError) as caught:
        create_harvest(feed)
    assert caught.value.facts == {"harvest": waiting.pk}
    assert find_claimable(feed) == waiting


def test_an_interrupted_run_goes_on_behind_its_last_page(source, feed_of, monkeypatch):
    feed = feed_of(source)
    stopped = create_harvest(feed)

    def stop_after_first_page(current, outcomes):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harvest(stopped, stop_after_first_page)
    stopped.refresh_from_db()
    assert (stopped.state, stopped.received) == ("interrupted", 2)
    done = harvest(find_claimable(feed))
    assert (done.pk, done.state, done.received) == (stopped.pk, "succeeded", 5)


def test_a_worker_that_lost_its_run_writes_nothing(source, feed_of):
    feed = feed_of(source)
    stale = create_harvest(feed)
    stored = []

    def another_takes_over(current, outcomes):
        stored.append(SourceRecord.objects.count())
        Harvest.objects.filter(pk=stale.pk).update(fence=99)

    harvest(stale, another_takes_over)
    assert stored == [2]
    assert SourceRecord.objects.count() == 2


def test_a_run_is_claimed_by_one_worker_only(source, feed_of):
    first = create_harvest(feed_of(source))
    second = Harvest.objects.get(pk=first.pk)
    assert claim(first)
    assert not claim(second)


@pytest.mark.parametrize(
    ("granularity", "expected"),
    [("YYYY-MM-DD", "2026-03-04"), ("YYYY-MM-DDThh:mm:ssZ", "2026-03-05T11:59:00Z"), ("", "2026-03-04")],
)
def test_from_is_the_watermark_less_the_overlap_of_its_granularity(granularity, expected):
    feed = Feed(granularity=granularity, watermark=datetime(2026, 3, 5, 12, tzinfo=UTC))
    assert from_date(feed) == expected


def test_the_watermark_is_the_providers_clock_at_the_first_page(source, feed_of):
    feed = feed_of(source)
    done = run(feed)
    feed.refresh_from_db()
    assert feed.watermark == min(done.first_response_date, done.started_at)


@pytest.mark.parametrize("stop_request", ["pause", "cancel"])
def test_a_persons_request_takes_effect_after_the_current_page(source, feed_of, stop_request):
    asked = create_harvest(feed_of(source))
    act = getattr(lifecycle, stop_request)
    done = harvest(asked, lambda run, outcomes: act(Harvest.objects.get(pk=run.pk)))
    expected = ("paused", "run.paused") if stop_request == "pause" else ("cancelled", "run.cancelled")
    assert (done.state, done.code, done.received, done.resume_at) == (*expected, 2, None)


def test_a_resumed_run_goes_on_behind_its_last_page(source, feed_of):
    run = create_harvest(feed_of(source))
    harvest(run, lambda current, outcomes: lifecycle.pause(Harvest.objects.get(pk=current.pk)))
    lifecycle.resume(run)
    assert (harvest(run).state, run.received, run.pages) == ("succeeded", 5, 3)


def test_a_run_pauses_when_quiet_hours_begin_and_goes_on_at_their_end(source, feed_of):
    run, stored = create_harvest(feed_of(source)), []
    end = timezone.now() + timedelta(hours=2)
    done = harvest(run, lambda *page: stored.append(page), quiet=lambda: end if stored else None)
    assert (done.state, done.code, done.received) == ("paused", "run.quiet", 2)
    assert abs(done.resume_at - end) < timedelta(seconds=5)


def test_clocks_that_differ_by_much_are_noticed(source, feed_of, monkeypatch):
    monkeypatch.setattr(runs, "LONGEST_SKEW", timedelta(0))
    done = run(feed_of(source))
    assert done.state == "succeeded"
    assert done.observations["run.clock_skew"]["count"] == 1


@pytest.mark.django_db(transaction=True)  # the test closes the connection
@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_full_disk_or_lost_connection_pauses_the_run_and_raises(source, feed_of, monkeypatch, error):
    def no_space(*page: object) -> None:
        raise error("disk full")

    monkeypatch.setattr(runs, "store_batch", no_space)
    waiting = create_harvest(feed_of(source))
    with pytest.raises(error):
        harvest(waiting)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.code) == ("paused", "run.database")
    assert waiting.resume_at


@pytest.mark.skipif(not dialect().is_networked, reason="SQLite has no server that could end a session")
@pytest.mark.django_db(transaction=True)
def test_a_session_that_the_server_ends_in_mid_run_loses_nothing(source, feed_of, monkeypatch):
    pages = []

    def store(current: Harvest, batch: Batch) -> Counter[str]:
        pages.append(batch)
        if len(pages) == 2:
            end_session()
        return store_batch(current, batch)

    monkeypatch.setattr(runs, "store_batch", store)
    begun = create_harvest(feed_of(source))
    with pytest.raises(DatabaseLost):
        harvest(begun)
    begun.refresh_from_db()
    assert (begun.state, begun.code, begun.pages) == ("paused", "run.database", 1)
    Harvest.objects.update(resume_at=timezone.now())
    begun.refresh_from_db()
    assert harvest(begun).state == "succeeded"
    assert SourceRecord.objects.count() == 5


def test_a_page_that_was_rolled_back_does_not_change_the_token(source, feed_of, monkeypatch):
    tokens: list[str] = []

    def store(current: Harvest, batch: Batch) -> Counter[str]:
        if not tokens:
            stored = store_batch(current, batch)
            tokens.append(current.resumption_token)
            return stored
        current.resumption_token, current.pages = "behind", 99  # as a rolled back transaction leaves the object
        raise TransportError("half a page", "net.truncated", permanent=False)

    monkeypatch.setattr(runs, "store_batch", store)
    done = harvest(create_harvest(feed_of(source)))
    done.refresh_from_db()
    assert (done.state, done.pages, done.resumption_token) == ("paused", 1, tokens[0])


def test_an_error_of_our_own_is_recorded_raised_and_tried_five_times(source, feed_of, monkeypatch):
    monkeypatch.setattr(runs, "store_batch", lambda *page: 1 / 0)
    broken = create_harvest(feed_of(source))
    for _claim in range(lifecycle.MAX_ATTEMPTS):
        with pytest.raises(ZeroDivisionError):
            harvest(broken)
        broken.refresh_from_db()
    assert (broken.state, broken.code) == ("interrupted", "run.internal")
    assert (harvest(broken).state, broken.code) == ("failed", "run.attempts")


@pytest.mark.parametrize(("retry_after", "pauses"), [(600, MOST_REQUESTED), (0, MOST_BUSY)])
def test_a_provider_that_is_always_busy_is_given_up_in_the_end(source, feed_of, monkeypatch, retry_after, pauses):
    busy_provider(monkeypatch, retry_after)
    run = create_harvest(feed_of(source))
    for _pause in range(pauses):
        assert harvest(run).state == "paused"
        Harvest.objects.update(resume_at=timezone.now() - timedelta(seconds=1))
        run.refresh_from_db()
    assert (harvest(run).state, run.code) == ("failed", "http.503")


def test_a_page_renews_the_budget_of_pauses(source, feed_of):
    tried = create_harvest(feed_of(source))
    Harvest.objects.update(retries=9, attempts=3)
    tried.refresh_from_db()
    harvest(tried, stop_now)
    tried.refresh_from_db()
    assert (tried.state, tried.retries, tried.attempts) == ("paused", 0, 0)


def stop_now(current: Harvest, outcomes: object) -> None:
    lifecycle.pause(Harvest.objects.get(pk=current.pk))


def busy_provider(monkeypatch, retry_after: int) -> None:
    def busy(feed: Feed, _patience: object = None) -> None:
        raise TransportError("busy", "http.503", permanent=False, retry_after=retry_after)

    monkeypatch.setattr(runs, "update_identity", busy)


@pytest.mark.parametrize(
    ("error", "spent", "waits"),
    [
        ({"code": "http.500"}, {"pages": 0}, False),
        ({"code": "http.500"}, {"pages": 1}, True),
        ({"code": "http.500", "permanent": True}, {"pages": 1}, False),
        ({"code": "http.500"}, {"pages": 1, "in_a_row": 4}, False),
        ({"code": "http.503"}, {"altogether": 50}, False),
        ({"code": "http.503", "retry_after": 9}, {"altogether": 50}, True),
    ],
)
def test_the_budget_of_a_run(error, spent, waits):
    raised = TransportError("", **{"permanent": False, **error})
    assert may_wait(raised, Spent(**{"pages": 0, "in_a_row": 0, "altogether": 0, **spent})) is waits


@pytest.mark.parametrize("deleted", [True, False])
def test_a_record_without_identifier_is_rejected_and_no_identifier_is_made_up_for_a_deletion(deleted):
    nameless = HarvestedRecord(identifier="", deleted=deleted, payload=b"<a/>")
    feed = Feed(metadata_prefix="dcndl", repository=Repository(number="R900000001"))
    (change,) = decide_changes({"": nameless}, {}, feed, DEFAULT)
    assert (change.outcome, [issue.code for issue in change.reading.issues]) == (Outcome.REJECTED, ["oai.E001"])
