"""Dumps: manifests and members are compared both ways, members verified, and lists read if a dump is unusable."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from harvesting.transports.resourcesync import plan, tasks
from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer
from tests.harvesting.transports.resourcesync_source import (
    AT,
    Source,
    document,
    entry,
    index,
    md,
    metadata,
    names,
    observations,
    package,
    part,
    records,
    sha256,
    source,
)

SINCE = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


def members(start: int, count: int) -> dict[str, bytes]:
    return {f"resources/r{number}.xml": metadata(f"本{number}") for number in range(start, start + count)}


def manifest(site: Source, files: dict[str, bytes], kind: str = "resourcedump", **extra: str) -> bytes:
    attributes = {"type": "application/xml", **extra}
    return document(
        md(capability=f"{kind}-manifest", at=AT),
        *(
            entry(site.url(name.removeprefix("resources")), md(path=f"/{name}", hash=sha256(data), **attributes))
            for name, data in files.items()
        ),
    )


def dumped(site: Source, *packages: bytes, **lists: str) -> None:
    site.offer(resourcedump="/dump.xml", **lists)
    site.at["/dump.xml"] = document(
        md(capability="resourcedump", at=AT),
        *(entry(site.url(f"/{number}.zip"), md(type="application/zip")) for number in range(len(packages))),
    )
    site.at.update({f"/{number}.zip": data for number, data in enumerate(packages)})


def two_packages(site: Source) -> tuple[bytes, bytes]:
    first, second = members(0, 3), members(3, 2)
    return package(manifest(site, first), first), package(manifest(site, second), second)


def test_a_dump_is_read_package_by_package(site):
    dumped(site, *two_packages(site))
    batches = site.harvest()
    assert names(batches) == [f"r{number}.xml" for number in range(5)]
    assert records(batches)[0].payload == metadata("本0")
    assert batches[-1].exhaustive
    assert observations(batches) == []


def test_a_dump_index_is_read(site):
    dumped(site, *two_packages(site))
    site.at["/all.xml"] = index(md(capability="resourcedump", at=AT), part(site.url("/dump.xml")))
    site.offer(resourcedump="/all.xml")
    assert len(names(site.harvest())) == 5


def test_a_dump_is_preferred_where_it_is_less_work(site, monkeypatch):
    monkeypatch.setattr(plan, "FEW_CHANGES", 2)
    dumped(site, *two_packages(site), resourcelist="/list.xml")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(5))
    assert len(names(site.harvest())) == 5
    assert "/r0.xml" not in site.requested_paths
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    assert names(site.harvest()) == ["r0.xml", "r1.xml"]


@pytest.mark.parametrize("stop", [1, 2])
def test_a_run_killed_inside_a_dump_goes_on(site, monkeypatch, stop):
    monkeypatch.setattr(tasks, "BATCH_RECORDS", 2)
    dumped(site, *two_packages(site))
    batches = site.harvest()
    rest = site.harvest(resumption_token=batches[stop - 1].resumption_token)
    assert names([*batches[:stop], *rest]) == [f"r{number}.xml" for number in range(5)]


@pytest.mark.parametrize("which", [0, 2])
def test_a_member_that_is_missing_or_other_is_quarantined(site, which):
    files = members(0, 3)
    listing = manifest(site, files)
    name = f"resources/r{which}.xml"
    dumped(site, package(listing, {key: data for key, data in files.items() if key != name}))
    batches = site.harvest()
    assert [issue.code for record in records(batches) for issue in record.issues] == ["rs.E003"]
    assert not batches[-1].exhaustive
    dumped(site, package(listing, {**files, name: b"<other/>"}))
    assert [issue.code for record in records(site.harvest()) for issue in record.issues] == ["rs.E001"]


def test_a_resumed_run_fetches_no_package_that_it_has_read(site, monkeypatch):
    monkeypatch.setattr(tasks, "BATCH_RECORDS", 2)
    dumped(site, *two_packages(site))
    token = site.harvest()[1].resumption_token
    site.server.requests.clear()
    assert names(site.harvest(resumption_token=token)) == ["r4.xml"]
    assert "/0.zip" not in site.requested_paths


def test_members_that_no_manifest_lists_are_reported_and_not_read(site):
    files = members(0, 1)
    dumped(site, package(manifest(site, files), {**files, "resources/extra.xml": b"<x/>"}))
    batches = site.harvest()
    assert names(batches) == ["r0.xml"]
    assert "rs.unlisted" in observations(batches)


BAD = {
    "no zip": lambda good: b"<html>",
    "cut": lambda good: good[:-30],
    "traversal": lambda good: package(b"<x/>", {"../../etc/passwd": b"x"}),
    "no manifest": lambda good: good.replace(b"manifest.xml", b"manifesto.xm"),
    "bad manifest": lambda good: package(b"<urlset><url>", {}),
    "bomb": lambda good: package(b"<urlset/>", {"a": b"0" * 70_000_000}),
}


@pytest.mark.parametrize("fault", BAD)
@pytest.mark.parametrize("which", [0, 1])
def test_a_bad_package_is_reported_and_the_list_is_read_instead(site, monkeypatch, fault, which):
    monkeypatch.setattr(plan, "FEW_CHANGES", 2)
    good = list(two_packages(site))
    good[which] = BAD[fault](good[which])
    dumped(site, *good)
    with pytest.raises(TransportError) as caught:
        site.harvest()
    assert caught.value.code.startswith(("archive.", "rs.manifest"))
    dumped(site, *good, resourcelist="/list.xml")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(5))
    batches = site.harvest()
    assert set(names(batches)) == {f"r{number}.xml" for number in range(5)}
    assert "rs.instead" in observations(batches)
    assert batches[-1].exhaustive


def test_a_package_with_another_hash_than_listed_is_not_read(site):
    files = members(0, 1)
    dumped(site, package(manifest(site, files), files))
    site.at["/dump.xml"] = document(
        md(capability="resourcedump", at=AT), entry(site.url("/0.zip"), md(hash=sha256(b"other")))
    )
    with pytest.raises(TransportError) as caught:
        site.harvest()
    assert caught.value.code == "rs.package"


def change_dump(site: Source, *entries: str, **files: bytes) -> None:
    site.offer(resourcelist="/list.xml", changedump="/dump.xml")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT))
    site.at["/dump.xml"] = document(
        md(capability="changedump", from_="2026-01-01T00:00:00Z"),
        entry(site.url("/old.zip"), md(from_="2026-01-01T00:00:00Z", until="2026-01-01T12:00:00Z")),
        entry(site.url("/new.zip"), md(from_="2026-01-01T12:00:00Z", until="2026-01-03T00:00:00Z")),
    )
    listing = document(md(capability="changedump-manifest", from_="2026-01-01T12:00:00Z"), *entries)
    site.at["/new.zip"] = package(listing, {f"changes/{name}.xml": data for name, data in files.items()})


def test_a_change_dump_brings_the_last_state_and_deletions(site):
    change_dump(
        site,
        site.change("/r0.xml", "created", "2026-01-02T10:00:00Z", path="/changes/a.xml"),
        site.change("/r1.xml", "deleted", "2026-01-02T11:00:00Z"),
        site.change("/r0.xml", "updated", "2026-01-02T12:00:00Z", path="/changes/b.xml"),
        a=metadata("一版"),
        b=metadata("二版"),
    )
    batches = site.harvest(since=SINCE)
    assert names(batches) == ["-r1.xml", "r0.xml"]
    assert records(batches)[1].payload == metadata("二版")
    assert "/old.zip" not in site.requested_paths


def test_a_broken_change_dump_makes_it_read_everything(site):
    change_dump(site)
    site.at["/new.zip"] = Answer(status=404)
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    batches = site.harvest(since=SINCE)
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert "rs.instead" in observations(batches)
