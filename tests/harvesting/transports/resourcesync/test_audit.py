"""Listing the resources of a source, now and at a moment in the past, by its archives."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from harvesting.types import TransportError
from tests.harvesting.transports.resourcesync_source import (
    Source,
    document,
    entry,
    md,
    metadata,
    names,
    observations,
    package,
    sha256,
    source,
)


@pytest.fixture
def site() -> Iterator[Source]:
    """A source with lists of January, February and March, each with one more resource, and a change in February."""
    with source() as made:
        made.offer(
            resourcelist="/3.xml",
            resourcelist_archive="/lists.xml",
            changelist="/changes.xml",
            changelist_archive="/old.xml",
        )
        for month in (1, 2, 3):
            made.at[f"/{month}.xml"] = document(
                md(capability="resourcelist", at=f"2026-0{month}-01T00:00:00Z"), *made.resources(month)
            )
        made.at["/lists.xml"] = document(
            md(capability="resourcelist-archive"),
            *(entry(made.url(f"/{month}.xml"), md(at=f"2026-0{month}-01T00:00:00Z")) for month in (1, 2)),
        )
        made.at["/changes.xml"] = changes(made, "2026-02-01", made.change("/r0.xml", "deleted", "2026-02-10T00:00:00Z"))
        yield made


def changes(site: Source, from_: str, *entries: str, **extra: str) -> bytes:
    return document(md(capability="changelist", from_=f"{from_}T00:00:00Z", **extra), *entries)


def day(month: int, day: int) -> datetime:
    return datetime(2026, month, day, tzinfo=UTC)


def listed(site: Source, until: datetime | None) -> list[tuple[str, bool]]:
    return [(resource.identifier.rpartition("/")[2], resource.deleted) for resource in site.transport().listed(until)]


def test_the_present_is_listed_without_fetching_anything(site):
    assert listed(site, None) == [("r0.xml", False), ("r1.xml", False), ("r2.xml", False)]
    assert not [path for path in site.requested_paths if path.startswith("/r")]


def test_the_hash_listed_is_that_of_the_payload(site):
    first = next(iter(site.transport().listed()))
    assert f"sha-256:{first.sha256.hex()}" == sha256(metadata("本0"))


def test_the_past_is_the_newest_archived_list_and_the_changes_up_to_that_moment(site):
    assert listed(site, day(1, 15)) == [("r0.xml", False)]
    assert listed(site, day(2, 5)) == [("r0.xml", False), ("r1.xml", False)]
    assert listed(site, day(2, 15)) == [("r0.xml", False), ("r1.xml", False), ("r0.xml", True)]
    with pytest.raises(TransportError) as caught:
        listed(site, datetime(2025, 1, 1, tzinfo=UTC))
    assert caught.value.code == "rs.no_list"


def test_a_run_until_then_reads_the_archived_list_and_proves_no_absence(site):
    batches = site.harvest(until="2026-02-05")
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert batches[0].response_date == day(2, 1)
    assert not batches[-1].exhaustive


def test_an_archived_dump_has_the_bytes_of_its_time(site):
    old = {"a": metadata("旧版")}
    listing = document(
        md(capability="resourcedump-manifest", at="2026-01-01T00:00:00Z"), entry(site.url("/r0.xml"), md(path="/a"))
    )
    site.offer(resourcelist="/3.xml", resourcedump_archive="/dumps.xml")
    site.at["/dumps.xml"] = document(
        md(capability="resourcedump-archive"), entry(site.url("/d.xml"), md(at="2026-01-01T00:00:00Z"))
    )
    site.at["/d.xml"] = document(md(capability="resourcedump", at="2026-01-01T00:00:00Z"), entry(site.url("/d.zip")))
    site.at["/d.zip"] = package(listing, old)
    assert site.harvest(until="2026-01-15")[0].records[0].payload == metadata("旧版")


def test_archived_change_lists_bridge_a_gap(site):
    site.at["/old.xml"] = document(
        md(capability="changelist-archive"),
        entry(site.url("/c1.xml"), md(from_="2026-01-01T00:00:00Z", until="2026-02-01T00:00:00Z")),
    )
    site.at["/c1.xml"] = changes(
        site,
        "2026-01-01",
        site.change("/r1.xml", "created", "2026-01-20T00:00:00Z"),
        until="2026-02-01T00:00:00Z",
    )
    batches = site.harvest(since=day(1, 10))
    assert names(batches) == ["r1.xml", "-r0.xml"]
    assert "rs.gap" not in observations(batches)
