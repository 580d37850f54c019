"""How many requests a run sends to a provider that answers 503 for ever, and that it goes on when that ends."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from harvesting.harvest.run import create_harvest, harvest
from harvesting.models import Feed, Harvest, Repository, SourceRecord
from harvesting.registry.registration import register
from harvesting.transports.retries import MOST_REQUESTED
from tests.books import book
from tests.harvesting.fakeserver import Answer, FakeServer, Request
from tests.harvesting.transports import feeds
from tests.harvesting.transports.oai_provider import FakeProvider
from tests.harvesting.transports.resourcesync_source import (
    AT,
    Source,
    document,
    entry,
    index,
    listed,
    md,
    part,
    source,
)

pytestmark = pytest.mark.django_db

BUSY = Answer(status=503, headers={"Retry-After": "600"})
MOST = 30  # requests of a run that never gets what it wants
SETS = 12


@pytest.fixture
def site() -> Iterator[Source]:
    with source() as made:
        yield made


def resources(site: Source, count: int, start: int = 0) -> list[str]:
    """Add this many books that can be registered. Return the entries that list them."""
    entries = []
    for number in range(start, start + count):
        data = book(f"b{number}", title=f"本{number}")
        site.at[f"/r{number}.xml"] = data
        entries.append(site.listing(f"/r{number}.xml", data))
    return entries


def registered(base_url: str, protocol: str, **fields: str) -> Feed:
    feed = Feed(
        base_url=base_url, protocol=protocol, metadata_prefix="" if protocol == "resourcesync" else "oai_dc", **fields
    )
    register(Repository(name="いそがしい図書館"), [feed])
    return feed


def run_to_its_end(feed: Feed, after_a_pause: Callable[[Harvest], None] = lambda run: None) -> Harvest:
    """Execute a run, again after each of its pauses."""
    run = harvest(create_harvest(feed, full=True))
    while run.state == Harvest.State.PAUSED:
        after_a_pause(run)
        Harvest.objects.update(resume_at=timezone.now() - timedelta(seconds=1))
        run.refresh_from_db()
        run = harvest(run)
    return run


def with_many_sets(site: Source) -> None:
    """A source whose last set has a list that is busy, after many documents that are not."""
    caps = [entry(site.url(f"/caps{number}.xml"), md(capability="capabilitylist")) for number in range(SETS)]
    site.at["/.well-known/resourcesync"] = document(md(capability="description"), *caps)
    for number in range(SETS):
        site.at[f"/caps{number}.xml"] = document(
            md(capability="capabilitylist"), entry(site.url(f"/list{number}.xml"), md(capability="resourcelist"))
        )
        site.at[f"/list{number}.xml"] = document(md(capability="resourcelist", at=AT), *resources(site, 1, number))


def with_an_index(site: Source) -> None:
    site.offer(resourcelist="/index.xml")
    site.at["/index.xml"] = index(md(capability="resourcelist", at=AT), part(site.url("/part.xml")))
    site.at["/part.xml"] = document(md(capability="resourcelist", at=AT), *resources(site, 50))


@pytest.mark.parametrize("path", ["/.well-known/resourcesync", "/caps.xml", "/list.xml", "/r0.xml"])
def test_a_busy_resourcesync_source_is_asked_once_after_each_pause(site, path):
    listed(site, *resources(site, 50))
    number = int(path[2]) if path.startswith("/r") else -1
    site.server.answer = lambda request: (
        BUSY if request.path == path or (number >= 0 and request.path.startswith("/r")) else site.answer(request)
    )
    run = run_to_its_end(registered(site.url(site.entrance), "resourcesync"))
    assert (run.state, run.code) == ("failed", "http.503")
    assert MOST_REQUESTED < len(site.server.requests) <= MOST


def test_resources_listed_in_an_index_that_are_all_busy_are_given_up(site):
    with_an_index(site)
    site.server.answer = lambda request: BUSY if request.path.startswith("/r") else site.answer(request)
    run = run_to_its_end(registered(site.url(site.entrance), "resourcesync"))
    assert (run.state, run.code) == ("failed", "http.503")
    assert len(site.server.requests) <= MOST


@pytest.mark.parametrize("path", [f"/caps{SETS - 1}.xml", f"/list{SETS - 1}.xml"])
def test_what_could_be_read_of_a_busy_source_is_not_read_again_after_each_pause(site, path):
    with_many_sets(site)
    site.server.answer = lambda request: BUSY if request.path == path else site.answer(request)
    feed = registered(site.url(site.entrance), "resourcesync")
    counts: list[int] = []
    run = run_to_its_end(feed, lambda run: counts.append(len(site.server.requests)))
    assert (run.state, run.code) == ("failed", "http.503")
    later = [after - before for before, after in pairwise(counts)]
    assert later == [1] * (MOST_REQUESTED - 1)


def test_a_source_that_is_no_longer_busy_is_harvested_whole(site):
    with_many_sets(site)
    busy = {f"/list{SETS - 1}.xml"}
    site.server.answer = lambda request: BUSY if request.path in busy else site.answer(request)
    run = run_to_its_end(registered(site.url(site.entrance), "resourcesync"), lambda run: busy.clear())
    assert (run.state, run.received, run.exhaustive) == ("succeeded", SETS, True)


def test_resources_that_are_no_longer_busy_are_harvested(site):
    listed(site, *resources(site, 20))
    pauses: list[str] = []
    site.server.answer = lambda request: (
        BUSY if request.path.startswith("/r") and len(pauses) < MOST_REQUESTED - 1 else site.answer(request)
    )
    feed = registered(site.url(site.entrance), "resourcesync")
    assert run_to_its_end(feed, lambda run: pauses.append(run.code)).state == "succeeded"
    assert run_to_its_end(feed).state == "succeeded"  # it asks again for the resources that were given up
    assert SourceRecord.objects.exclude(payload_hash=b"").count() == 20


def test_three_busy_resources_in_a_row_do_not_stop_a_run(site):
    listed(site, *resources(site, 20))
    busy = {f"/r{number}.xml" for number in (4, 5, 6)}
    site.server.answer = lambda request: BUSY if request.path in busy else site.answer(request)
    run = run_to_its_end(registered(site.url(site.entrance), "resourcesync"))
    assert (run.state, run.created) == ("succeeded", 17)


def oai(busy: str) -> Callable[[Request], Answer]:
    """The answers of an OAI-PMH provider that is busy for one kind of request; "token": from the second page on."""
    provider = FakeProvider(dates=["2026-01-01"] * 10)

    def answer(request: Request) -> Answer:
        verb = "token" if "resumptionToken" in request.arguments else request.arguments["verb"]
        return BUSY if verb == busy else provider(request)

    return answer


@pytest.mark.parametrize("busy", ["Identify", "ListRecords", "token"])
def test_a_busy_oai_provider_is_asked_few_times(server: FakeServer, busy):
    server.answer = oai(busy)
    run = run_to_its_end(registered(f"{server.url}/oai", "oai-pmh"))
    assert (run.state, run.code) == ("failed", "http.503")
    assert MOST_REQUESTED < len(server.requests) <= MOST


@pytest.mark.parametrize(("protocol", "whole"), [("rss", ""), ("rss", "/all"), ("file", "")])
def test_a_busy_feed_or_file_is_asked_few_times(server: FakeServer, protocol, whole):
    busy = whole or "/feed"
    server.answer = lambda request: BUSY if request.path == busy else feeds.answer(feeds.rss(feeds.item(1)))
    run = run_to_its_end(registered(f"{server.url}/feed", protocol, full_url=whole and f"{server.url}{whole}"))
    assert (run.state, run.code) == ("failed", "http.503")
    assert MOST_REQUESTED < len(server.requests) <= MOST
