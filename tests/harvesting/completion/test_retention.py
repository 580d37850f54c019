"""Which old runs are deleted, and that the statements for it do not grow with the feeds."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from harvesting.completion import retention
from harvesting.completion.dwindling import CONFIRMED
from harvesting.models import Feed, Harvest, Repository
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
KEPT = 3


@pytest.fixture(autouse=True)
def few_runs_kept(monkeypatch):
    monkeypatch.setattr(retention, "RUNS_KEPT", KEPT)


def new_feeds(count: int) -> list[Feed]:
    repository, _created = Repository.objects.get_or_create(number="R900000001", name="館")
    first = Feed.objects.count()
    return Feed.objects.bulk_create(
        Feed(repository=repository, metadata_prefix="dcndl", set_spec=f"{first + number}") for number in range(count)
    )


def ended_run(feed: Feed, chosen: random.Random) -> Harvest:
    received = chosen.choice((0, 5, 30))
    return Harvest(
        feed=feed,
        kind=chosen.choice(("full", "incremental")),
        state=chosen.choice(("succeeded", "succeeded", "failed", "cancelled")),
        code=chosen.choice(("", "", CONFIRMED)),
        received=received,
        created=received if chosen.random() < 0.3 else 0,
        unchanged=0,
    )


def kept_of(runs: list[Harvest]) -> set[int]:
    """Ids of the runs of one feed that must stay; runs: the ended ones, the newest first."""
    done = [run for run in runs if run.state == "succeeded"]
    wanted = (
        done,
        [run for run in done if run.kind == "full"],
        [run for run in done if run.received >= 20],
        [run for run in done if run.created],
        [run for run in done if run.code == CONFIRMED],
    )
    return {run.pk for run in runs[:KEPT]} | {row[0].pk for row in wanted if row}


@seeds(4, always=2)
def test_of_each_feed_the_newest_runs_stay_and_those_with_which_later_runs_are_compared(seed):
    chosen = random.Random(seed)
    feeds = new_feeds(7)
    rows = [ended_run(feed, chosen) for feed in feeds for _run in range(chosen.choice((0, 2, KEPT, 12)))]
    chosen.shuffle(rows)
    for row in rows:
        row.unchanged = row.received - row.created
        row.save()
    active = [Harvest.objects.create(feed=feed, state="paused").pk for feed in feeds[:3]]
    kept = {pk for feed in feeds for pk in kept_of(sorted((r for r in rows if r.feed == feed), key=lambda r: -r.pk))}
    retention.prune(timezone.now())
    assert set(Harvest.objects.values_list("pk", flat=True)) == kept | set(active)


def test_the_statements_do_not_grow_with_the_feeds():
    few = statements_with_old_runs(new_feeds(2))
    assert statements_with_old_runs(new_feeds(20)) == few


def statements_with_old_runs(feeds: list[Feed]) -> int:
    """The number of statements after which each of these feeds has lost one run."""
    Harvest.objects.bulk_create(Harvest(feed=feed, state="failed") for feed in feeds for _run in range(KEPT + 1))
    with CaptureQueriesContext(
        connection,
    ) as taken:
        assert retention.prune(timezone.now()) == len(feeds)
    return len(taken)
