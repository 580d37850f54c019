"""The commands `pause`, `resume`, `cancel` and `schedule`, and `harvest` for runs that wait or have left gaps."""

import pytest
from django.core.management import CommandError

from harvesting.harvest.run import create_harvest
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.runs import lifecycle
from tests.harvesting.management.commands.test_commands import run_command, run_for_json

pytestmark = pytest.mark.django_db


@pytest.fixture
def feed(source, feed_of) -> Feed:
    return feed_of(source)


def test_a_harvest_is_paused_resumed_and_cancelled_by_its_number(feed):
    number = str(create_harvest(feed).pk)
    assert [row["state"] for row in run_for_json("pause", number)] == ["paused"]
    assert [row["state"] for row in run_for_json("resume", number)] == ["queued"]
    assert [row["state"] for row in run_for_json("cancel", number)] == ["cancelled"]


def test_a_repository_number_stands_for_all_its_active_harvests(feed):
    create_harvest(feed)
    run_command("cancel", feed.repository.number)
    assert Harvest.objects.get().state == "cancelled"


@pytest.mark.parametrize("name", ["999", "R999999999", "R900000001"])
def test_an_unknown_number_is_a_usage_error(feed, name):
    with pytest.raises(CommandError) as caught:
        run_command("pause", name)
    assert caught.value.returncode == 2


def test_an_action_that_the_state_does_not_allow_exits_1(feed):
    run = create_harvest(feed)
    with pytest.raises(SystemExit) as caught:
        run_command("resume", str(run.pk))
    assert caught.value.code == 1


def test_a_run_that_waits_for_a_person_exits_4_until_a_full_harvest_supersedes_it(feed):
    run = create_harvest(feed)
    lifecycle.claim(run)
    lifecycle.wait_for_person(run, "run.paused")
    with pytest.raises(SystemExit) as caught:
        run_command("harvest", feed.repository.number)
    assert caught.value.code == 4
    [summary] = run_for_json("harvest", feed.repository.number, full=True)
    run.refresh_from_db()
    assert (summary["state"], run.code) == ("succeeded", "run.superseded")


def test_gaps_are_harvested_again_and_closed(feed):
    DateWindow.objects.create(
        feed=feed, state="gap", from_date="2026-01-01T00:00:00Z", until_date="2026-01-20T00:00:00Z"
    )
    [summary] = run_for_json("harvest", feed.repository.number, gaps=True)
    assert (summary["state"], summary["received"], summary["gaps"]) == ("succeeded", 5, 0)
    assert Harvest.objects.get().kind == "window"
    assert run_for_json("harvest", feed.repository.number, gaps=True) == []


def test_the_next_runs_are_shown(feed):
    [shown] = run_for_json("schedule", feed.repository.number, next=3)
    assert len(shown["next"]) == 3
    assert shown["sentence"]


def test_a_cron_expression_is_previewed_without_storing_it(feed):
    [shown] = run_for_json("schedule", feed.repository.number, cron="30 3 * * 1")
    assert "T03:30:00+09:00" in shown["next"][0]
    with pytest.raises(CommandError):
        run_command("schedule", feed.repository.number, cron="99 3 * * 1")
    assert Feed.objects.get().schedule == "daily"
