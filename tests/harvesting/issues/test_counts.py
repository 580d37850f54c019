"""Counting the records and issues of a provider: equal to counting row by row, and the patterns of very many issues."""

import random
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from harvesting.issues import counts, patterns
from harvesting.issues.by_rule import overview
from harvesting.issues.ignoring import ignore_issues, ignore_rule, unignore
from harvesting.models import IgnoredIssue, IssueCount, IssuePatterns, RecordIssue, Repository, SourceRecord
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


@seeds(6, always=2)
def test_after_ignoring_the_recounted_rule_gives_what_a_full_count_gives(seed):
    chosen = random.Random(seed)
    repository = new_feed().repository
    records = new_records(repository, 12)
    issues = RecordIssue.objects.bulk_create(
        RecordIssue(
            source_record=chosen.choice(records),
            repository=repository,
            code=code,
            severity=chosen.choice(("warning", "warning", "item_error", "information")),
            value=chosen.choice(("1999", "平成元年")),
        )
        for code in ("dcndl.W110", "dcndl.W130", "dcndl.N020")
        for _number in range(10)
    )
    counts.count_issues(repository)
    for _step in range(12):
        code = change_ignoring(chosen, repository, issues)
        quick = counts.recount_rule(repository, code)
        of_rule = sorted(IssuePatterns.objects.get().patterns)
        full = counts.count_issues(repository)
        assert figures(quick) == figures(full)
        assert of_rule == sorted(IssuePatterns.objects.get().patterns)


def change_ignoring(chosen: random.Random, repository: Repository, issues: list[RecordIssue]) -> str:
    """Ignore a rule or an issue, or let one count again; return the code of the rule."""
    in_force = list(IgnoredIssue.objects.filter(undone_at=None))
    if in_force and chosen.random() < 0.4:
        row = chosen.choice(in_force)
        assert unignore(row, "館員")
        return row.code
    issue = chosen.choice(issues)
    if chosen.random() < 0.3:
        ignore_rule(repository, issue.code, "理由", "館員")
    else:
        ignore_issues([issue.pk], "理由", "館員")
    return issue.code


def figures(count: IssueCount) -> tuple[object, ...]:
    return count.records, count.unregistered, count.faulty, count.counts


def test_a_rule_recounted_while_a_run_is_counted_does_not_bring_back_old_numbers(monkeypatch):
    repository = with_issues(["1999"] * 3)
    counts.count_issues(repository)
    faulty = counts.count_records_with_issues

    def overtaken(number: int) -> int:
        monkeypatch.setattr(counts, "count_records_with_issues", faulty)
        RecordIssue.objects.filter(repository=repository).update(code="dcndl.W130")
        counts.count_issues(repository)
        return faulty(number)

    monkeypatch.setattr(counts, "count_records_with_issues", overtaken)
    counts.recount_rule(repository, "dcndl.W999")
    assert [row[0] for row in counts.latest_counts([repository.pk])[repository.pk].counts] == ["dcndl.W130"]
