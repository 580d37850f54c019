"""Fixtures with providers on loopback: a sample provider and its feed, and a bare server with a transport for it."""

from collections.abc import Callable, Iterator

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.models import Feed, Repository
from harvesting.registry.registration import register
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.transports.retries import RetryPolicy
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
    """A function that starts a sample source on loopback and registers a feed of it."""
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


@pytest.fixture(autouse=True)
def retries_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the shortest of the random waits before a retry, which is none, also in runs with a policy of their own."""
    monkeypatch.setattr("harvesting.transports.retries.uniform", lambda shortest, _longest: shortest)


@pytest.fixture
def waits() -> list[float]:
    """The waits in seconds that the transport asked for; no test really sleeps."""
    return []


@pytest.fixture
def transport(server: FakeServer, waits: list[float]) -> Iterator[OaiPmhTransport]:
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0, deadline=60)) as fetcher:
        yield OaiPmhTransport(f"{server.url}/oai", fetcher.fetch, RetryPolicy(sleep=waits.append))
