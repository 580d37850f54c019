"""A rematch matches everything, or only outdated members, again; it resumes after a kill and changes nothing else."""

import json

import pytest
from django.core.management import call_command

from aggregator.grouping.rematch import begin_rematch, continue_rematch
from aggregator.matching import VERSION
from aggregator.models import Core, Kind, Manifestation, MatchAlarm, Member, Rematch
from harvesting.models import SourceRecord
from metadata.record import BibliographicRecord
from tests.aggregator.shelves import Shelf, expected_groups, match_and_merge, stored_groups
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Seven records; a rematch marks three at a time."""
    monkeypatch.setattr("aggregator.grouping.rematch.STEP", 3)
    shelf = Shelf()
    for number in range(7):
        shelf.put(f"provider {number}", f"{number}", described(number))
    match_and_merge()
    return shelf


def described(number: int) -> BibliographicRecord:
    """Return the record with this number: 0 to 3 share an ISBN, 4 to 6 have none; the years alternate."""
    return record(f"{number}", isbn=ISBN if number < 4 else "", issued=str(1990 + number % 2))


def result(capsys: pytest.CaptureFixture, *arguments: str) -> dict:
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_a_rematch_covers_all_records_and_changes_nothing_by_itself(shelf, capsys):
    numbers = sorted(Manifestation.objects.values_list("pk", flat=True))
    found = result(capsys, "rematch")
    assert (found["records"], found["regrouped"], found["resumed"]) == (7, 0, False)
    assert stored_groups() == expected_groups()
    assert sorted(Manifestation.objects.values_list("pk", flat=True)) == numbers


def test_an_unchanged_merged_record_is_not_indexed_again(shelf, capsys):
    Manifestation.objects.update(index_pending=False)
    changes = set(Manifestation.objects.values_list("pk", "changed_at"))
    assert result(capsys, "rematch")["indexed"] == 0
    assert set(Manifestation.objects.values_list("pk", "changed_at")) == changes


def test_a_changed_merged_record_is_indexed(shelf, capsys):
    Manifestation.objects.update(index_pending=False)
    changed = Manifestation.objects.exclude(record=b"").order_by("pk").first()
    Manifestation.objects.filter(pk=changed.pk).update(record=b"as an older rule had it", scores=b"", work_keys=b"")
    assert result(capsys, "rematch")["indexed"] == 1
    now = Manifestation.objects.get(pk=changed.pk)
    assert (now.record, now.scores, now.work_keys) == (changed.record, changed.scores, changed.work_keys)


def test_a_rematch_repairs_groups_made_by_an_older_matcher(shelf, capsys):
    numbers = {pk: number for number, pk in enumerate(Member.objects.values_list("pk", flat=True))}
    first = min(numbers)
    book = Member.objects.get(pk=first).manifestation
    Member.objects.update(manifestation=book)
    Core.objects.update(manifestation=book)
    assert stored_groups() != expected_groups() or len(stored_groups()) == 1
    result(capsys, "rematch")
    assert stored_groups() == expected_groups()


def test_a_killed_rematch_resumes_where_it_stopped(shelf, capsys):
    run, _resumed = begin_rematch()
    next(continue_rematch(run))
    found = result(capsys, "rematch")
    assert found["resumed"]
    assert Rematch.objects.get().state == Rematch.State.FINISHED
    assert Rematch.objects.get().records == 7
    assert not SourceRecord.objects.pending().exists()


def test_with_since_version_only_older_members_are_matched_again(shelf, capsys):
    old = list(Member.objects.order_by("pk").values_list("pk", flat=True)[:2])
    Kind.objects.update(version=VERSION)
    outdated = [Kind.objects.create(pk=pk, core_id=pk, version=VERSION - 1, records=1) for pk in old]
    for pk, kind in zip(old, outdated, strict=True):
        Member.objects.filter(pk=pk).update(kind=kind)
    assert result(capsys, "rematch", "--since-version", str(VERSION))["records"] == 2
    assert not Member.objects.filter(kind__version__lt=VERSION).exists()


def test_aggregate_reports_pairs_time_and_alarms(shelf, capsys):
    MatchAlarm.objects.create(kind=1, number=5, records=300, since=Manifestation.objects.first().changed_at)
    shelf.put("provider 8", "8", record("8", isbn=ISBN, issued="1992"))
    found = result(capsys, "aggregate")
    assert found["records"] == 1
    assert found["pairs"] > 0
    assert found["crowded_keys"] == 1
    assert {"seconds", "suspect_isbns", "large_components", "rulings_to_recheck"} <= found.keys()
