"""A catalogue whose links lead to servers on loopback, and a clock that can be moved on."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.utils import timezone
from msgspec import structs

from aggregator.links import checking
from aggregator.links.dead import CACHE
from aggregator.models import CheckedLink, Library, LinkRound
from harvesting.models import Repository
from metadata.record import BibliographicRecord, Item
from tests.aggregator.shelves import Shelf, match_and_merge
from tests.books import record
from tests.harvesting.fakeserver import Answer, FakeServer, Request, serving


@dataclass
class Clock:
    """The time that the checks see."""

    now: datetime = field(default_factory=timezone.now)

    def on(self, **time: float) -> None:
        self.now += timedelta(**time)


@dataclass
class Site:
    """A server with pages. missing: paths without a page; every other path has one. robots: its robots.txt."""

    server: FakeServer
    missing: set[str] = field(default_factory=set)
    answers: dict[str, Answer] = field(default_factory=dict)
    robots: Answer = field(default_factory=lambda: Answer(status=404))

    def __post_init__(self) -> None:
        self.server.answer = self._answer

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [(request.method, request.path) for request in self.server.requests]

    @property
    def pages(self) -> list[tuple[str, str]]:
        return [(method, path) for method, path in self.asked if path != "/robots.txt"]

    def _answer(self, request: Request) -> Answer:
        if request.path == "/robots.txt":
            return self.robots
        if request.path in self.answers:
            return self.answers[request.path]
        return Answer(status=404) if request.path in self.missing else Answer(b"<html>a page</html>")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("aggregator.links.checking.timezone.now", lambda: clock.now)
    return clock


@pytest.fixture
def sites() -> Iterator[Callable[[], Site]]:
    """Starts servers, each a host of its own."""
    with ExitStack() as stack:
        yield lambda: Site(stack.enter_context(serving()))


@pytest.fixture
def site(sites: Callable[[], Site]) -> Site:
    return sites()


@pytest.fixture(autouse=True)
def checks(settings: Any) -> None:
    settings.LINK_CHECKS_PER_DAY, settings.LINK_CHECKS_PER_HOST = 1000, 100
    caches[CACHE].clear()


def book(number: int, page: str, isbn: str = "") -> BibliographicRecord:
    """A record of a book of one library, with a page of its own."""
    described = record(f"b{number}", title=f"本の題名その{number}", isbn=isbn)
    return structs.replace(described, items=(Item(holding_agent="町立図書館"),), see_also=(page,) if page else ())


@dataclass
class Catalogue:
    """A provider with a library and its books."""

    shelf: Shelf = field(default_factory=Shelf)

    @property
    def repository(self) -> Repository:
        return self.shelf.repository("町")

    @property
    def library(self) -> Library:
        return Library.objects.get(name="町立図書館")

    def add(self, *records: BibliographicRecord) -> None:
        for one in records:
            self.shelf.put("町", one.title, one)
        match_and_merge()


@pytest.fixture
def catalogue(db: None) -> Catalogue:
    return Catalogue()


def check() -> int:
    """Check portions until there is nothing left to do now; return the number of requests."""
    LinkRound.objects.update(next_at=None)
    total = 0
    while checking.is_due():
        total += checking.check_portion()
    caches[CACHE].clear()
    return total


def states() -> dict[str, str]:
    """The last part of each checked address -> its state."""
    rows = CheckedLink.objects.values_list("url", "state")
    return {url.rpartition("/")[2]: state for url, state in rows}
