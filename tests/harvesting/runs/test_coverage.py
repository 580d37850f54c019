"""The ledger of date windows: which are covered, which gaps are open, and what closes a gap."""

import pytest
from django.utils import timezone

from harvesting.harvest.run import create_harvest
from harvesting.models import DateWindow, Feed, Harvest, Repository
from harvesting.registry.registration import register
from harvesting.runs import coverage, lifecycle
from harvesting.types import Batch, Gap

pytestmark = pytest.mark.django_db
JANUARY, FEBRUARY = ("2026-01-01", "2026-01-31"), ("2026-02-01", "2026-02-28")


@pytest.fixture
def feed() -> Feed:
    made = Feed(base_url="https://a.example.jp/oai", metadata_prefix="dcndl")
    register(Repository(name="館"), [made])
    return made


def gap(begin: str, end: str) -> Batch:
    return Batch(records=(), gaps=(Gap(from_=begin, until=end, code="http.500", facts={"status": 500}),))


def ended(feed: Feed, **scope: str) -> Harvest:
    run = create_harvest(feed, **scope)
    lifecycle.claim(run)
    lifecycle.succeed(run)
    return run


def failed_with(feed: Feed, *batches: Batch) -> Harvest:
    run = create_harvest(feed)
    lifecycle.claim(run)
    for batch in batches:
        coverage.record_windows(run, batch)
    assert coverage.has_gaps(run)
    lifecycle.fail(run, "run.gaps")
    return run


def bounds(feed: Feed) -> list[tuple[str, str]]:
    return [(gap.from_date, gap.until_date) for gap in coverage.open_gaps(feed)]


def test_gaps_are_open_in_the_order_of_their_dates(feed):
    failed_with(feed, gap(*FEBRUARY), gap(*JANUARY))
    assert bounds(feed) == [JANUARY, FEBRUARY]


def test_the_same_gap_of_the_same_run_is_noted_once(feed):
    failed_with(feed, gap(*JANUARY), gap(*JANUARY))
    assert bounds(feed) == [JANUARY]


def test_a_window_that_comes_later_in_the_run_closes_its_gap(feed):
    run = failed_with(feed, gap(*JANUARY), gap(*FEBRUARY))
    coverage.record_windows(run, Batch(records=(), covered=(JANUARY,)))
    assert bounds(feed) == [FEBRUARY]


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        ({"from_date": "2026-01-01", "until_date": "2026-01-31"}, [FEBRUARY]),
        ({"from_date": "2026-01-01T00:00:00Z", "until_date": "2026-01-31T23:59:59Z"}, [FEBRUARY]),
        ({"from_date": "2026-01-02", "until_date": "2026-02-28"}, [JANUARY]),
        ({"from_date": "2026-01-01"}, []),
        ({}, []),
        ({"identifier": "oai:a:1"}, [JANUARY, FEBRUARY]),
    ],
)
def test_a_run_closes_the_gaps_that_lie_inside_what_it_asked_for(feed, scope, left):
    failed_with(feed, gap(*JANUARY), gap(*FEBRUARY))
    ended(feed, **scope)
    assert bounds(feed) == left


def test_only_so_many_covered_windows_are_kept(feed, monkeypatch):
    monkeypatch.setattr(coverage, "WINDOWS_KEPT", 2)
    runs = [ended(feed) for _ in range(4)]
    assert set(DateWindow.objects.values_list("harvest", flat=True)) == {runs[2].pk, runs[3].pk}


def test_gaps_that_were_closed_long_ago_are_forgotten_open_ones_never(feed):
    run = failed_with(feed, gap(*JANUARY), gap(*FEBRUARY))
    coverage.record_windows(run, Batch(records=(), covered=(JANUARY,)))
    now = timezone.now()
    assert coverage.forget(now) == 0
    assert coverage.forget(now + 2 * coverage.CLOSED_GAPS_KEPT_FOR) == 1
    assert bounds(feed) == [FEBRUARY]
