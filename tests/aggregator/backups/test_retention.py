"""Which regular backups are kept."""

from datetime import UTC, datetime, timedelta

import pytest

from aggregator.backups.retention import Retention, file_name, kept, moment_of, prune, sweep

NIGHT = datetime(2026, 11, 27, 3, 15, tzinfo=UTC)


def nights(number: int) -> list[datetime]:
    """The last nights, the newest first."""
    return [NIGHT - timedelta(days=day) for day in range(number)]


def test_after_years_seven_days_four_weeks_and_twelve_months_are_left():
    left = kept(nights(1000), Retention(7, 4, 12))
    days = sorted(moment.strftime("%Y-%m-%d") for moment in left)
    assert days[-7:] == [f"2026-11-{day}" for day in range(21, 28)]  # days
    assert days[-9:-7] == ["2026-11-08", "2026-11-15"]  # the weeks before: their last night, a Sunday
    assert "2026-10-31" in days  # months
    assert days[0] == "2025-12-31"
    assert len(days) == 7 + 2 + 11


def test_run_every_night_the_result_is_the_same_as_for_all_nights_at_once():
    left: set[datetime] = set()
    for night in reversed(nights(800)):
        left = kept({*left, night}, Retention(7, 4, 12))
    assert left == kept(nights(800), Retention(7, 4, 12))


def test_of_several_backups_of_a_day_the_newest_is_kept():
    hours = [NIGHT + timedelta(hours=hour) for hour in range(5)]
    assert kept(hours, Retention(1, 1, 1)) == {hours[-1]}


def test_a_site_that_was_off_for_a_year_keeps_its_old_backups():
    old = [NIGHT - timedelta(days=400 + day) for day in range(3)]
    assert kept([NIGHT, *old], Retention(7, 4, 12)) == {NIGHT, *old}


def test_the_newest_backup_is_always_kept():
    assert kept(nights(3), Retention(0, 0, 0)) == {NIGHT}


def test_a_week_over_new_year_is_one_week():
    moments = [datetime(2026, 12, 28, tzinfo=UTC), datetime(2027, 1, 2, tzinfo=UTC)]
    assert kept(moments, Retention(0, 2, 0)) == {moments[1]}


@pytest.mark.parametrize("name", ["site-2026.backup", "aggregator-20261399T000000Z.backup", ".aggregator-x", "notes"])
def test_other_files_are_never_touched(tmp_path, name):
    (tmp_path / name).write_text("x")
    for moment in nights(3):
        (tmp_path / file_name(moment)).write_text("x")
    assert moment_of(name) is None
    removed = prune(tmp_path, Retention(1, 1, 1))
    assert len(removed) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, file_name(NIGHT)])


def test_what_a_killed_backup_left_is_removed_after_a_day(tmp_path):
    remains = tmp_path / f".{file_name(NIGHT)}.k8x"
    remains.mkdir()
    (remains / "database").write_text("half")
    (tmp_path / ".ssh").mkdir()
    assert sweep(tmp_path, datetime.now(UTC)) == 0
    assert sweep(tmp_path, datetime.now(UTC) + timedelta(days=2)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [".ssh"]
