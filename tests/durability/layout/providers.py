"""Libraries whose books change, come and go, each at a host of its own. No Django."""

import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sampleprovider.server import SampleServer
from sampleprovider.source import RecordList, SampleRecord, SampleSource
from tests.books import book

RECORDS, PAGE = 24, 3
CHANGES = 6  # books of a new edition at a change; as many as two pages
FEWEST = 18  # live books, below which none is deleted


@dataclass(slots=True)
class Library:
    """A provider. editions: book -> its edition, 0 = deleted. Every library has the same books, so that they meet."""

    number: int
    source: SampleSource
    records: dict[int, SampleRecord] = field(default_factory=dict)
    editions: dict[int, int] = field(default_factory=dict)
    url: str = ""

    def identifier(self, local: int) -> str:
        return f"oai:sample:p{self.number}-b{local}"

    def title(self, local: int) -> str:
        """Return the title of a book as it is now."""
        return f"みんなの本{local} 第{self.editions[local]}版"

    def publish(self, local: int, edition: int) -> None:
        """Publish this edition of a book, or with 0 its deletion."""
        self.editions[local] = edition
        payload = book(f"p{self.number}-b{local}", title=self.title(local)) if edition else b""
        self.records[local] = SampleRecord(
            identifier=self.identifier(local),
            datestamp=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            deleted=not edition,
            payloads={"dcndl": payload} if edition else {},
        )

    def change(self, rng: random.Random) -> None:
        """Publish new editions, a deletion if enough is left, and what was deleted."""
        live = [local for local, edition in self.editions.items() if edition]
        for local in rng.sample(sorted(self.editions), CHANGES):
            self.publish(local, self.editions[local] % 4 + 1)
        if len(live) > FEWEST:
            self.publish(rng.choice(live), 0)
        self.list_anew()

    def list_anew(self) -> None:
        self.source.holdings = RecordList(self.records.values())


@contextmanager
def libraries(count: int) -> Iterator[list[Library]]:
    with ExitStack() as stack:
        yield [stack.enter_context(library(number)) for number in range(count)]


@contextmanager
def library(number: int) -> Iterator[Library]:
    """Serve a library at an address of its own."""
    made = Library(number, SampleSource(name=f"library{number}", prefixes=("dcndl",), page_size=PAGE))
    for local in range(RECORDS):
        made.publish(local, 1)
    made.list_anew()
    with SampleServer((f"127.0.0.{10 + number}", 0), [made.source]) as server:
        made.url = server.base_url(made.source)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
