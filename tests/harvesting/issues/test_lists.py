"""Lists of issues of several providers: pages together are what single rows say, however the rows are read."""

from itertools import product

import pytest
from django.utils import timezone

from harvesting.issues import counts, lists
from harvesting.issues.lists import IssueQuery
from harvesting.models import Feed, IgnoredIssue, RecordIssue, Repository, SourceRecord

pytestmark = pytest.mark.django_db
CODES = {"dcndl.E003": "warning", "dcndl.E004": "record_error", "dcndl.E005": "item_error"}


@pytest.fixture
def providers() -> list[int]:
    """Seven providers with up to four records; each has an issue of every rule. The last two were not counted."""
    for number in range(7):
        repository = Repository.objects.create(number=f"R90000000{number}", name=f"館{number}", state="live")
        feed = Feed.objects.create(repository=repository, base_url=f"https://{number}.example.jp/oai")
        for place, (code, severity) in product(range(number % 5), CODES.items()):
            record, _is_new = SourceRecord.objects.get_or_create(
                repository=repository,
                feed=feed,
                identifier=f"{place}",
                defaults={"public_id": f"{repository.number}-I{place}", "changed_at": timezone.now()},
            )
            if number != 3 or code != "dcndl.E004":
                RecordIssue.objects.create(
                    source_record=record,
                    repository=repository,
                    code=code,
                    severity=severity,
                    value=f"値{place}",
                    found_at=timezone.now(),
                )
        if number == 2:
            IgnoredIssue.objects.create(repository=repository, code="dcndl.E003", reason="x", decided_by="x")
        if number < 5:
            counts.count_issues(repository)
    return sorted(Repository.objects.values_list("pk", flat=True))


def expected(query: IssueQuery) -> list[int]:
    rows = RecordIssue.objects.filter(repository__in=query.repositories).order_by("repository_id", "code", "pk")
    ignored = set(IgnoredIssue.objects.values_list("repository", "code"))
    return [
        row.pk
        for row in rows
        if (row.repository_id, row.code) not in ignored
        and query.code in ("", row.code)
        and query.severity in ("", row.severity)
        and query.value in row.value
    ]


def walk(query: IssueQuery, size: int) -> list[int]:
    """All rows, page by page."""
    found, after = [], None
    for _step in range(200):
        page = lists.page(query, after, size)
        assert len(page.rows) <= size
        found += [row.pk for row in page.rows]
        after = page.after
        if after is None:
            return found
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("limit", [1, 4, 7, 50_000])
@pytest.mark.parametrize("size", [1, 5, 50])
def test_pages_have_every_row_once_in_order(
    providers: list[int], size: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "SCAN_LIMIT", limit)
    for code, severity, value in product(("", "dcndl.E004"), ("", "record_error", "warning"), ("", "値2")):
        query = IssueQuery(repositories=providers, code=code, severity=severity, value=value)
        assert walk(query, size) == expected(query), query


def test_many_providers_with_few_issues_are_read_together(
    providers: list[int], django_assert_max_num_queries: object
) -> None:
    query = IssueQuery(repositories=providers, value="none")
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        lists.page(query)


def test_only_providers_whose_count_mentions_the_rule_are_looked_through(providers: list[int]) -> None:
    mentioned = counts.may_have(providers, "dcndl.E004", "")
    names = set(Repository.objects.filter(pk__in=mentioned).values_list("number", flat=True))
    assert names == {"R900000001", "R900000002", "R900000004", "R900000005", "R900000006"}
