"""Makes requests to one ResourceSync source: with retries, within its own domains, with a cache of open documents.

The order in which documents are read is decided elsewhere.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import IO, Protocol

from harvesting.http.archives import is_gzip, open_gzip
from harvesting.http.fetch import Fetched
from harvesting.transports.resourcesync.documents import Head, Link, read_head
from harvesting.transports.resourcesync.links import header_links, registered_domain
from harvesting.transports.retries import BUSY, RetryPolicy
from harvesting.types import Observation, TransportError

MIB = 1024 * 1024
DOCUMENT_BYTES = 64 * MIB  # ResourceSync 1.1, section 7, allows a list 50 MB
RESOURCE_BYTES = 16 * MIB
PACKAGE_BYTES = 1024 * MIB
MAX_OPEN_DOCUMENTS = 4  # at a time: an index, its list, a manifest
LIST_MISSING = "rs.list_missing"  # observation: a list could not be read, so what it lists is unknown
RETRIED_DAMAGE = frozenset({"xml.malformed", "rs.not_resourcesync"})
MAX_PROTOCOL_ENTRIES = 50_000
NO_PARAMETERS: Mapping[str, str] = {}


class Fetch(Protocol):
    """The type of `Fetcher.fetch`."""

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
    """A ResourceSync document that has been read completely once. links: its own and those of its Link header."""

    head: Head
    stream: IO[bytes]
    links: tuple[Link, ...] = ()
    asked_at: datetime

    @property
    def url(self) -> str:
        return self.head.url

    @property
    def capability(self) -> str:
        """The capability; a Sitemap without rs:md is a Resource List (ResourceSync 1.1, section 10.1)."""
        return self.head.capability or "resourcelist"

    def linked(self, rel: str) -> str:
        """The target of the first link with this rel, "" without one."""
        return next((link.href for link in self.links if link.rel == rel and link.href), "")


class SourceClient:
    """Makes requests to one source and collects observations of it, one for each code and URL."""

    def __init__(self, fetch: Fetch, retry_policy: RetryPolicy, url: str) -> None:
        self._fetch = fetch
        self._retry_policy = retry_policy
        self._domains = {registered_domain(url)}
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._observations: list[Observation] = []
        self._noted: set[tuple[str, str]] = set()

    def add_domain(self, url: str) -> None:
        """Add the domain of a URL to those of the source: the registered address may redirect to another one."""
        self._domains.add(registered_domain(url))

    def is_own(self, url: str) -> bool:
        return registered_domain(url) in self._domains

    def check_own(self, url: str) -> None:
        """TransportError "rs.other_host" if a URL is not within the domains of the source."""
        if not self.is_own(url):
            raise TransportError(f"{url} is on another host", "rs.other_host", permanent=True, url=url)

    def note(self, code: str, *, incomplete: bool = False, **facts: str | int) -> None:
        key = (code, str(facts.get("url", "")))
        if key not in self._noted and len(self._noted) < 1000:
            self._noted.add(key)
            self._observations.append(Observation(code=code, facts=facts, incomplete=incomplete))

    def take_observations(self) -> tuple[Observation, ...]:
        observations, self._observations = tuple(self._observations), []
        return observations

    def document(self, url: str) -> Document:
        """Return the document at a URL, from the cache if it is open. A broken document is requested a second time.

        TransportError "rs.other_host", "rs.not_resourcesync", "xml.malformed" … and those of the network.
        """
        open_document = self._documents.get(url)
        if open_document:
            self._documents.move_to_end(url)
            return open_document
        self.check_own(url)
        try:
            return self.read(self.get(url, DOCUMENT_BYTES, spool=True))
        except TransportError as error:
            if error.code not in RETRIED_DAMAGE:
                raise
            return self._second_try(url, error)

    def _second_try(self, url: str, first_error: TransportError) -> Document:
        """Request a broken document again, in case it was truncated in transfer or replaced by a maintenance page.

        The same damage twice makes the error permanent.
        """
        try:
            return self.read(self.get(url, DOCUMENT_BYTES, spool=True))
        except TransportError as error:
            if error.code == first_error.code and error.facts == first_error.facts:
                error.permanent = True
            raise

    def _remember(self, url: str, document: Document) -> None:
        while len(self._documents) >= MAX_OPEN_DOCUMENTS:
            self._documents.popitem(last=False)  # readers may still hold the document; the last reader closes it
        self._documents[url] = document
        if document.head.count > MAX_PROTOCOL_ENTRIES:
            self.note("rs.long_list", url=url, count=document.head.count)

    def forget(self, url: str) -> None:
        """Remove a document from the cache, so that it is requested again."""
        self._documents.pop(url, None)

    def read(self, fetched: Fetched) -> Document:
        """Read the document in a response and cache it under its URL."""
        document = self._document(body_stream(fetched), fetched)
        self._remember(fetched.url, document)
        return document

    def _document(self, stream: IO[bytes], fetched: Fetched) -> Document:
        start = stream.read(2)
        stream.seek(0)
        if is_gzip(start):  # a .gz file that is served without Content-Encoding
            stream = open_gzip(stream, DOCUMENT_BYTES)
        head = read_head(stream, fetched.final_url, fetched.headers.get("content-type", ""))
        links = (*head.links, *header_links(fetched.headers.get("link", ""), fetched.final_url))
        return Document(head=head, stream=stream, links=links, asked_at=datetime.now(UTC))

    def ask_busy_address(self) -> None:
        """Ask the address at which the run paused before anything else, so that a pause that was too short costs one
        request. The document found there is kept.

        TransportError "http.503" or "http.429" if the server is still busy; other errors come up when it is read.
        """
        url = self._retry_policy.busy
        if not url or not self.is_own(url):
            return
        try:
            self.read(self._fetch_checked(url, DOCUMENT_BYTES, spool=True))
        except TransportError as error:
            if error.code in BUSY:
                raise

    def get(self, url: str, max_bytes: int, *, spool: bool = False) -> Fetched:
        """Return a successful response, with retries. TransportError otherwise."""
        return self._with_retries(lambda: self._fetch_checked(url, max_bytes, spool))

    def _fetch_checked(self, url: str, max_bytes: int, spool: bool) -> Fetched:
        fetched = self._fetch(url, max_bytes=max_bytes, spool=spool).checked()
        for observation in fetched.observations:
            self.note(observation.code, incomplete=observation.incomplete, **observation.facts)
        return fetched

    def _with_retries(self, send: Callable[[], Fetched]) -> Fetched:
        attempts = 0
        while True:
            try:
                return send()
            except TransportError as error:
                attempts += 1
                wait = self._retry_policy.wait(error, attempts)
                if wait is None:
                    raise
            self._retry_policy.sleep(wait)


def body_stream(fetched: Fetched) -> IO[bytes]:
    """Return the body as a stream at its start."""
    if fetched.body:
        return BytesIO(fetched.body)
    fetched.stream.seek(0)
    return fetched.stream
