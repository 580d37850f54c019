"""Providers on loopback: a sample provider with a feed of it, and a bare server with a transport that asks it."""

from collections.abc import Callable, Iterator

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.models import Feed, Repository
from harvesting.registry.registration import register
from harvesting.transports.oai_pmh.transport import OaiPmhTransport, Patience
from sampleprovider.server import running
from sampleprovider.source import SampleRecord, SampleSource
from tests.books import book
from tests.harvesting.fakeserver import LOOPBACK, FakeServer, serving


def sample(local_id: str, datestamp: str = "2026-01-10T00:00:00Z", **fields: object) -> SampleRecord:
    """A sample record in dcndl, from the fields that tests.books.book takes."""
    return SampleRecord(
        identifier=f"oai:sample:{local_id}", datestamp=datestamp, payloads={"dcndl": book(local_id, **fields)}
    )


@pytest.fixture
def source() -> SampleSource:
    """Five books in pages of two."""
    return SampleSource(
        name="library",
        prefixes=("dcndl",),
        page_size=2,
        records=[sample(f"b{number}", title=f"見本の本{number}") for number in range(1, 6)],
    )


@pytest.fixture
def feed_of(db: None) -> Iterator[Callable[[SampleSource], Feed]]:
    """Starts a source on loopback and registers it."""
    open_servers = []

    def start(provided: SampleSource, **fields: str) -> Feed:
        server = running([provided])
        address = server.__enter__()
        open_servers.append(server)
        feed = Feed(**{"base_url": f"{address}/{provided.name}/oai", "metadata_prefix": "dcndl", **fields})
        register(Repository(name="見本図書館"), [feed])
        return feed

    yield start
    for server in open_servers:
        server.__exit__(None, None, None)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


@pytest.fixture
def waits() -> list[float]:
    """The seconds that were waited."""
    return []


@pytest.fixture
def transport(server: FakeServer, waits: list[float]) -> Iterator[OaiPmhTransport]:
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, deadline=60)) as fetcher:
        yield OaiPmhTransport(f"{server.url}/oai", fetcher.fetch, Patience(sleep=waits.append))
