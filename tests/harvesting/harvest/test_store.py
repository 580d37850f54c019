"""One batch, one transaction: counters, observations, parts of pages, and what cannot be stored."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from harvesting import types as base
from harvesting.harvest.store import undo_partial_page
from harvesting.models import BrokenPage, Harvest, RecordIssue, SourceRecord
from harvesting.records import sanitising, writing
from harvesting.records.compression import unpack_payload
from harvesting.runs import observations as findings
from harvesting.types import HarvestedRecord, Observation, TransportError
from metadata.issue import Issue
from tests.harvesting.batches import (
    begin_run,
    gone,
    harvest_records,
    live,
    live_local_ids,
    make_records,
    new_feed,
    store_records,
)

pytestmark = pytest.mark.django_db


def counted(run: Harvest) -> tuple[int, int, int, int]:
    run.refresh_from_db()
    return run.received, run.created, run.unchanged, run.pages


def codes() -> set[str]:
    return set(RecordIssue.objects.filter(code__startswith="harvest.").values_list("code", flat=True))


def test_notices_are_counted_by_code_with_the_facts_of_the_first():
    run = begin_run(new_feed(), full=True)
    first, second = (Observation(code="oai.loop", facts={"url": url}) for url in ("a\0", "b"))
    store_records(run, [], observations=(first,), resumption_token="t")
    store_records(run, [], observations=(second, Observation(code="x.y", incomplete=True)), resumption_token="u")
    run.refresh_from_db()
    assert run.observations["oai.loop"] == {"count": 2, "facts": {"url": "a\ufffd"}, "incomplete": False}
    assert run.observations["x.y"]["incomplete"]


def test_an_incomplete_finding_on_any_page_forbids_conclusions_from_absence():
    run = begin_run(new_feed(), full=True)
    store_records(run, make_records(3), observations=(Observation(code="x.y", incomplete=True),), resumption_token="t")
    store_records(run, [live("c")], exhaustive=True)
    run.refresh_from_db()
    assert (run.exhaustive, run.state) == (False, "succeeded")


def test_a_page_in_parts_is_one_page():
    run = begin_run(new_feed(), full=True)
    store_records(run, make_records(2), more=True)
    store_records(run, [live("c")], more=True)
    assert counted(run) == (3, 3, 0, 0)
    store_records(run, [live("d")], resumption_token="t")
    assert counted(run) == (4, 4, 0, 1)
    assert run.partial == {}


def test_the_parts_of_a_page_that_is_asked_for_again_are_counted_once():
    run = begin_run(new_feed(), full=True)
    store_records(run, make_records(3), resumption_token="t")
    observation = Observation(code="x.y")
    store_records(run, [live("c"), live("d", title="")], more=True, resumption_token="t", observations=(observation,))
    store_records(run, [live("e")], more=True, resumption_token="t")
    undo_partial_page(run)
    assert counted(run) == (3, 3, 0, 1)
    assert (run.rejected, run.observations, run.issue_counts.get("record_error", 0)) == (0, {}, 0)
    store_records(run, [live("c"), live("d", title=""), live("e")], observations=(observation,))
    assert counted(run) == (6, 3, 2, 2)
    assert (run.rejected, run.observations["x.y"]["count"], run.state) == (1, 1, "succeeded")


def test_a_worker_that_lost_its_run_subtracts_no_counts():
    run = begin_run(new_feed(), full=True)
    store_records(run, make_records(2), more=True)
    Harvest.objects.update(fence=99)
    with pytest.raises(TransportError):
        undo_partial_page(run)
    assert counted(run)[0] == 2


def test_broken_pages_are_kept_compressed_the_newest_twenty_of_a_feed(monkeypatch):
    monkeypatch.setattr(findings, "KEPT_PAGES", 3)
    run = begin_run(new_feed(), full=True)
    for number in range(5):
        page = base.BrokenPage(body=b"<broken>%d" % number, url="https://a.example.jp/\0", code="xml.malformed")
        store_records(run, [], broken=(page,), resumption_token=f"t{number}")
    kept = [unpack_payload(page.body) for page in BrokenPage.objects.order_by("pk")]
    assert kept == [b"<broken>2", b"<broken>3", b"<broken>4"]


def test_an_absurd_list_size_is_ignored():
    run = begin_run(new_feed(), full=True)
    store_records(run, [], complete_list_size=10**12, resumption_token="t")
    run.refresh_from_db()
    assert run.complete_list_size is None


def test_everything_of_a_batch_is_rolled_back_together(monkeypatch):
    run = begin_run(new_feed(), full=True)

    def full_disk(*_rows: object, **_more: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(writing, "_write_issues", full_disk)
    with pytest.raises(OSError):
        store_records(run, make_records(3), resumption_token="t", observations=(Observation(code="x.y"),))
    run.refresh_from_db()
    assert (run.received, run.resumption_token, run.observations, SourceRecord.objects.count()) == (0, "", {}, 0)


@pytest.mark.parametrize("identifier", ["oai:x:a\0b", "oai:x:" + "漢" * 1000, "oai:x:\ud800"])
def test_an_identifier_that_no_database_takes_is_rejected_and_kept(identifier):
    run = begin_run(new_feed(), full=True)
    bad = HarvestedRecord(identifier=identifier, datestamp="2026-01-01", payload=live("b").payload)
    store_records(run, [bad, live("c")])
    run.refresh_from_db()
    assert (run.created, run.rejected, run.state) == (1, 1, "succeeded")
    refused = SourceRecord.objects.get(refused=True)
    assert refused.identifier.startswith("urn:sha256:") and refused.rejected_payload
    assert codes() == {"harvest.E001"}


def test_an_identifier_is_trimmed():
    harvest_records(new_feed(), [HarvestedRecord(identifier=" oai:x:a \n", payload=live("a").payload)])
    assert SourceRecord.objects.get().identifier == "oai:x:a"


@pytest.mark.parametrize("header", [{"datestamp": "2026\0"}, {"datestamp": "9" * 41}, {"set_specs": ("a", "b\0")}])
def test_a_header_value_that_cannot_be_kept_is_left_out_with_a_warning(header):
    record = HarvestedRecord(**{"identifier": "oai:x:a", "payload": live("a").payload, **header})
    assert harvest_records(new_feed(), [record]).created == 1
    stored = SourceRecord.objects.get()
    assert (stored.datestamp, stored.set_specs) in [("", []), ("", ["a"])]
    assert codes() == {"harvest.W003"}


def test_a_deletion_without_date_is_accepted_with_a_warning():
    feed = new_feed(deleted_record="persistent")
    harvest_records(feed, make_records(3))
    assert harvest_records(feed, [gone("b1", "")], full=False).deleted == 1
    assert codes() == {"harvest.W004"}


def test_a_payload_of_a_size_that_no_record_has_is_rejected(monkeypatch):
    monkeypatch.setattr(sanitising, "LARGEST_PAYLOAD", 1000)
    monkeypatch.setattr(sanitising, "KEPT_OF_LARGE", 100)
    assert harvest_records(new_feed(), [live("a")]).rejected == 1
    assert len(unpack_payload(SourceRecord.objects.get().rejected_payload)) == 100
    assert codes() == {"harvest.E002"}


def test_renewed_datestamps_change_headers_only():
    feed = new_feed()
    harvest_records(feed, make_records(10))
    SourceRecord.objects.update(aggregated_at="2026-01-01T00:00:00Z")
    changed = set(SourceRecord.objects.values_list("changed_at", flat=True))
    run = harvest_records(feed, make_records(10, datestamp="2026-06-01T00:00:00Z"))
    assert (run.unchanged, run.updated) == (10, 0)
    assert set(SourceRecord.objects.values_list("changed_at", flat=True)) == changed
    assert set(SourceRecord.objects.values_list("datestamp", flat=True)) == {"2026-06-01T00:00:00Z"}
    assert not SourceRecord.objects.pending().exists()


def test_of_two_copies_on_different_pages_the_newest_wins_in_either_order():
    old, new = live("b0", "2026-01-01", title="旧"), live("b0", "2026-02-01", title="新")
    for pages in ([old, new], [new, old]):
        feed = new_feed()
        harvest_records(feed, pages, page=1)
        assert SourceRecord.objects.get(repository=feed.repository_id).datestamp == "2026-02-01"


def test_two_descriptions_under_one_identifier_are_reported_and_do_not_replace_each_other_in_every_run():
    feed, pages = new_feed(), [live("b0", title="一方"), live("b0", title="他方")]
    first = harvest_records(feed, pages, page=1)
    assert first.observations["safety.clash"]["count"] == 1
    assert first.observations["safety.clash"]["facts"] == {"identifier": "oai:x:b0"}
    assert harvest_records(feed, pages, page=1).unchanged == 2
    assert harvest_records(new_feed(), pages).observations["safety.clash"]["count"] == 1


@pytest.mark.parametrize("size", [10, 200])
def test_the_number_of_queries_does_not_grow_with_the_batch(size):
    feed = new_feed()
    harvest_records(feed, make_records(size))
    run = begin_run(feed, full=True)
    changed = [live(f"b{number}", title="改訂版") for number in range(size)]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        store_records(run, changed, resumption_token="t")
    statements = [query["sql"].split()[0] for query in queries if "executemany" not in query["sql"]]
    assert len([statement for statement in statements if statement in {"SELECT", "UPDATE", "DELETE"}]) <= 12


REPLACED = (Issue(code="xml.W002", field="dc:title", value="0x82"),)


def test_a_version_with_lost_text_never_replaces_an_undamaged_one():
    feed = new_feed()
    harvest_records(feed, [live("a")])
    run = harvest_records(feed, [replace(live("a", title="見本\ufffd"), issues=REPLACED)])
    record = SourceRecord.objects.get()
    assert (run.rejected, run.updated, record.refused) == (1, 0, True)
    assert "\ufffd" not in unpack_payload(record.payload).decode()
    assert set(RecordIssue.objects.values_list("code", flat=True)) >= {"xml.W002", "harvest.E006"}
    again = harvest_records(feed, [replace(live("a", title="見本\ufffd"), issues=REPLACED)])
    assert (again.rejected, again.updated) == (1, 0)


def test_a_version_with_lost_text_replaces_another_such_version():
    feed = new_feed()
    harvest_records(feed, [replace(live("a", title="見本\ufffd"), issues=REPLACED)])
    assert harvest_records(feed, [replace(live("a", title="新しい\ufffd"), issues=REPLACED)]).updated == 1


def test_a_run_that_loses_the_text_of_many_records_waits_for_a_person():
    damaged = [replace(live(f"b{number}", title="本\ufffd"), issues=REPLACED) for number in range(21)]
    run = harvest_records(new_feed(), [*damaged, *(live(f"c{number}") for number in range(79))])
    assert (run.state, run.code, run.facts["damaged"]) == ("paused", "safety.damaged", 21)


def test_an_older_list_neither_revives_nor_rolls_back_what_changed_after_it():
    feed, made = new_feed(), datetime(2026, 1, 15, tzinfo=UTC)
    newer = "2026-01-20T00:00:00Z"
    harvest_records(feed, [live("a", newer), live("b"), gone("c", newer)])
    harvest_records(feed, [live("c")])
    harvest_records(feed, [gone("c", newer)])
    old = [replace(live(name, title="古い版"), as_of=made) for name in "abc"]
    run = harvest_records(feed, old, exhaustive=False)
    assert (run.updated, run.created, live_local_ids(feed)) == (1, 0, {"a", "b"})
