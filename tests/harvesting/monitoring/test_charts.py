"""The plots of providers: the strip of a list, records with issues by day, the next runs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.models import DailyCount
from harvesting.monitoring import charts
from tests.harvesting.batches import new_feed

pytestmark = pytest.mark.django_db


def day(repository, back: int, **counts) -> DailyCount:
    when = timezone.localdate() - timedelta(days=back)
    return DailyCount.objects.create(repository=repository, day=when, counted_at=timezone.now(), **counts)


def test_a_strip_has_a_column_for_each_day_and_says_the_sums(django_assert_num_queries):
    repository, other = new_feed().repository, new_feed().repository
    day(repository, 0, received=10, rejected=4)
    day(repository, charts.STRIP - 1, received=1000, failed=2)
    day(repository, charts.STRIP, received=7)
    day(other, charts.STRIP, received=7)
    with django_assert_num_queries(1):
        strips = charts.strips([repository.pk, other.pk])
    assert list(strips) == [repository.pk]
    strip = strips[repository.pk]
    assert len(strip.drawn.columns) == len(strip.failed) == charts.STRIP
    assert strip.drawn.columns[-1].datum.counts == (6, 4)
    assert strip.failed[0] == 2 and sum(strip.failed) == 2
    assert "1,010" in strip.name and "4" in strip.name


def test_records_with_issues_repeat_the_last_count_of_a_day_without_one():
    repository = new_feed().repository
    day(repository, 3, records=10, with_issues=5, with_errors=2)
    drawn = charts.issues_by_day(charts.days_of(repository.pk))
    assert [column.datum.counts for column in drawn.drawn.columns] == [(2, 3)] * 4
    assert drawn.drawn.columns[-1].datum.text.startswith("50.0%")


def test_without_counts_nothing_is_drawn():
    assert charts.issues_by_day([]) is None
    assert charts.next_runs([]) is None


def test_the_next_runs_are_counted_by_the_hour():
    hour = timezone.localtime().replace(minute=0, second=0, microsecond=0)
    moments = [hour + timedelta(minutes=minutes) for minutes in (5, 59, 60, charts.HOURS * 60)]
    drawn = charts.next_runs(moments)
    counts = [column.datum.counts[0] for column in drawn.drawn.columns]
    assert counts[:2] == [2, 1]
    assert sum(counts) == 3 and len(counts) == charts.HOURS
