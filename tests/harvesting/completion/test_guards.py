"""The safeguards against faulty lists, tested with numbers alone; and which feeds have fallen silent."""

from datetime import timedelta
from itertools import islice

import pytest
from django.utils import timezone

from harvesting.completion.guards import (
    Action,
    Figures,
    absence_means_deletion,
    judge_run,
    leaves_out_too_many,
    lists_everything,
    looks_renumbered,
    max_absent_deletions,
    max_reported_deletions,
    may_be_renumbered,
    may_read_everything,
    notes_what_it_saw,
    silent_feeds,
    usual_rejected_share,
)
from harvesting.models import Feed, Harvest, Repository
from harvesting.scheduling.schedule import occurrences
from tests.harvesting.batches import harvest_records, live, make_records, new_feed


def verdict(**figures: object) -> tuple[Action, str]:
    found = judge_run(Figures(**figures))
    return found.action, found.code


FULL = {"is_full": True, "is_regular": True, "history": True, "received": 100, "live_before": 100}


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({}, (Action.SUCCEED, "")),
        ({"absence_counts": True}, (Action.SWEEP, "")),
        ({"received": 0, "absence_counts": True}, (Action.WAIT, "safety.zero")),
        ({"received": 0, "live_before": 0}, (Action.SUCCEED, "")),
        ({"received": 50}, (Action.SUCCEED, "")),
        ({"received": 49}, (Action.WAIT, "safety.drop")),
        ({"received": 49, "is_full": False}, (Action.SUCCEED, "")),
        ({"received": 49, "absence_counts": True}, (Action.SWEEP, "")),
        ({"held": 1}, (Action.WAIT, "safety.deletions")),
        ({"gaps": 1, "received": 0}, (Action.FAIL, "run.gaps")),
        ({"rejected": 20}, (Action.SUCCEED, "")),
        ({"rejected": 21}, (Action.WAIT, "safety.rejected")),
        ({"rejected": 19, "received": 19, "live_before": 0}, (Action.FAIL, "safety.all_rejected")),
        ({"rejected": 1, "received": 1, "live_before": 0, "history": False}, (Action.FAIL, "safety.all_rejected")),
        ({"rejected": 1, "received": 1, "is_full": False}, (Action.SUCCEED, "")),
        ({"rejected": 30, "received": 30, "is_full": False, "usual_share": 0.5}, (Action.FAIL, "safety.all_rejected")),
        ({"rejected": 60, "usual_share": 0.2}, (Action.SUCCEED, "")),
        ({"rejected": 61, "usual_share": 0.2}, (Action.WAIT, "safety.rejected")),
        ({"rejected": 99, "history": False}, (Action.SUCCEED, "")),
        ({"rejected": 100, "history": False}, (Action.FAIL, "safety.all_rejected")),
        ({"rejected": 10, "damaged": 11}, (Action.WAIT, "safety.damaged")),
        ({"rejected": 11, "damaged": 10}, (Action.WAIT, "safety.rejected")),
        ({"rejected": 11, "damaged": 11}, (Action.WAIT, "safety.rejected")),
        ({"damaged": 60, "usual_share": 0.2}, (Action.SUCCEED, "")),
        ({"damaged": 20, "history": False}, (Action.SUCCEED, "")),
        ({"damaged": 21, "history": False}, (Action.WAIT, "safety.damaged")),
        ({"rejected": 100, "is_full": False, "is_regular": False}, (Action.SUCCEED, "")),
    ],
)
def test_a_run_is_judged_by_its_figures(figures, expected):
    assert verdict(**FULL | figures) == expected


def test_nothing_is_known_of_a_feed_unless_it_is_said():
    assert verdict(is_regular=True, received=1, rejected=1) == (Action.FAIL, "safety.all_rejected")
    assert verdict(is_regular=True, received=1, rejected=1, history=True) == (Action.SUCCEED, "")
    assert verdict(received=1, rejected=1) == verdict() == (Action.SUCCEED, "")


