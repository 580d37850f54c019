"""The policy of a repository through a harvest: what is registered, what is stored, and at which cost."""

import io

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from harvesting.models import Feed, Harvest, RecordIssue, Repository, RuleSwitch, SourceRecord
from harvesting.records.compression import unpack_record
from harvesting.registry.policies import policy_of, registered_policy, usual_profile
from harvesting.types import HarvestedRecord
from metadata.issue import Issue, Severity
from metadata.policy import Profile
from tests.harvesting.batches import (
    STAMP,
    begin_run,
    harvest_records,
    live,
    live_local_ids,
    make_records,
    new_feed,
    store_records,
)
from tests.metadata.documents import oai_dc

pytestmark = pytest.mark.django_db
GAIJI = oai_dc(title="<dc:title>外字\ue000の本</dc:title>")


def switch(feed: Feed, code: str, outcome: str) -> None:
    RuleSwitch.objects.update_or_create(
        repository=feed.repository,
        code=code,
        defaults={"outcome": outcome, "reason": "agreed by mail", "decided_by": "staff"},
    )


def undated(title: str) -> HarvestedRecord:
    payload = oai_dc(title=f"<dc:title>{title}</dc:title>", date="")
    return HarvestedRecord(identifier="oai:x:a", datestamp=STAMP, payload=payload)


def stored(code: str) -> list[str]:
    return list(RecordIssue.objects.filter(code=code).values_list("severity", flat=True))


def test_a_repository_has_its_profile_and_its_switches():
    feed = new_feed()
    Repository.objects.update(profile="lax")
    switch(feed, "chars.E005", "off")
    switch(feed, "dcndl.E003", "warning")
    policy = policy_of(feed.repository)
    assert policy.profile is Profile.LAX
    assert policy.switches == {"chars.E005": None, "dcndl.E003": Severity.WARNING}


def test_a_record_error_that_becomes_a_warning_registers_the_record_on_the_next_harvest():
    feed = new_feed()
    records = [live("a"), live("b", title="")]
    assert harvest_records(feed, records).rejected == 1
    assert stored("dcndl.E003") == ["record_error"]
    switch(feed, "dcndl.E003", "warning")
    run = harvest_records(feed, records)
    assert (run.created, run.rejected, run.issue_counts.get("record_error", 0)) == (1, 0, 0)
    assert live_local_ids(feed) == {"a", "b"}
    assert stored("dcndl.E003") == ["warning"]


def test_a_rule_that_is_off_is_neither_stored_nor_counted():
    feed = new_feed()
    switch(feed, "dcndl.E003", "off")
    run = harvest_records(feed, [live("b", title="")])
    assert (run.created, run.rejected) == (1, 0)
    assert stored("dcndl.E003") == []
    assert not run.issue_counts.get("record_error")


def test_a_warning_that_becomes_a_record_error_refuses_the_next_version_and_keeps_the_earlier():
    feed = new_feed(metadata_prefix="oai_dc")
    harvest_records(feed, [undated("初版")])
    switch(feed, "oai_dc.W007", "record_error")
    run = harvest_records(feed, [undated("第二版")])
    assert run.rejected == 1
    assert unpack_record(bytes(SourceRecord.objects.get().record)).title == "初版"
    assert stored("oai_dc.W007") == ["record_error"]


def test_reread_counts_by_the_policy_of_today():
    feed = new_feed(metadata_prefix="oai_dc")
    harvest_records(feed, [undated("初版")])
    assert stored("oai_dc.W007") == ["warning"]
    switch(feed, "oai_dc.W007", "information")
    call_command("reread", feed.repository.number, "--json", stdout=io.StringIO())
    assert stored("oai_dc.W007") == ["information"]


def test_private_use_characters_stay_where_the_profile_only_warns_of_them():
    for profile, title in [("ndl", ""), ("lax", "外字\ue000の本")]:
        feed = new_feed(metadata_prefix="oai_dc")
        Repository.objects.filter(pk=feed.repository_id).update(profile=profile)
        harvest_records(feed, [HarvestedRecord(identifier="oai:x:a", datestamp=STAMP, payload=GAIJI)])
        record = SourceRecord.objects.get(repository=feed.repository_id)
        assert (unpack_record(bytes(record.record)).title if record.record else "") == title


def test_what_the_transport_found_follows_the_policy_too():
    feed = new_feed()
    doubtful = HarvestedRecord(
        identifier="oai:x:a",
        datestamp=STAMP,
        payload=live("a").payload,
        issues=(Issue(code="xml.W001", field="-", value="U+0001"),),
    )
    switch(feed, "xml.W001", "record_error")
    assert harvest_records(feed, [doubtful]).rejected == 1
    switch(feed, "xml.W001", "off")  # an issue that is found before a record is read cannot be switched off
    assert harvest_records(feed, [doubtful]).created == 1
    assert stored("xml.W001") == ["warning"]


def test_the_number_of_queries_grows_neither_with_the_records_nor_with_the_switches():
    few = new_feed()
    many = new_feed(base_url="https://b.example.jp/oai")
    for number in range(20):
        switch(many, f"jpcoar.W{number:03}", "off")
    counts = [queries_of(few, 3), queries_of(many, 60)]
    assert counts[0] == counts[1]


def queries_of(feed: Feed, records: int) -> int:
    run = begin_run(feed, full=True)
    with CaptureQueriesContext(connection) as queries:
        store_records(run, make_records(records, title=""), resumption_token="t")
    Harvest.objects.filter(pk=run.pk).update(state="cancelled")
    return len(queries)


@pytest.mark.parametrize(
    ("prefix", "profile"),
    [("jpcoar_2.0", "irdb"), ("jpcoar", "irdb"), ("junii2", "irdb"), ("dcndl", "ndl"), ("", "ndl")],
)
def test_the_format_tells_the_usual_profile(prefix, profile):
    assert usual_profile(prefix) == profile


def test_an_address_has_a_policy_where_one_repository_owns_it():
    feed = new_feed()
    switch(feed, "dcndl.E003", "warning")
    assert registered_policy(feed.base_url).switches == {"dcndl.E003": Severity.WARNING}
    assert registered_policy("https://other.example.jp/oai") is None
    new_feed(metadata_prefix="oai_dc")
    assert registered_policy(feed.base_url) is None
