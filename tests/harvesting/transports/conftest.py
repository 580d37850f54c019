"""A server on loopback and a transport that asks it without waiting."""

from collections.abc import Iterator

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.oai_pmh.transport import OaiPmhTransport, Patience
from tests.harvesting.fakeserver import LOOPBACK, FakeServer, serving


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
