"""What public pages tell about providers is read from the counts after their harvests: no page counts all records."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregator.catalogue import providers
from harvesting.issues.counts import count_issues
from harvesting.models import RecordIssue

RULE = "dcndl.W012"


@pytest.fixture
def counted(shelf, library):
    """A provider with five records, four of them with issues, after its harvest."""
    sources = [shelf.record(library) for _number in range(5)]
    for source in sources[:4]:
        shelf.issue(source, RULE, "warning", field="identifier", value="x")
    count_issues(library)
    return library


def statements_of(work):
    with CaptureQueriesContext(connection) as queries:
        found = work()
    return found, [query["sql"] for query in queries]


def test_the_list_of_providers_counts_neither_records_nor_issues(counted):
    [listing], statements = statements_of(providers.listings)
    assert (listing.records, listing.issues) == (5, 4)
    assert not [sql for sql in statements if "harvesting_sourcerecord" in sql or "harvesting_recordissue" in sql]


def test_a_provider_whose_first_harvest_goes_on_is_counted_at_once(shelf, counted, archive):
    shelf.issue(shelf.record(archive), RULE, "warning", field="identifier", value="x")
    found = {listing.repository.pk: (listing.records, listing.issues) for listing in providers.listings()}
    assert found == {counted.pk: (5, 4), archive.pk: (1, 1)}
    assert [(repository.pk, count) for repository, count in providers.affected(RULE)] == [
        (counted.pk, 4),
        (archive.pk, 1),
    ]
    assert [(group.code, group.count) for group in providers.issues_by_rule(archive)] == [(RULE, 1)]


def test_the_issues_of_a_provider_are_read_up_to_the_examples(counted):
    [group], statements = statements_of(lambda: providers.issues_by_rule(counted))
    assert (group.code, group.severity, group.count, len(group.examples)) == (RULE, "warning", 4, 3)
    read = [sql for sql in statements if "harvesting_recordissue" in sql]
    assert len(read) == 1
    assert "LIMIT 3" in read[0]
    assert "OVER" not in read[0]


def test_the_providers_with_issues_of_a_rule_are_known_without_reading_issues(counted):
    found, statements = statements_of(lambda: providers.affected(RULE))
    assert [(repository.pk, count) for repository, count in found] == [(counted.pk, 4)]
    assert not [sql for sql in statements if "harvesting_recordissue" in sql]
    assert providers.affected("dcndl.W013") == []


def test_issues_of_withheld_records_are_no_examples(counted):
    first = RecordIssue.objects.order_by("pk")[0].source_record
    type(first).objects.filter(pk=first.pk).update(suppressed_at=first.changed_at)
    [group] = providers.issues_by_rule(counted)
    assert first.public_id not in [row.public_id for row, _issue in group.examples]
    type(first).objects.update(suppressed_at=first.changed_at)
    assert providers.issues_by_rule(counted) == []
