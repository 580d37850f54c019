"""The ResourceSync transport: full and incremental runs, faults of single resources, resumed runs."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from harvesting.transports.resourcesync import tasks as resourcesync_run
from harvesting.transports.resourcesync.discovery import discover
from harvesting.transports.resourcesync.plan import make_plan
from harvesting.transports.resourcesync.requests import SourceClient
from harvesting.transports.resourcesync.tasks import TaskRunner
from harvesting.types import Batch, HarvestRequest, TransportError
from tests.harvesting.fakeserver import Answer
from tests.harvesting.transports.resourcesync_source import (
    AT,
    Source,
    changed,
    document,
    entry,
    index,
    listed,
    ln,
    md,
    metadata,
    names,
    observations,
    part,
    records,
    source,
)

SINCE = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


def request(**fields: object) -> HarvestRequest:
    return HarvestRequest(metadata_prefix="oai_dc", **fields)


def until_error(site: Source) -> tuple[list[Batch], TransportError]:
    """Return the batches of a run that fails, and its error."""
    got: list[Batch] = []
    with pytest.raises(TransportError) as caught:
        for batch in site.transport().batches(request()):
            got.append(batch)  # noqa: PERF402  (what came before the error counts)
    return got, caught.value


def test_a_resource_list_becomes_records(site):
    listed(site, *site.resources(3))
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml", "r2.xml"]
    first = records(batches)[0]
    assert (first.identifier, first.datestamp) == (site.url("/r0.xml"), "2026-01-02T13:00:00Z")
    assert first.payload == metadata("本0")
    assert batches[-1].exhaustive
    assert batches[0].response_date == datetime(2026, 1, 3, 9, tzinfo=UTC)
    assert observations(batches) == []


def test_the_watermark_is_never_later_than_our_own_clock(site):
    listed(site, *site.resources(1), at="2126-01-01T00:00:00Z")
    before = datetime.now(UTC)
    assert before <= site.harvest()[0].response_date <= datetime.now(UTC)


@pytest.mark.parametrize("which", [0, 2])
@pytest.mark.parametrize("answer", [Answer(status=404), Answer(status=500), Answer(status=403)])
def test_a_resource_that_cannot_be_had_is_quarantined_and_the_list_goes_on(site, which, answer):
    listed(site, *site.resources(3))
    site.at[f"/r{which}.xml"] = answer
    batches = site.harvest()
    assert [issue.code for record in records(batches) for issue in record.issues] == ["rs.E002"]
    assert names(batches)[which] == f"!r{which}.xml"
    assert "rs.failed" in observations(batches)
    assert not batches[-1].exhaustive


def test_a_listed_resource_that_the_server_calls_gone_is_deleted(site):
    listed(site, *site.resources(3))
    site.at["/r1.xml"] = Answer(status=410)
    batches = site.harvest()
    assert [(record.deleted, bool(record.issues)) for record in records(batches)] == [
        (False, False),
        (True, False),
        (False, False),
    ]
    assert "rs.failed" not in observations(batches)
    assert batches[-1].exhaustive


@pytest.mark.parametrize("which", [0, 2])
def test_a_wrong_hash_is_quarantined_with_the_bytes_that_came(site, which):
    listed(site, *site.resources(3))
    site.at[f"/r{which}.xml"] = metadata("別物")
    bad = records(site.harvest())[which]
    assert [issue.code for issue in bad.issues] == ["rs.E001", "rs.W001"]
    assert bad.payload == metadata("別物")


def test_a_wrong_length_with_the_right_hash_is_a_warning(site):
    site.at["/r.xml"] = metadata("本")
    listed(site, site.listing("/r.xml", metadata("本"), length="7"))
    assert [issue.code for issue in records(site.harvest())[0].issues] == ["rs.W001"]


def test_failed_resources_are_requested_again_by_the_next_run(site):
    changed(site, site.change("/r0.xml", "updated", "2026-01-02T10:00:00Z"))
    batches = site.harvest(since=SINCE)
    assert names(batches) == ["!r0.xml"]
    memory = batches[-1].memory
    site.resources(1)
    later = site.harvest(since=datetime(2026, 1, 2, 11, tzinfo=UTC), memory=memory)
    assert set(names(later)) == {"r0.xml"}
    assert later[-1].memory["again"] == ""


def test_the_run_waits_when_the_server_is_down_and_continues_where_it_stopped(site):
    entries = site.resources(30)
    listed(site, *entries)
    good = dict(site.at)
    for number in range(5, 30):
        site.at[f"/r{number}.xml"] = Answer(status=500)
    batches, error = until_error(site)
    assert (error.code, error.permanent) == ("rs.down", False)
    site.at.update(good)
    rest = site.harvest(resumption_token=batches[-1].resumption_token)
    assert names(rest) == [f"r{number}.xml" for number in range(5, 30)]
    assert rest[-1].exhaustive


@pytest.mark.parametrize("which", [0, 2])
def test_a_busy_server_stops_the_run_but_a_single_busy_resource_only_for_a_while(site, which):
    listed(site, *site.resources(3))
    site.at[f"/r{which}.xml"] = Answer(status=503)
    first, error = until_error(site)
    assert (error.code, error.permanent) == ("http.503", False)
    assert first[-1].resumption_token
    second = site.harvest(resumption_token=first[-1].resumption_token)
    assert names([*first, *second])[which] == f"!r{which}.xml"
    assert len(names([*first, *second])) == 3


def test_a_list_of_resources_that_are_all_gone_is_refused(site, monkeypatch):
    monkeypatch.setattr(resourcesync_run, "MAX_CONSECUTIVE_MISSING", 5)
    listed(site, *(entry(site.url(f"/gone{number}.xml")) for number in range(9)))
    with pytest.raises(TransportError) as caught:
        site.harvest()
    assert (caught.value.code, caught.value.permanent) == ("rs.stale_list", True)


def test_changes_since_are_created_updated_and_deleted(site):
    site.resources(3)
    changed(
        site,
        site.change("/r9.xml", "created", "2026-01-01T10:00:00Z"),
        site.change("/r0.xml", "created", "2026-01-02T10:00:00Z"),
        site.change("/r1.xml", "updated", "2026-01-02T11:00:00Z"),
        site.change("/r2.xml", "deleted", "2026-01-02T12:00:00Z"),
    )
    batches = site.harvest(since=SINCE)
    assert names(batches) == ["r0.xml", "r1.xml", "-r2.xml"]
    assert batches[0].response_date == datetime(2026, 1, 2, 12, tzinfo=UTC)
    assert not batches[-1].exhaustive
    assert "/list.xml" not in site.requested_paths


def test_an_empty_change_list_is_a_success_with_nothing(site):
    changed(site, from_="2026-01-01T00:00:00Z")
    batches = site.harvest(since=SINCE)
    assert names(batches) == []
    assert batches[-1].is_last


def test_the_last_of_several_changes_wins_whatever_their_order(site):
    site.resources(2)
    changed(
        site,
        site.change("/r0.xml", "deleted", "2026-01-02T12:00:00Z"),
        site.change("/r0.xml", "created", "2026-01-02T10:00:00Z"),
        site.change("/r1.xml", "created", "2026-01-02T10:00:00Z"),
        entry(site.url("/r1.xml"), md(change="deleted")),
    )
    assert names(site.harvest(since=SINCE)) == ["-r0.xml", "-r1.xml"]


def test_a_change_list_with_lastmod_only_is_read_by_that(site):
    site.resources(2)
    changed(
        site,
        entry(site.url("/r0.xml"), md(change="updated"), lastmod="2026-01-01T00:00:00Z"),
        entry(site.url("/r1.xml"), md(change="updated"), lastmod="2026-01-02T09:00:00+09:00"),
    )
    assert names(site.harvest(since=SINCE)) == ["r1.xml"]


def test_an_old_lastmod_beside_a_datetime_hides_no_change(site):
    site.resources(2)
    changed(
        site,
        entry(site.url("/r0.xml"), md(change="created", datetime="2026-01-02T01:00:00Z"), lastmod="2000-01-01"),
        entry(site.url("/r1.xml"), md(change="updated"), lastmod="2000-01-01"),
    )
    assert names(site.harvest(since=SINCE)) == ["r0.xml", "r1.xml"]


def test_change_lists_that_begin_too_late_make_it_read_everything(site):
    changed(site, from_="2026-01-02T12:00:00Z")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    batches = site.harvest(since=SINCE)
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert "rs.gap" in observations(batches)
    assert batches[-1].exhaustive


def test_everything_is_read_instead_of_a_change_list_that_breaks_on_the_way(site, monkeypatch):
    changed(site)
    site.at["/changes.xml"] = index(
        md(capability="changelist", from_="2026-01-01T00:00:00Z"),
        part(site.url("/missing.xml")),
        part(site.url("/last.xml")),
    )
    site.at["/last.xml"] = document(md(capability="changelist", from_=AT))
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    batches = site.harvest(since=SINCE)
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert "rs.instead" in observations(batches)
    assert batches[-1].exhaustive


def test_the_overlap_of_the_requests_is_not_a_gap(site):
    changed(site, site.change("/r0.xml", "updated", "2026-01-03T10:00:00Z"), from_=AT)
    site.resources(1)
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(1))
    memory = site.harvest()[-1].memory
    batches = site.harvest(since=datetime(2026, 1, 3, 8, 59, tzinfo=UTC), memory=memory)
    assert "rs.gap" not in observations(batches)
    assert names(batches) == ["r0.xml"]


def test_without_change_lists_lastmod_tells_what_is_new(site):
    site.at["/old.xml"] = site.at["/new.xml"] = metadata("本")
    listed(
        site,
        entry(site.url("/old.xml"), lastmod="2026-01-01"),
        entry(site.url("/new.xml"), lastmod="2026-01-02T10:00:00Z"),
    )
    batches = site.harvest(since=SINCE)
    assert names(batches) == ["new.xml"]
    assert not batches[-1].exhaustive
    assert "rs.by_lastmod" in observations(batches)


def test_a_full_run_reads_everything_although_changes_are_offered(site):
    changed(site)
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    assert names(site.harvest(since=SINCE, full=True)) == ["r0.xml", "r1.xml"]


@pytest.mark.parametrize("stop", [1, 2, 3, 4])
def test_a_run_killed_after_any_batch_goes_on_without_loss_or_repetition(site, monkeypatch, stop):
    monkeypatch.setattr(resourcesync_run, "BATCH_RECORDS", 2)
    listed(site, *site.resources(9))
    batches = site.harvest()
    assert len(batches) == 5
    kept = batches[:stop]
    rest = site.harvest(resumption_token=kept[-1].resumption_token)
    assert names([*kept, *rest]) == [f"r{number}.xml" for number in range(9)]
    assert rest[-1].exhaustive
    assert rest[-1].response_date == batches[0].response_date


@pytest.mark.parametrize("stop", range(1, 8))
def test_a_run_over_several_change_lists_goes_on_after_any_batch(site, monkeypatch, stop):
    monkeypatch.setattr(resourcesync_run, "BATCH_RECORDS", 1)
    changed(site)
    site.resources(6)
    site.at["/changes.xml"] = index(
        md(capability="changelist", from_="2026-01-01T00:00:00Z"),
        *(part(site.url(f"/c{number}.xml"), md(from_="2026-01-01T00:00:00Z")) for number in range(3)),
    )
    for number in range(3):
        changes = [site.change(f"/r{number * 2 + offset}.xml", "updated", AT) for offset in range(2)]
        site.at[f"/c{number}.xml"] = document(md(capability="changelist", from_="2026-01-01T00:00:00Z"), *changes)
    batches = site.harvest(since=SINCE)
    kept = batches[:stop]
    token = kept[-1].resumption_token
    rest = site.harvest(since=SINCE, resumption_token=token) if token else []
    assert names([*kept, *rest]) == [f"r{number}.xml" for number in range(6)]


def test_large_records_make_small_batches(site, monkeypatch):
    monkeypatch.setattr(resourcesync_run, "BATCH_BYTES", 100)
    listed(site, *site.resources(4))
    assert [len(batch.records) for batch in site.harvest()] == [2, 2, 0]


def test_a_list_whose_beginning_has_changed_meanwhile_is_read_from_its_start(site, monkeypatch):
    monkeypatch.setattr(resourcesync_run, "BATCH_RECORDS", 2)
    listed(site, *site.resources(3))
    token = site.harvest()[0].resumption_token
    listed(site, *reversed(site.resources(3)))
    batches = site.harvest(resumption_token=token)
    assert names(batches) == ["r2.xml", "r1.xml", "r0.xml"]
    assert "rs.list_changed" in observations(batches)


def test_a_list_that_only_has_another_date_or_has_grown_is_continued(site, monkeypatch):
    monkeypatch.setattr(resourcesync_run, "BATCH_RECORDS", 2)
    listed(site, *site.resources(3))
    token = site.harvest()[0].resumption_token
    listed(site, *site.resources(4), at="2026-01-04T00:00:00Z")
    batches = site.harvest(resumption_token=token)
    assert names(batches) == ["r2.xml", "r3.xml"]
    assert batches[-1].response_date.day == 3
    assert observations(batches) == []


def test_a_list_that_changes_at_every_request_ends_but_proves_no_absence(site, monkeypatch):
    monkeypatch.setattr(resourcesync_run, "BATCH_RECORDS", 1)
    entries, got = site.resources(4), []
    listed(site, *entries)
    while not got or got[-1].resumption_token:
        entries.reverse()
        listed(site, *entries)
        token = got[-1].resumption_token if got else ""
        got.append(next(iter(site.transport().batches(request(resumption_token=token)))))
        assert len(got) < 20
    assert not got[-1].exhaustive


def test_a_batch_ends_after_some_seconds(site):
    listed(site, *site.resources(3))
    ticks = iter(range(0, 10_000, 11))
    transport = site.transport()
    asking = SourceClient(transport._fetch, transport._retry_policy, transport.base_url)
    progress = make_plan(asking, discover(asking, transport.base_url), request())
    batches = list(TaskRunner(asking, progress, "oai_dc", request(), clock=lambda: float(next(ticks))).batches())
    assert [len(batch.records) for batch in batches] == [1, 1, 1, 0]


def test_one_resource_can_be_requested_by_its_uri(site):
    listed(site, *site.resources(2))
    batches = site.harvest(identifier=site.url("/r1.xml"))
    assert names(batches) == ["r1.xml"]
    with pytest.raises(TransportError) as caught:
        site.harvest(identifier=site.url("/none.xml"))
    assert caught.value.code == "http.404"


def test_resources_of_other_hosts_are_not_requested(site):
    listed(site, *site.resources(1), entry(f"http://localhost:{site.server.port}/r0.xml"))
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "!r0.xml"]
    assert [issue.value for issue in records(batches)[1].issues] == ["rs.other_host"]


def test_memory_names_hub_and_topic(site):
    listed(site, *site.resources(1))
    site.at["/caps.xml"] = Answer(
        body=site.at["/caps.xml"],
        headers={"Link": '<http://hub.example/>; rel="hub", <http://127.0.0.1/topic>; rel="self"'},
    )
    memory = site.harvest()[-1].memory
    assert (memory["hub"], memory["topic"]) == ("http://hub.example/", "http://127.0.0.1/topic")


def test_the_identity_says_whether_deletions_are_kept(site):
    changed(site)
    identity = site.transport().identify()
    assert (identity.deleted_record, identity.granularity) == ("transient", "YYYY-MM-DDThh:mm:ssZ")
    listed(site)
    assert site.transport().identify().deleted_record == "no"


def test_formats_are_recognised_by_links_or_by_content(site):
    listed(site, *site.resources(1))
    (looked,) = site.transport().metadata_formats()
    assert looked.prefix == "oai_dc"
    listed(site, entry(site.url("/x.xml"), ln("profile", "http://purl.org/dc/elements/1.1/")))
    (listed_format,) = site.transport().metadata_formats()
    assert (listed_format.prefix, listed_format.namespace) == ("oai_dc", "http://purl.org/dc/elements/1.1/")
