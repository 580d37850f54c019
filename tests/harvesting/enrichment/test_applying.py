"""Enrichment rules in use: harvests and rereads store their results, going back restores every byte."""

import pytest
from django.utils import timezone

from harvesting.enrichment import applying, versions
from harvesting.models import AuditEntry, EnrichedRecord, EnrichmentRules, Harvest, Reread, SourceRecord
from harvesting.records.compression import unpack_record
from harvesting.records.enriched import originals
from harvesting.registry.policies import policy_of
from metadata.enrichment.rules import Fixed, Replace
from tests.harvesting.batches import begin_run, gone, harvest_records, live, make_records, new_feed, store_records

pytestmark = pytest.mark.django_db
RENAMED = Replace(name="題", field="title", find="見本の本", replacement="標本の本")
RIGHTS = Fixed(name="権利", field="rights", value="CC0")


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_user("hanako")


def work_off() -> None:
    while applying.has_work():
        applying.carry_out()


def of(name: str) -> SourceRecord:
    return SourceRecord.objects.get(identifier=f"oai:x:{name}")


def title(name: str) -> str:
    return unpack_record(bytes(of(name).record)).title


def contents() -> list[tuple]:
    """Everything that rules may change, without times."""
    columns = ("identifier", "record", "payload", "rejected_payload", "refused", "issues__code", "issues__value")
    further = ("enriched__names", "enriched__original")
    rows = SourceRecord.objects.order_by("pk", "issues__code", "issues__value").values_list(*columns, *further)
    return [tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row) for row in rows]


def test_a_harvest_stores_the_values_of_the_rules_and_keeps_the_original(staff):
    feed = new_feed()
    versions.store(feed.repository, [RENAMED], staff)
    harvest_records(feed, [live("1")])
    assert title("1") == "標本の本 1"
    row = EnrichedRecord.objects.get()
    assert (row.version, row.names) == (1, ["題"])
    assert unpack_record(bytes(row.original)).title == "見本の本 1"


def test_a_provider_without_rules_costs_no_query_and_no_row(django_assert_num_queries):
    feed = new_feed()
    harvest_records(feed, make_records(2))
    assert not EnrichedRecord.objects.exists()
    with django_assert_num_queries(1):
        assert policy_of(feed.repository).enrichment is None


def test_changed_rules_change_the_stored_records_in_the_queue(staff):
    feed = new_feed()
    harvest_records(feed, make_records(3))
    SourceRecord.objects.update(aggregated_at=timezone.now())
    stored = versions.store(feed.repository, [RENAMED], staff, "誤り")
    assert title("b0") == "見本の本 b0"
    work_off()
    assert title("b0") == "標本の本 b0"
    assert not SourceRecord.objects.exclude(aggregated_at=None).exists()
    progress = applying.progress_of(stored)
    assert (progress.records, progress.of, progress.changed, progress.is_open) == (3, 3, 3, False)


def test_only_records_that_a_rule_changes_are_aggregated_again(staff):
    feed = new_feed()
    harvest_records(feed, [live("1", title="猫"), live("2", title="犬")])
    SourceRecord.objects.update(aggregated_at=timezone.now())
    versions.store(feed.repository, [Replace(name="a", field="title", find="猫", replacement="虎")], staff)
    work_off()
    assert list(SourceRecord.objects.filter(aggregated_at=None)) == [of("1")]
    assert {row.record_id: row.names for row in EnrichedRecord.objects.all()} == {of("1").pk: ["a"], of("2").pk: []}


def test_going_back_restores_every_byte(staff):
    feed = new_feed()
    harvest_records(feed, [*make_records(3), live("untitled", title="")])
    plain = contents()
    versions.store(feed.repository, [RENAMED, Fixed(name="無題", field="title", value="無題")], staff)
    work_off()
    first = contents()
    versions.store(feed.repository, [RIGHTS, Replace(name="空", field="title", find="見本の本 b1")], staff)
    work_off()
    assert of("b1").refused
    versions.go_back(feed.repository, 1, staff)
    work_off()
    assert contents() == first != plain
    versions.go_back(feed.repository, 0, staff)
    work_off()
    nothing = [row[:-2] for row in plain]
    assert [row[:-2] for row in contents()] == nothing
    assert not EnrichedRecord.objects.exclude(names=[], original=b"", version=0).exists()


def test_a_record_that_a_rule_makes_invalid_is_reported_and_its_registered_version_stays(staff):
    feed = new_feed()
    harvest_records(feed, [live("1")])
    stored = versions.store(feed.repository, [Replace(name="空", field="title", find="見本の本 1")], staff)
    work_off()
    assert of("1").refused and title("1") == "見本の本 1"
    progress = applying.progress_of(stored)
    assert progress.refused == 1 and progress.codes == (("dcndl.E003", 1, 0),)


def test_the_same_rules_are_no_new_version(staff):
    repository = new_feed().repository
    assert versions.store(repository, [], staff) is None
    assert versions.store(repository, [RIGHTS], staff).version == 1
    assert versions.store(repository, [RIGHTS], staff) is None
    assert versions.store(repository, [RIGHTS, RENAMED], staff).version == 2
    assert list(EnrichmentRules.objects.filter(in_use=True).values_list("version", flat=True)) == [2]


def test_going_back_and_changing_are_in_the_audit_trail(staff):
    repository = new_feed().repository
    versions.store(repository, [RIGHTS], staff, "理由")
    versions.go_back(repository, 0, staff, "誤り")
    assert versions.go_back(repository, 7, staff) is None
    entries = AuditEntry.objects.order_by("pk").values_list("action", "repository__number", "reason")
    assert list(entries) == [
        ("enrichment.changed", repository.number, "理由"),
        ("enrichment.back", repository.number, "誤り"),
    ]


def test_a_newer_version_ends_the_pass_of_the_one_before(staff):
    feed = new_feed()
    harvest_records(feed, make_records(1))
    versions.store(feed.repository, [RENAMED], staff)
    versions.store(feed.repository, [RIGHTS], staff)
    assert list(Reread.objects.order_by("pk").values_list("state", flat=True)) == ["given_up", "open"]
    work_off()
    assert EnrichedRecord.objects.get().names == ["権利"]


def test_a_batch_read_by_the_earlier_rules_is_read_again(staff):
    feed = new_feed()
    run = begin_run(feed, full=True)
    Harvest.objects.filter(pk=run.pk).update(started_at=timezone.now(), progressed_at=timezone.now())
    versions.store(feed.repository, [RENAMED], staff)
    assert applying.carry_out() == 0 and applying.has_work()  # the batch may still come
    late = EnrichmentRules.objects.filter(in_use=True)
    late.update(in_use=False)  # as this run has read the rules before they were changed
    store_records(run, [live("1")], resumption_token="t")
    EnrichmentRules.objects.filter(version=1).update(in_use=True)
    assert title("1") == "見本の本 1"
    work_off()
    assert title("1") == "標本の本 1"


def test_deleted_records_lose_what_is_kept_of_them_without_rules(staff):
    feed = new_feed()
    versions.store(feed.repository, [RENAMED], staff)
    harvest_records(feed, [live("1")])
    harvest_records(feed, [gone("1")], full=False)
    assert originals([of("1").pk])
