"""Asking a ResourceSync source: with patience, inside its own domain, documents kept while they are in use.

It knows what a document is, and nothing of the order in which they are read.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import IO, Protocol

from harvesting.http.archives import is_gzip, open_gzip
from harvesting.http.fetch import Fetched
from harvesting.transports.patience import Patience
from harvesting.transports.resourcesync.documents import Head, Link, read_head
from harvesting.transports.resourcesync.links import header_links, owner
from harvesting.types import Observation, TransportError

MIB = 1024 * 1024
DOCUMENT_BYTES = 64 * MIB  # a list may have 50 MB (section 7)
RESOURCE_BYTES = 16 * MIB
PACKAGE_BYTES = 1024 * MIB
KEPT = 4  # documents that are open at a time: an index, its list, a manifest
DAMAGED = frozenset({"xml.malformed", "rs.not_resourcesync"})
MOST_PROTOCOL_ENTRIES = 50_000
NO_PARAMETERS: Mapping[str, str] = {}


class Fetch(Protocol):
    """`Fetcher.fetch`."""

    def __call__(
        self,
        url: str,
        parameters: Mapping[str, str] = NO_PARAMETERS,
        *,
        max_bytes: int | None = None,
        spool: bool = False,
    ) -> Fetched: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A ResourceSync document that has been read whole once. links: of its own and of its Link header."""

    head: Head
    stream: IO[bytes]
    links: tuple[Link, ...] = ()
    asked_at: datetime

    @property
    def url(self) -> str:
        return self.head.url

    @property
    def capability(self) -> str:
        """A Sitemap without rs:md is a list of resources (section 10.1)."""
        return self.head.capability or "resourcelist"

    def linked(self, rel: str) -> str:
        """The first link of that kind, "" without one."""
        return next((link.href for link in self.links if link.rel == rel and link.href), "")


class Asking:
    """One source. `notices` are what it did wrong on the way, each told once, until `told` takes them."""

    def __init__(self, fetch: Fetch, patience: Patience, url: str) -> None:
        self._fetch = fetch
        self._patience = patience
        self._owners = {owner(url)}
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._notices: list[Observation] = []
        self._noted: set[tuple[str, str]] = set()

    def admit(self, url: str) -> None:
        """The address that a person registered may lead elsewhere: where it leads belongs to the source too."""
        self._owners.add(owner(url))

    def is_own(self, url: str) -> bool:
        return owner(url) in self._owners

    def note(self, code: str, *, incomplete: bool = False, **facts: str | int) -> None:
        key = (code, str(facts.get("url", "")))
        if key not in self._noted and len(self._noted) < 1000:
            self._noted.add(key)
            self._notices.append(Observation(code=code, facts=facts, incomplete=incomplete))

    def told(self) -> tuple[Observation, ...]:
        observations, self._notices = tuple(self._notices), []
        return observations

    def document(self, url: str) -> Document:
        """The document at a URL, asked for once. A broken one is asked for a second time.

        TransportError "rs.other_host", "rs.not_resourcesync", "xml.malformed" … and those of the network.
        """
        kept = self._documents.get(url)
        if kept:
            self._documents.move_to_end(url)
            return kept
        if not self.is_own(url):
            raise TransportError(f"{url} is on another host", "rs.other_host", permanent=True, url=url)
        try:
            return self.read(self.get(url, DOCUMENT_BYTES, spool=True))
        except TransportError as error:
            if error.code not in DAMAGED:
                raise
            return self._second_try(url, error)

    def _second_try(self, url: str, first: TransportError) -> Document:
        """What was cut short on the way is whole now, and what a page about maintenance stood for is back. The same
        damage twice is none of the way."""
        try:
            return self.read(self.get(url, DOCUMENT_BYTES, spool=True))
        except TransportError as error:
            if error.code == first.code and error.facts == first.facts:
                error.permanent = True
            raise

    def _keep(self, url: str, document: Document) -> None:
        while len(self._documents) >= KEPT:
            self._documents.popitem(last=False)  # whoever reads it still may go on; it closes with its last reader
        self._documents[url] = document
        if document.head.count > MOST_PROTOCOL_ENTRIES:
            self.note("rs.long_list", url=url, count=document.head.count)

    def forget(self, url: str) -> None:
        """Ask anew the next time."""
        self._documents.pop(url, None)

    def read(self, fetched: Fetched) -> Document:
        """The document in a response, kept under its URL."""
        document = self._document(stream_of(fetched), fetched)
        self._keep(fetched.url, document)
        return document

    def _document(self, stream: IO[bytes], fetched: Fetched) -> Document:
        start = stream.read(2)
        stream.seek(0)
        if is_gzip(start):  # a .gz that is served as it lies there
            stream = open_gzip(stream, DOCUMENT_BYTES)
        head = read_head(stream, fetched.final_url, fetched.headers.get("content-type", ""))
        links = (*head.links, *header_links(fetched.headers.get("link", ""), fetched.final_url))
        return Document(head=head, stream=stream, links=links, asked_at=datetime.now(UTC))

    def get(self, url: str, max_bytes: int, *, spool: bool = False) -> Fetched:
        """A successful response, asked for again while that may help. TransportError otherwise."""
        return self._patiently(lambda: self._once(url, max_bytes, spool))

    def _once(self, url: str, max_bytes: int, spool: bool) -> Fetched:
        fetched = self._fetch(url, max_bytes=max_bytes, spool=spool).checked()
        for observation in fetched.observations:
            self.note(observation.code, incomplete=observation.incomplete, **observation.facts)
        return fetched

    def _patiently(self, ask: Callable[[], Fetched]) -> Fetched:
        tried = 0
        while True:
            try:
                return ask()
            except TransportError as error:
                tried += 1
                wait = self._patience.wait(error, tried)
                if wait is None:
                    raise
            self._patience.sleep(wait)


def stream_of(fetched: Fetched) -> IO[bytes]:
    """The body as a file at its start."""
    if fetched.body:
        return BytesIO(fetched.body)
    fetched.stream.seek(0)
    return fetched.stream
