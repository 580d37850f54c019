"""Transitions between the states of a run: which are allowed, which worker may make them, and what else they change."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from harvesting.harvest.run import create_harvest
from harvesting.models import Feed, Harvest, Repository
from harvesting.registry.registration import register
from harvesting.runs import lifecycle
from harvesting.types import TransportError

pytestmark = pytest.mark.django_db
State = Harvest.State
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def feed() -> Feed:
    made = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl")
    register(Repository(name="館", state="live"), [made])
    return made


@pytest.fixture
def run(feed) -> Harvest:
    made = create_harvest(feed)
    assert lifecycle.claim(made)
    return made


def put(run: Harvest, **columns: object) -> Harvest:
    Harvest.objects.filter(pk=run.pk).update(**columns)
    run.refresh_from_db()
    return run


def test_a_claim_names_its_owner_and_raises_the_fence(feed):
    run = create_harvest(feed)
    assert lifecycle.claim(run)
    assert (run.state, run.fence, run.attempts) == ("running", 1, 1)
    assert ":" in run.owner
    assert run.lease_until > timezone.now()


@pytest.mark.parametrize(("ahead", "claimed"), [(timedelta(seconds=50), False), (timedelta(days=400), True)])
def test_a_lease_that_a_fast_clock_set_far_ahead_is_over(run, ahead, claimed):
    put(run, lease_until=timezone.now() + ahead)
    assert Harvest.objects.filter(lifecycle.claimable(timezone.now())).exists() is claimed
    assert lifecycle.claim(run) is claimed


@pytest.mark.parametrize(("ahead", "claimed"), [(timedelta(hours=23), False), (timedelta(days=400), True)])
def test_a_pause_that_a_fast_clock_set_far_ahead_is_over(run, ahead, claimed):
    lifecycle.wait(run, "http.503", {}, timezone.now() + ahead)
    assert lifecycle.claim(run) is claimed


def test_a_worker_that_sleeps_in_its_claim_does_not_take_the_fence_of_its_successor(feed, monkeypatch):
    slow = create_harvest(feed)
    successor = Harvest.objects.get(pk=slow.pk)

    def sleep(place: str) -> None:
        if place == "claim.after" and not successor.fence:
            Harvest.objects.update(lease_until=timezone.now() - HOUR)
            successor.refresh_from_db()
            assert lifecycle.claim(successor)

    monkeypatch.setattr(lifecycle, "checkpoint", sleep)
    assert not lifecycle.claim(slow)


@pytest.mark.parametrize("ended", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
@pytest.mark.parametrize("wanted", [state for state in State if state != State.RUNNING])
def test_what_has_ended_stays_as_it_is(run, ended, wanted):
    put(run, state=ended, code="earlier")
    with pytest.raises(TransportError, match="another worker"):
        lifecycle.move(run, wanted)
    run.refresh_from_db()
    assert (run.state, run.code) == (ended, "earlier")


def test_a_worker_whose_run_was_taken_moves_nothing(run):
    Harvest.objects.update(fence=99)
    with pytest.raises(TransportError) as caught:
        lifecycle.succeed(run)
    assert caught.value.code == "run.lease_lost"
    assert not Feed.objects.exclude(watermark=None).exists()


@pytest.mark.parametrize(
    ("columns", "claimed"),
    [
        ({"state": "paused", "resume_at": None}, False),
        ({"state": "paused", "resume_at": HOUR}, False),
        ({"state": "paused", "resume_at": -HOUR}, True),
        ({"state": "paused", "resume_at": 2 * DAY}, True),
        ({"state": "running", "lease_until": HOUR / 10}, False),
        ({"state": "running", "lease_until": DAY}, True),
        ({"state": "running", "lease_until": -HOUR}, True),
        ({"state": "interrupted"}, True),
        ({"state": "cancelled"}, False),
    ],
)
def test_only_a_free_run_is_claimed(run, columns, claimed):
    now = timezone.now()
    moments = {name: now + value if isinstance(value, timedelta) else value for name, value in columns.items()}
    assert lifecycle.claim(put(run, **moments)) is claimed


def test_a_run_that_kills_its_workers_fails_at_the_sixth_claim(run):
    put(run, state="interrupted", attempts=lifecycle.MAX_ATTEMPTS)
    assert not lifecycle.claim(run)
    assert (run.state, run.code) == ("failed", "run.attempts")


def test_an_orderly_pause_is_no_attempt(run):
    lifecycle.wait(run, "http.503", {}, timezone.now() - HOUR)
    assert lifecycle.claim(run)
    assert run.attempts == 1


def test_the_watermark_is_the_earlier_of_both_clocks_at_the_begin(run):
    earlier = run.started_at - HOUR
    for provider, expected in [(earlier, earlier), (run.started_at + HOUR, run.started_at), (None, run.started_at)]:
        run.first_response_date = provider
        assert lifecycle.watermark(run) == expected


@pytest.mark.parametrize(
    ("from_date", "mark", "expected"),
    [
        ("", None, True),
        ("2026-01-05", None, False),
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC), True),
        ("2026-01-05T00:00:01Z", datetime(2026, 1, 5, tzinfo=UTC), False),
    ],
)
def test_only_a_list_from_before_the_watermark_moves_it(from_date, mark, expected):
    assert lifecycle.connects_to_watermark(from_date, mark) is expected


def test_a_watermark_that_a_person_took_back_is_not_set_by_the_run_under_way(feed, run):
    put(run, kind="incremental", from_date="2026-01-05")
    lifecycle.succeed(run)
    assert Feed.objects.get().watermark is None


def test_a_window_leaves_watermark_and_memory(feed, run):
    put(run, kind="window", memory={"etag": "x"})
    lifecycle.succeed(run)
    assert (Feed.objects.get().watermark, Feed.objects.get().memory) == (None, {})


def test_a_run_that_waits_for_a_person_goes_on_only_when_resumed(run):
    lifecycle.wait_for_person(run, "safety.deletions", {"count": 7})
    assert (run.state, run.resume_at, run.facts) == ("paused", None, {"count": 7})
    assert not lifecycle.claim(run)
    assert lifecycle.resume(run)
    assert lifecycle.claim(run)


def test_a_waiting_run_is_cancelled_at_once(run):
    lifecycle.interrupt(run, "run.stopped")
    assert lifecycle.cancel(run)
    assert (run.state, run.code) == ("cancelled", "run.cancelled")
    assert not lifecycle.cancel(run)


def test_a_request_to_pause_a_running_run_is_stored_for_its_worker(run):
    assert lifecycle.pause(run)
    assert (run.state, run.stop_request) == ("running", "pause")
    assert not lifecycle.resume(run)
    run.refresh_from_db()
    assert run.stop_request == ""


def test_a_request_that_came_too_late_for_the_worker_is_still_carried_out(run):
    put(run, stop_request="cancel")
    lifecycle.wait(run, "http.503", {}, timezone.now() + HOUR)
    lifecycle.apply_stop_request(run)
    assert run.state == "cancelled"


def test_a_run_of_a_dead_worker_is_cancelled_at_once(run):
    put(run, lease_until=timezone.now() - HOUR)
    assert lifecycle.cancel(run)
    assert run.state == "cancelled"


def test_a_feed_is_suspended_longer_after_each_failure_and_active_after_a_success(feed):
    rests = []
    for _failure in range(11):
        run = create_harvest(feed)
        lifecycle.claim(run)
        lifecycle.fail(run, "http.500")
        until = Feed.objects.get().rest_until
        rests.append(round((until - timezone.now()) / HOUR) if until else 0)
    assert rests == [0, 0, 0, 0, 1, 2, 4, 8, 16, 24, 24]
    run = create_harvest(feed)
    lifecycle.claim(run)
    lifecycle.succeed(run)
    assert (Feed.objects.get().failures, Feed.objects.get().rest_until) == (0, None)


def test_a_failed_window_is_no_failure_of_the_feed(feed, run):
    put(run, kind="window")
    lifecycle.fail(run, "http.500")
    assert Feed.objects.get().failures == 0
