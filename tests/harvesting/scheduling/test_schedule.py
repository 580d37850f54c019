"""When feeds are due. Hours are in the time zone of Tokyo."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.utils import timezone, translation

from harvesting.models import Feed, Harvest, Repository
from harvesting.scheduling import schedule

NOON = datetime(2026, 3, 4, 3, tzinfo=UTC)  # a Wednesday, 12:00 in Tokyo
DAY = timedelta(days=1)


def feed(number: int = 1, **fields: object) -> Feed:
    repository = Repository(number=f"R{number:09}", state="live")
    return Feed(**{"pk": number, "repository": repository, "schedule": "daily", **fields})


def run(queued_at: datetime, **fields: object) -> Harvest:
    return Harvest(**{"queued_at": queued_at, "finished_at": queued_at, "state": "succeeded", **fields})


def local(moment: datetime) -> str:
    return timezone.localtime(moment).strftime("%a %H:%M")


@pytest.mark.parametrize(
    ("preset", "step"), [("hourly", timedelta(hours=1)), ("daily", DAY), ("weekly", 7 * DAY), ("cron", DAY)]
)
def test_runs_follow_each_other_at_their_interval(preset, step):
    first, second = schedule.next_runs(feed(schedule=preset, cron="30 3 * * *"), 2, NOON)
    assert second - first == step
    assert first > NOON


def test_a_month_has_one_run():
    assert [start.month for start in schedule.next_runs(feed(schedule="monthly"), 3, NOON)] in ([3, 4, 5], [4, 5, 6])


def test_presets_run_in_the_night_and_not_all_at_once():
    begins = {schedule.next_runs(feed(number), 1, NOON)[0] for number in range(1, 501)}
    assert len(begins) > 200
    assert {timezone.localtime(start).hour for start in begins} <= set(range(1, 6))


def test_a_feed_keeps_its_time():
    assert schedule.next_runs(feed(7), 3, NOON) == schedule.next_runs(feed(7), 3, NOON)


def test_by_hand_means_never():
    assert schedule.next_runs(feed(schedule="manual"), 3) == []
    assert not schedule.is_due(feed(schedule="manual"), None, NOON)


def test_a_new_feed_is_due_at_once():
    assert schedule.is_due(feed(), None, NOON)


def test_many_missed_times_make_one_run():
    asked = feed(schedule="cron", cron="0 * * * *")
    assert schedule.is_due(asked, run(NOON - 9 * DAY), NOON)
    assert not schedule.is_due(asked, run(NOON), NOON)


@pytest.mark.parametrize(("last", "due"), [(NOON - timedelta(minutes=1), False), (NOON - timedelta(hours=2), True)])
def test_a_feed_is_due_when_its_minute_has_passed(last, due):
    assert schedule.is_due(feed(schedule="cron", cron="30 11 * * *"), run(last), NOON) is due


@pytest.mark.parametrize("stage", ["paused", "stopped"])
def test_a_paused_or_stopped_repository_is_not_harvested(stage):
    asked = feed()
    asked.repository.state = stage
    assert not schedule.is_due(asked, None, NOON)


@pytest.mark.parametrize(
    ("begin", "end", "clock", "expected"),
    [
        ((9, 0), (17, 0), 12, "Wed 17:00"),
        ((9, 0), (17, 0), 17, None),
        ((22, 0), (6, 0), 23, "Thu 06:00"),
        ((22, 0), (6, 0), 5, "Wed 06:00"),
        ((22, 0), (6, 0), 12, None),
        ((8, 0), (8, 0), 8, None),
    ],
)
def test_quiet_hours_end_on_the_same_or_the_next_day(begin, end, clock, expected):
    now = timezone.localtime(NOON).replace(hour=clock)
    found = schedule.quiet_end(feed(quiet_from=time(*begin), quiet_until=time(*end)), now)
    assert (found and local(found)) == expected


def test_a_time_inside_the_quiet_hours_moves_to_their_end():
    asked = feed(schedule="cron", cron="0 12 * * *", quiet_from=time(9), quiet_until=time(17, 30))
    assert [local(start) for start in schedule.next_runs(asked, 2, NOON)] == ["Thu 17:30", "Fri 17:30"]
    assert not schedule.is_due(asked, run(NOON - 2 * DAY), NOON)
    assert schedule.is_due(asked, run(NOON - 2 * DAY), NOON + timedelta(hours=6))


@pytest.mark.parametrize(
    ("failures", "permanent", "minutes"), [(1, 0, 60), (2, 0, 120), (1, 1, None), (5, 1, 0)], ids=str
)
def test_a_failure_that_may_pass_is_tried_again_before_the_next_time(failures, permanent, minutes):
    failed = run(NOON, state="failed", facts={"permanent": permanent})
    again = schedule.next_due(feed(failures=failures, schedule="weekly"), failed)
    assert again == NOON + timedelta(minutes=minutes) if minutes is not None else again > NOON + timedelta(hours=9)


def test_a_suspended_feed_is_not_due():
    assert not schedule.is_due(feed(failures=5, rest_until=NOON - DAY), run(NOON - 9 * DAY), NOON)


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({"deleted_record": "persistent"}, 0),
        ({"deleted_record": "no"}, 7),
        ({"deleted_record": ""}, 7),
        ({"deleted_record": "no", "full_every_days": 0}, 0),
        ({"deleted_record": "persistent", "full_every_days": 30}, 30),
        ({"protocol": "rss"}, 0),
        ({"protocol": "rss", "full_url": "https://a.example.jp/all"}, 7),
        ({"protocol": "resourcesync"}, 0),
    ],
)
def test_everything_is_asked_for_again_where_only_absence_tells_of_deletions(fields, days):
    assert schedule.full_interval(feed(**fields)) == timedelta(days=days)


@pytest.mark.parametrize("expression", ["30 3 * * 1-5", "0 */2 * * *", "15 4 1 * *"])
def test_a_sound_cron_expression_has_no_fault(expression):
    assert schedule.cron_error(expression) == ""


@pytest.mark.parametrize("expression", ["", "30 3", "61 3 * * *", "0 0 30 2 *", "* * * * *", "*/5 * * * *", "x"])
def test_a_cron_expression_that_cannot_be_is_refused_with_a_sentence(expression):
    assert len(schedule.cron_error(expression)) > 20


def test_a_stored_expression_that_cannot_be_is_never_due():
    assert schedule.next_runs(feed(schedule="cron", cron="nonsense"), 3) == []
    assert not schedule.is_due(feed(schedule="cron", cron="nonsense"), run(NOON - 99 * DAY), NOON)


@pytest.mark.parametrize("preset", Feed.Schedule.values)
def test_every_schedule_is_a_sentence(preset):
    with translation.override("en"):
        assert schedule.describe(feed(schedule=preset, cron="30 3 * * *")).endswith(".")


def test_the_sentence_names_what_is_special():
    with translation.override("en"):
        said = schedule.describe(feed(schedule="weekly", quiet_from=time(9), quiet_until=time(17), full_every_days=30))
    assert "No harvest between 9:00 and 17:00." in said
    assert "Full harvest every 30 days." in said
