"""Lists that an index, a dump or a description names but that are not read: the run is incomplete and says so."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.resourcesync import discovery
from harvesting.transports.resourcesync.lists import parts
from harvesting.transports.resourcesync.requests import MAX_PROTOCOL_ENTRIES, SourceClient
from harvesting.transports.retries import RetryPolicy
from harvesting.types import TransportError
from tests.harvesting.fakeserver import LOOPBACK
from tests.harvesting.transports.resourcesync_source import (
    AT,
    Source,
    document,
    entry,
    index,
    listed,
    md,
    names,
    part,
    source,
)


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


def test_a_list_of_an_index_on_another_host_is_not_requested_and_leaves_a_gap(site):
    site.at["/p0.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    site.offer(resourcelist="/index.xml")
    elsewhere = f"http://localhost:{site.server.port}/p1.xml"
    site.at["/index.xml"] = index(md(capability="resourcelist", at=AT), part(elsewhere), part(site.url("/p0.xml")))
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert [gap.facts for gap in batches[-1].gaps] == [{"url": elsewhere, "reason": "rs.other_host"}]
    assert not batches[-1].exhaustive
    assert "/p1.xml" not in site.requested_paths


def test_an_entry_of_an_index_without_an_address_leaves_a_gap(site):
    site.at["/p0.xml"] = document(md(capability="resourcelist", at=AT), *site.resources(2))
    site.offer(resourcelist="/index.xml")
    site.at["/index.xml"] = index(
        md(capability="resourcelist", at=AT), part("javascript:alert(1)"), part(site.url("/p0.xml"))
    )
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert [gap.facts["url"] for gap in batches[-1].gaps] == [site.url("/index.xml")]


@pytest.mark.parametrize("position", [0, 1])
def test_instead_of_an_index_with_a_change_list_on_another_host_everything_is_read(site, position):
    listed(site, *site.resources(2))
    site.offer(resourcelist="/list.xml", changelist="/changes.xml")
    changes = [part(site.url("/changes1.xml"))]
    changes.insert(position, part(f"http://localhost:{site.server.port}/changes2.xml"))
    site.at["/changes.xml"] = index(md(capability="changelist", from_=AT), *changes)
    site.at["/changes1.xml"] = document(md(capability="changelist", from_=AT))
    batches = site.harvest(since=datetime(2026, 1, 3, 12, tzinfo=UTC))
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert "/changes2.xml" not in site.requested_paths


def test_one_of_several_lists_on_another_host_leaves_a_gap(site):
    listed(site, *site.resources(2))
    elsewhere = f"http://localhost:{site.server.port}/list2.xml"
    site.at["/caps.xml"] = document(
        md(capability="capabilitylist"),
        *(entry(url, md(capability="resourcelist")) for url in (elsewhere, site.url("/list.xml"))),
    )
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert [gap.facts["url"] for gap in batches[-1].gaps] == [elsewhere]


def test_more_sets_than_are_read_leave_a_gap(site, monkeypatch):
    listed(site, *site.resources(2))
    monkeypatch.setattr(discovery, "MAX_SETS", 1)
    site.at["/.well-known/resourcesync"] = document(
        md(capability="description"),
        *(entry(site.url(path), md(capability="capabilitylist")) for path in ("/caps.xml", "/caps2.xml", "/caps3.xml")),
    )
    batches = site.harvest()
    assert names(batches) == ["r0.xml", "r1.xml"]
    assert [gap.facts["url"] for gap in batches[-1].gaps] == [site.url("/caps2.xml")]


def test_all_lists_of_an_index_count_even_if_there_are_more_than_the_protocol_allows(site):
    paths = [f"/p{number}.xml" for number in range(MAX_PROTOCOL_ENTRIES + 2)]
    site.at["/index.xml"] = index(md(capability="resourcelist", at=AT), *(part(site.url(path)) for path in paths))
    fetcher = Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0))
    client = SourceClient(fetcher.fetch, RetryPolicy(), site.url("/"))
    found = parts(client, client.document(site.url("/index.xml")))
    assert [found_part.url for found_part in found] == [site.url(path) for path in paths]
    assert [seen.code for seen in client.take_observations()] == ["rs.long_list"]


@pytest.mark.parametrize("has_list", [True, False])
def test_a_package_on_another_host_is_not_requested_and_the_dump_not_taken_for_whole(site, has_list):
    listed(site, *site.resources(2))
    site.offer(resourcedump="/dump.xml", **({"resourcelist": "/list.xml"} if has_list else {}))
    site.at["/dump.xml"] = document(
        md(capability="resourcedump", at=AT),
        entry(f"http://localhost:{site.server.port}/0.zip", md(type="application/zip")),
    )
    if has_list:
        assert names(site.harvest()) == ["r0.xml", "r1.xml"]
    else:
        with pytest.raises(TransportError) as caught:
            site.harvest()
        assert caught.value.code == "rs.other_host"
    assert "/0.zip" not in site.requested_paths