@pytest.mark.parametrize(
    ("live", "reported", "absent"),
    [(0, 0, 1), (1, 0, 1), (12, 6, 1), (19, 9, 1), (40, 20, 2), (1000, 200, 50), (10**7, 10_000, 10_000)],
)
def test_limits_of_deletions(live, reported, absent):
    assert (max_reported_deletions(live), max_absent_deletions(live)) == (reported, absent)


@pytest.mark.parametrize(
    ("live_before", "listed", "expected"),
    [(50, 49, False), (50, 48, True), (1000, 990, False), (1000, 989, True), (990, 980, True), (0, 0, False)],
)
def test_a_complete_list_may_lack_one_record_or_one_in_a_hundred(live_before, listed, expected):
    assert leaves_out_too_many(live_before, listed) is expected


@pytest.mark.parametrize(
    ("created", "received", "live_before", "missing", "expected"),
    [
        (20, 40, 40, 20, True),
        (19, 19, 40, 40, False),
        (20, 20, 19, 19, False),
        (20, 41, 40, 20, False),
        (20, 40, 40, 19, False),
        (100, 100, 100, 100, True),
        (21, 40, 40, 21, True),
    ],
)
def test_a_list_is_renumbered_if_half_is_new_and_half_is_missing(created, received, live_before, missing, expected):
    assert looks_renumbered(created, received, live_before, missing) is expected


@pytest.mark.parametrize(
    ("created", "live_before", "expected"),
    [(20, 40, True), (20, 41, False), (4, 8, False), (30, 4, False), (5, 10, True), (30, 5, True), (21, 40, True)],
)
def test_contents_are_compared_if_half_as_many_records_are_new_as_there_were(created, live_before, expected):
    assert may_be_renumbered(created, live_before) is expected


@pytest.mark.parametrize(
    ("figures", "reasons"),
    [({"held": 3}, {"reason": "held", "count": 3}), ({"held": 0}, {})],
)
def test_a_shrunken_list_says_how_many_deletions_its_acceptance_would_carry_out(figures, reasons):
    facts = judge_run(Figures(**FULL | {"received": 49, "rejected": 2, "damaged": 1} | figures)).facts
    assert facts == {"received": 49, "rejected": 2, "damaged": 1, "live": 100, **reasons}


def test_held_deletions_are_stated_with_the_size_of_the_feed():
    assert judge_run(Figures(**FULL | {"held": 4})).facts == {"count": 4, "live": 100}


def run_of(kind: str, transport: str = "oai_pmh", exhaustive: bool = False, **fields: object) -> Harvest:
    """Return a run that is stored nowhere, its texts as the database returns them."""
    return Harvest(feed=Feed(protocol=transport, **fields), kind=kind, exhaustive=exhaustive)


@pytest.mark.parametrize(
    ("run", "everything", "may_be", "notes"),
    [
        (run_of("full"), True, True, True),
        (run_of("full", exhaustive=True), True, True, True),
        (run_of("incremental"), False, False, False),
        (run_of("incremental", exhaustive=True), False, False, False),
        (run_of("window", exhaustive=True), False, False, False),
        (run_of("record", exhaustive=True), False, False, False),
        (run_of("audit", exhaustive=True), False, False, False),
        (run_of("incremental", "resourcesync"), False, True, True),
        (run_of("incremental", "resourcesync", exhaustive=True), True, True, True),
        (run_of("window", "resourcesync", exhaustive=True), False, False, False),
        (run_of("incremental", "push"), False, False, False),
    ],
)
def test_only_a_full_run_reads_everything_or_one_that_fell_back(run, everything, may_be, notes):
    assert (lists_everything(run), may_read_everything(run), notes_what_it_saw(run)) == (everything, may_be, notes)


