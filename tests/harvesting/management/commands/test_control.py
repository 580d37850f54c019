"""`pause`, `resume`, `cancel`, `schedule`, and what `harvest` says of runs that wait for a person or left gaps."""

import pytest
from django.core.management import CommandError

from harvesting.harvest.run import create_harvest
from harvesting.models import DateWindow, Feed, Harvest
from harvesting.runs import lifecycle
from tests.harvesting.management.commands.test_commands import answered, called

pytestmark = pytest.mark.django_db


@pytest.fixture
def feed(source, feed_of) -> Feed:
    return feed_of(source)


def test_a_harvest_is_paused_resumed_and_cancelled_by_its_number(feed):
    number = str(create_harvest(feed).pk)
    assert [each["state"] for each in answered("pause", number)] == ["paused"]
    assert [each["state"] for each in answered("resume", number)] == ["queued"]
    assert [each["state"] for each in answered("cancel", number)] == ["cancelled"]


def test_a_repository_names_all_its_active_harvests(feed):
    create_harvest(feed)
    called("cancel", feed.repository.number)
    assert Harvest.objects.get().state == "cancelled"


@pytest.mark.parametrize("name", ["999", "R999999999", "R900000001"])
def test_what_is_not_there_is_a_usage_error(feed, name):
    with pytest.raises(CommandError) as caught:
        called("pause", name)
    assert caught.value.returncode == 2


def test_a_wish_that_does_not_fit_exits_1(feed):
    run = create_harvest(feed)
    with pytest.raises(SystemExit) as caught:
        called("resume", str(run.pk))
    assert caught.value.code == 1


def test_a_run_that_waits_for_a_person_exits_4_until_a_scope_replaces_it(feed):
    run = create_harvest(feed)
    lifecycle.claim(run)
    lifecycle.wait_for_person(run, "run.paused")
    with pytest.raises(SystemExit) as caught:
        called("harvest", feed.repository.number)
    assert caught.value.code == 4
    [summary] = answered("harvest", feed.repository.number, full=True)
    run.refresh_from_db()
    assert (summary["state"], run.code) == ("succeeded", "run.superseded")


def test_gaps_are_asked_for_again_and_closed(feed):
    DateWindow.objects.create(
        feed=feed, state="gap", from_date="2026-01-01T00:00:00Z", until_date="2026-01-20T00:00:00Z"
    )
    [summary] = answered("harvest", feed.repository.number, gaps=True)
    assert (summary["state"], summary["received"], summary["gaps"]) == ("succeeded", 5, 0)
    assert Harvest.objects.get().kind == "window"
    assert answered("harvest", feed.repository.number, gaps=True) == []


def test_the_next_runs_are_shown(feed):
    [shown] = answered("schedule", feed.repository.number, next=3)
    assert len(shown["next"]) == 3
    assert shown["sentence"]


def test_a_cron_expression_is_tried_before_it_is_stored(feed):
    [shown] = answered("schedule", feed.repository.number, cron="30 3 * * 1")
    assert "T03:30:00+09:00" in shown["next"][0]
    with pytest.raises(CommandError):
        called("schedule", feed.repository.number, cron="99 3 * * 1")
    assert Feed.objects.get().schedule == "daily"
