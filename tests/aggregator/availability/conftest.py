"""A fake catalogue that answers in DAIA, and a library whose availability can be asked there."""

import json
from collections.abc import Callable, Iterator

import pytest
from django.core.cache import caches

from aggregator.availability import inquiries
from aggregator.models import AvailabilityAdapter, Library
from tests.harvesting.fakeserver import Answer, FakeServer, serving


class AtOnce:
    """Replaces the pool of threads: jobs run at once, in the thread and the transaction of the test."""

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.full = False

    def submit(self, host: str, job: Callable[[], None]) -> bool:
        if not self.full:
            self.hosts.append(host)
            job()
        return not self.full


def daia(**loan: object) -> Answer:
    """An answer about one copy: it can be borrowed or, if there are values, is on loan with these values."""
    service = {"unavailable": [{"service": "loan", **loan}]} if loan else {"available": [{"service": "loan"}]}
    return Answer(json.dumps({"document": [{"id": "x", "item": [service]}]}).encode())


@pytest.fixture(autouse=True)
def _no_answers() -> None:
    caches[inquiries.CACHE].clear()


@pytest.fixture
def pool(monkeypatch) -> AtOnce:
    at_once = AtOnce()
    monkeypatch.setattr(inquiries, "POOL", at_once)
    return at_once


@pytest.fixture
def catalogue() -> Iterator[FakeServer]:
    with serving() as fake:
        fake.answers(daia())
        yield fake


@pytest.fixture
def adapter(db, catalogue) -> AvailabilityAdapter:
    library = Library.objects.create(name="見本市立図書館")
    address = f"{catalogue.url}/daia?id={{isbn}}&format=json"
    return AvailabilityAdapter.objects.create(library=library, kind="daia", address=address)
