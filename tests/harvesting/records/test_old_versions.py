"""Earlier versions of records that are past their retention: which are deleted, and that no others are read."""

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from harvesting.models import RecordVersion, SourceRecord
from harvesting.records import versions
from tests.harvesting.batches import harvest_records, live, new_feed
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@seeds(6, always=2)
def test_of_the_old_versions_only_the_newest_few_of_each_record_stay(seed, monkeypatch):
    monkeypatch.setattr(versions, "STEP", 7)
    chosen = random.Random(seed)
    harvest_records(new_feed(), [live(name) for name in "abc"])
    records = list(SourceRecord.objects.values_list("pk", flat=True))
    kept: dict[int, list[tuple[int, object]]] = {record: [] for record in records}
    now = timezone.now()
    for _day in range(60):
        now += DAY
        for record in chosen.choices(records, k=chosen.randrange(3)):
            kept[record].append((replaced(record, now).pk, now))
            versions._prune([record], now)  # as when a record is archived
        versions.forget_old(now)
        for record, rows in kept.items():
            newest = len(rows) - versions.VERSIONS_KEPT
            kept[record] = [
                row for place, row in enumerate(rows) if place >= newest or row[1] >= now - versions.KEPT_FOR
            ]
        wanted = {pk for rows in kept.values() for pk, _at in rows}
        assert set(RecordVersion.objects.values_list("pk", flat=True)) == wanted


def replaced(record: int, at: object) -> RecordVersion:
    return RecordVersion.objects.create(record_id=record, metadata_prefix="dcndl", came_at=at, replaced_at=at)


def test_versions_that_were_looked_at_are_not_read_again():
    harvest_records(new_feed(), [live("a")])
    record, now = SourceRecord.objects.get().pk, timezone.now()
    for number in range(versions.VERSIONS_KEPT + 3):
        replaced(record, now - 50 * DAY + number * DAY)
    assert versions.forget_old(now) == 3
    with CaptureQueriesContext(connection) as taken:
        assert versions.forget_old(now) == 0
    assert len(taken) == 2  # the mark, and the versions after it


def test_many_versions_that_become_old_at_once_are_looked_at_in_several_calls(monkeypatch):
    monkeypatch.setattr(versions, "STEP", 2)
    monkeypatch.setattr(versions, "MOST_STEPS", 2)
    harvest_records(new_feed(), [live(f"{number}") for number in range(5)])
    old = timezone.now() - 40 * DAY
    for record in SourceRecord.objects.values_list("pk", flat=True):
        for _number in range(versions.VERSIONS_KEPT + 1):
            replaced(record, old)
    calls = [versions.forget_old(timezone.now()) for _call in range(8)]
    assert (sum(calls), calls[0] < 5, calls[-1]) == (5, True, 0)