@pytest.mark.parametrize(
    ("kind", "deleted_record", "set_spec", "expected"),
    [
        ("full", "no", "", True),
        ("full", "transient", "", True),
        ("full", "", "", True),
        ("full", "persistent", "", False),
        ("full", "persistent", "books", True),
        ("full", "no", "books", True),
        ("incremental", "no", "", False),
        ("incremental", "persistent", "books", False),
    ],
)
def test_absence_means_deletion_unless_every_deletion_is_reported(kind, deleted_record, set_spec, expected):
    run = run_of(kind, deleted_record="".join(deleted_record), set_spec=set_spec)
    assert absence_means_deletion(run) is expected


@pytest.mark.django_db
def test_the_usual_share_is_that_of_the_last_run_that_received_enough():
    feed = new_feed()
    assert usual_rejected_share(feed) == (False, 0.0)

    def done(received: int, rejected: int, state: str = "succeeded", **fields: object) -> None:
        counts = {"received": received, "rejected": rejected, "unchanged": received - rejected}
        Harvest.objects.create(feed=feed, state=state, **{"kind": "full", **counts, **fields})

    done(40, 40, "failed")
    done(40, 40, kind="window")
    assert usual_rejected_share(feed) == (False, 0.0)
    done(19, 19)
    assert usual_rejected_share(feed) == (True, 0.0)
    done(20, 8, observations={"safety.lost_text": {"count": 2}})
    assert usual_rejected_share(feed) == (True, 0.5)
    done(40, 5, kind="incremental")
    done(5, 5)
    assert usual_rejected_share(feed) == (True, 0.125)


def silences(days: int) -> list[str]:
    return [silence.code for silence in silent_feeds(timezone.now() + timedelta(days=days))]


@pytest.fixture
def quiet(db: None) -> Feed:
    feed = new_feed(schedule="weekly", silent_after_days=30)
    harvest_records(feed, make_records(3))
    return feed


def test_a_feed_without_success_at_three_scheduled_times_is_silent(quiet):
    assert (silences(13), silences(22)) == ([], ["safety.unharvested"])


def test_it_is_not_silent_at_the_third_time_itself(quiet):
    last = Harvest.objects.get().finished_at
    third = list(islice(occurrences(quiet, last), 3))[-1]
    assert not list(silent_feeds(third))
    [silence] = silent_feeds(third + timedelta(seconds=1))
    assert (silence.feed, silence.code, silence.since) == (quiet, "safety.unharvested", last)


def test_a_provider_that_sends_records_itself_may_be_silent_without_a_schedule(quiet):
    Feed.objects.update(schedule="manual", protocol="push")
    assert (silences(29), silences(31)) == ([], ["safety.silent"])


def test_a_feed_that_brings_nothing_new_is_silent(quiet):
    Harvest.objects.create(feed=quiet, kind="full", state="succeeded", finished_at=timezone.now() + timedelta(days=40))
    assert (silences(29), silences(41)) == ([], ["safety.silent"])


def test_feeds_without_schedule_and_stopped_repositories_may_be_silent(quiet):
    Feed.objects.update(schedule="manual")
    assert silences(400) == []
    Feed.objects.update(schedule="daily")
    Repository.objects.update(state="stopped")
    assert silences(400) == []


@pytest.mark.django_db
def test_copies_of_a_rejected_record_on_one_page_are_rejected_too_so_that_the_guard_sees_all():
    untitled = [live(f"b{number}", title="") for number in range(20)]
    run = harvest_records(new_feed(), [*untitled, *untitled])
    assert (run.received, run.rejected, run.unchanged) == (40, 40, 0)
    assert (run.state, run.code) == ("failed", "safety.all_rejected")


@pytest.mark.django_db
def test_a_copy_counts_as_the_version_that_counts():
    earlier, later = "2026-01-10T00:00:00Z", "2026-01-11T00:00:00Z"
    run = harvest_records(
        new_feed(), [live("a", earlier, title=""), live("a", later), live("b", earlier), live("b", later, title="")]
    )
    assert (run.received, run.created, run.unchanged, run.rejected) == (4, 1, 1, 2)
