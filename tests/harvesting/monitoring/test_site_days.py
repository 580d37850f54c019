"""Counts of all providers together: stored once a day, from rows per provider, never from records."""

import importlib
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from harvesting.models import DailyCount, HealthStatus, SiteDay
from harvesting.monitoring import daily_counts, site_days
from tests.harvesting.batches import harvest_records, make_records, new_feed

pytestmark = pytest.mark.django_db


def standing(records: int, unregistered: int = 0, with_issues: int = 0) -> HealthStatus:
    return HealthStatus.objects.create(
        repository=new_feed().repository,
        records=records,
        unregistered=unregistered,
        with_issues=with_issues,
        since=timezone.now(),
    )


def test_a_day_is_the_sum_of_the_providers_and_replaces_itself(django_assert_num_queries):
    today = timezone.localdate()
    first = standing(10, 2, 5)
    standing(7)
    DailyCount.objects.create(repository_id=first.pk, day=today, opened=3, mended=1, counted_at=timezone.now())
    site_days.store(today)
    first.records = 11
    first.save()
    site_days.store(today)
    row = SiteDay.objects.get()
    assert (row.records, row.unregistered, row.with_issues, row.opened, row.mended) == (18, 2, 5, 3, 1)
    with django_assert_num_queries(1):
        records, found, mended = site_days.plots()
    assert records.drawn.columns[-1].datum.counts == (15, 5)
    assert (found.drawn.columns[-1].datum.counts, mended.drawn.columns[-1].datum.counts) == ((3,), (1,))


def test_a_day_without_a_row_repeats_the_last_one_and_weeks_begin_with_the_first():
    today = timezone.localdate()
    SiteDay.objects.create(day=today - timedelta(days=15), records=4, opened=2)
    records, found = site_days.plots()
    assert [column.datum.total for column in records.drawn.columns] == [4] * 16
    assert sum(column.datum.total for column in found.drawn.columns) == 2
    assert len(found.drawn.columns) in (3, 4)


def test_without_counts_nothing_is_drawn():
    assert site_days.plots() == []


def test_issues_found_and_resolved_on_a_day_are_counted_with_the_provider():
    feed = new_feed()
    harvest_records(feed, make_records(2, title=""))
    count = daily_counts.count(feed.repository_id, timezone.now())
    assert count.opened > 0 and count.mended == 0
    harvest_records(feed, make_records(2, title="題"))
    after = daily_counts.count(feed.repository_id, timezone.now())
    assert after.mended > 0 and after.opened == count.opened


def test_earlier_days_are_filled_from_the_last_counts_of_each_provider():
    migration = importlib.import_module("harvesting.migrations.0038_site_days")
    today = timezone.localdate()
    one, two = new_feed().repository, new_feed().repository
    for repository, back, records in ((one, 3, 5), (two, 2, 7), (one, 1, 6)):
        day = today - timedelta(days=back)
        DailyCount.objects.create(repository=repository, day=day, records=records, counted_at=timezone.now())
    migration.fill(apps, connection.schema_editor())
    assert list(SiteDay.objects.values_list("records", flat=True)) == [5, 12, 13]
