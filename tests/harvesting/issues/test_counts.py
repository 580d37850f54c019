"""Counting the records and issues of a provider: equal to counting row by row, and the patterns of very many issues."""

import random
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from harvesting.issues import counts, patterns
from harvesting.issues.by_rule import overview
from harvesting.models import IssuePatterns, RecordIssue, Repository, SourceRecord
from tests.harvesting.batches import new_feed
from tests.seeds import seeds

pytestmark = pytest.mark.django_db
RULE = "dcndl.W110"


def new_records(repository: Repository, count: int, **columns: object) -> list[SourceRecord]:
    first = SourceRecord.objects.count()
    return SourceRecord.objects.bulk_create(
        SourceRecord(
            **{"repository": repository, "payload_hash": b"x", "changed_at": timezone.now(), **columns},
            identifier=f"oai:{number}",
            public_id=f"R900000001-I{number}",
        )
        for number in range(first, first + count)
    )


@seeds(6, always=2)
def test_records_are_counted_as_row_by_row_whatever_happens_to_them(seed):
    chosen = random.Random(seed)
    repository, other = new_feed().repository, Repository.objects.create(number="R900000777", name="他館")
    for _step in range(8):
        new_records(chosen.choice((repository, other)), chosen.randrange(9), deleted=chosen.random() < 0.3)
        new_records(repository, chosen.randrange(3), payload_hash=b"", deleted=chosen.random() < 0.3)
        SourceRecord.objects.filter(pk__in=some(chosen)).update(deleted=chosen.random() < 0.5)
        SourceRecord.objects.filter(pk__in=some(chosen)).update(payload_hash=chosen.choice((b"", b"y")))
        live = SourceRecord.objects.filter(repository=repository, deleted=False)
        hashes = [bytes(value) for value in live.values_list("payload_hash", flat=True)]
        registered = sum(map(bool, hashes))
        assert counts.count_records(repository.pk) == (registered, len(hashes) - registered)


def some(chosen: random.Random) -> list[int]:
    pks = list(SourceRecord.objects.values_list("pk", flat=True))
    return chosen.sample(pks, len(pks) // 4)


def with_issues(values: list[str], **columns: object) -> Repository:
    """A provider with one issue of RULE for each of these values, in this order."""
    repository = new_feed().repository
    record = new_records(repository, 1)[0]
    RecordIssue.objects.bulk_create(
        RecordIssue(source_record=record, repository=repository, code=RULE, severity="warning", value=value, **columns)
        for value in values
    )
    return repository


def test_of_very_many_issues_only_some_are_read_and_the_numbers_are_estimated(monkeypatch):
    monkeypatch.setattr(patterns, "LOOKED_AT", 400)
    read = 0
    shape = patterns.shape

    def counting(value: str) -> str:
        nonlocal read
        read += 1
        return shape(value)

    monkeypatch.setattr(patterns, "shape", counting)
    repository = with_issues(["1999"] * 3000 + ["平成元年"] * 1500 + ["[19--]"] * 1500)
    counts.count_issues(repository)
    assert read == 400
    stored = IssuePatterns.objects.get().patterns
    assert Counter({row[3]: row[4] for row in stored}) == {
        shape("1999"): 3000,
        shape("平成元年"): 1500,
        shape("[19--]"): 1500,
    }
    assert overview(repository).groups[0].sample == patterns.LOOKED_AT


def test_few_issues_are_all_counted_and_ignored_ones_are_not(monkeypatch):
    monkeypatch.setattr(patterns, "LOOKED_AT", 10)
    repository = with_issues(["1999"] * 7 + ["平成"] * 3)
    counts.count_issues(repository)
    assert sorted(row[4] for row in IssuePatterns.objects.get().patterns) == [3, 7]
    assert overview(repository).groups[0].sample == 0


def test_issues_far_apart_are_each_read_once(monkeypatch):
    monkeypatch.setattr(patterns, "LOOKED_AT", 40)
    repository = with_issues(["1"] * 30)
    RecordIssue.objects.create(
        pk=10**9, source_record=SourceRecord.objects.get(), repository=repository, code=RULE, severity="warning"
    )
    with CaptureQueriesContext(connection):
        pks = [row[0] for row in patterns._rows(repository.pk, RULE, 41)]
    assert len(pks) == len(set(pks))
    assert pks[-1] == 10**9
