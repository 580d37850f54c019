"""Lists that do not fit: older than what earlier runs have harvested, changes with gaps, wrong hashes."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.harvesting.transports.resourcesync_source import (
    AT,
    Source,
    changed,
    document,
    index,
    listed,
    md,
    metadata,
    names,
    observations,
    part,
    records,
    source,
)


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


LATER = {"position": "2026-01-03T12:00:00+00:00"}


def test_after_a_gap_an_older_list_is_not_read_but_the_changes_are(site):
    changed(site, site.change("/r5.xml", "created", "2026-01-03T14:00:00Z"), from_="2026-01-03T13:00:00Z")
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    site.resources(1, 5)
    batches = site.harvest(since=datetime(2026, 1, 3, 11, 59, tzinfo=UTC), memory=LATER)
    assert names(batches) == ["r5.xml"]
    assert not batches[-1].exhaustive
    assert batches[-1].memory["position"] == LATER["position"]


def test_after_a_gap_the_changes_are_read_on_top_of_a_newer_list(site):
    changed(site, site.change("/r1.xml", "deleted", "2026-01-03T14:00:00Z"), from_="2026-01-03T13:00:00Z")
    site.at["/list.xml"] = document(md(capability="resourcelist", at="2026-01-03T12:30:00Z"), *site.resources(2))
    batches = site.harvest(since=datetime(2026, 1, 3, 11, 59, tzinfo=UTC), memory=LATER)
    assert names(batches) == ["r0.xml", "r1.xml", "-r1.xml"]
    assert batches[-1].exhaustive


def test_a_full_run_over_an_older_list_reads_the_changes_since_on_top(site):
    changed(site, site.change("/r5.xml", "created", "2026-01-03T11:00:00Z"), from_=AT)
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    site.resources(1, 5)
    batches = site.harvest(full=True, memory=LATER)
    assert [(record.identifier[-6:], bool(record.as_of)) for record in records(batches)] == [
        ("r0.xml", True),
        ("r1.xml", True),
        ("r5.xml", False),
    ]
    assert (batches[-1].exhaustive, batches[-1].memory["position"]) == (True, LATER["position"])


def test_a_full_run_over_an_older_list_without_the_changes_since_proves_no_absence(site):
    listed(site, *site.resources(2))
    batches = site.harvest(full=True, memory=LATER)
    assert "rs.outdated" in observations(batches)
    assert not batches[-1].exhaustive


def test_an_older_list_instead_of_a_broken_change_list_proves_no_absence(site):
    changed(site)
    site.at["/changes.xml"] = index(
        md(capability="changelist", from_="2026-01-01T00:00:00Z"),
        part(site.url("/missing.xml")),
        part(site.url("/last.xml")),
    )
    site.at["/last.xml"] = document(md(capability="changelist", from_=AT))
    site.at["/list.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(1))
    batches = site.harvest(since=datetime(2026, 1, 3, 11, 59, tzinfo=UTC), memory=LATER)
    assert "rs.instead" in observations(batches)
    assert all(record.as_of for record in records(batches))
    assert (batches[-1].exhaustive, batches[-1].memory["position"]) == (False, LATER["position"])


def test_a_resource_with_a_wrong_hash_is_requested_again_by_the_next_run(site):
    (right,) = site.resources(1)
    listed(site, right)
    good, site.at["/r0.xml"] = site.at["/r0.xml"], metadata("途中で切れた")
    first = site.harvest()
    assert (names(first), first[-1].exhaustive) == (["!r0.xml"], True)
    changed(site)
    still_wrong = site.harvest(since=datetime(2026, 1, 2, tzinfo=UTC), memory=first[-1].memory)
    assert names(still_wrong) == ["!r0.xml"]
    site.at["/r0.xml"] = good
    healed = site.harvest(since=datetime(2026, 1, 2, tzinfo=UTC), memory=still_wrong[-1].memory)
    assert names(healed) == ["r0.xml"]
    assert (healed[-1].memory["again"], healed[-1].memory["hashes"]) == ("", "")


def test_an_index_is_as_old_as_its_oldest_list_where_it_says_no_time_itself(site):
    site.offer(resourcelist="/index.xml")
    site.at["/index.xml"] = index(
        md(capability="resourcelist"),
        part(site.url("/p0.xml"), md(at=AT)),
        part(site.url("/p1.xml"), md(at="2026-01-03T13:00:00Z")),
    )
    for number in range(2):
        site.at[f"/p{number}.xml"] = document(md(capability="resourcelist"), *site.resources(1, number))
    batches = site.harvest(full=True, memory=LATER)
    assert "rs.outdated" in observations(batches)
    assert all(record.as_of for record in records(batches))
    assert (batches[-1].exhaustive, batches[-1].memory["position"]) == (False, LATER["position"])


def test_an_index_is_as_old_as_the_lists_themselves_say(site):
    changed(site, site.change("/r0.xml", "updated", "2026-01-03T14:00:00Z"), from_="2026-01-03T13:30:00Z")
    site.at["/list.xml"] = index(
        md(capability="resourcelist"), part(site.url("/p0.xml")), part(site.url("/p1.xml")), part(site.url("/p2.xml"))
    )
    for number, at in enumerate(("2026-01-03T13:00:00Z", AT)):
        site.at[f"/p{number}.xml"] = document(md(capability="resourcelist", at=at), *site.resources(1, number))
    batches = site.harvest(full=True, memory=LATER)
    assert "rs.outdated" in observations(batches)
    assert all(record.as_of for record in records(batches))
    assert (batches[-1].exhaustive, batches[-1].memory["position"]) == (False, LATER["position"])
    assert [gap.facts["url"] for gap in batches[-1].gaps] == [site.url("/p2.xml")]
