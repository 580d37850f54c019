"""The RSS transport: harvests RSS 1.0, RSS 2.0 and Atom feeds, page by page (NDL guideline 3.2). No Django.

A feed lists what is new and reports no deletions. So a full harvest reads the provider's feed of all items, if there is
one, and only a record that is missing from it may be treated as deleted.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from harvesting.transports.documents.requests import Download, Fetch, download, same_origin
from harvesting.transports.retries import RetryPolicy
from harvesting.transports.rss.document import FeedDocument
from harvesting.types import (
    EMPTY_MAPPING,
    Batch,
    HarvestedRecord,
    HarvestRequest,
    Identity,
    MetadataFormat,
    OaiSet,
    Observation,
    Source,
    TransportError,
)
from metadata.formats import FEED_ITEM

BATCH = 200  # records in one transaction
MAX_EMPTY_PAGES = 10
SAMPLED_PAGES = 20
MAX_PAGES = 1000  # of one paged feed (RFC 5005)
# Damage that may be a transmission error: the page is requested again, and the same damage twice is final.
RETRIED_DAMAGE = frozenset({"xml.malformed", "rss.cut", "rss.not_feed"})


@dataclass(frozen=True, slots=True)
class Position:
    """How far a list has been read; the token is opaque to other code."""

    url: str
    page: int = 0
    offset: int = 0  # number of records of this page that have been read
    fingerprint: str = ""  # of the version of the page to which the offset applies

    def token(self) -> str:
        return json.dumps([self.url, self.page, self.offset, self.fingerprint])


def read_position(token: str, start: str) -> Position:
    """Return the position in a token; the start of the list for a token that cannot be parsed."""
    try:
        url, page, offset, fingerprint = json.loads(token)
        return Position(str(url), int(page), int(offset), str(fingerprint))
    except (ValueError, TypeError):
        return Position(start)


class RssTransport:
    """The transport of one feed, and of the provider's feed of all items if there is one."""

    def __init__(self, source: Source, fetch: Fetch, retry_policy: RetryPolicy | None = None) -> None:
        self._source = source
        self._fetch = fetch
        self._retry_policy = retry_policy or RetryPolicy()

    def identify(self) -> Identity:
        feed = self._feed(self._download(self._source.base_url, EMPTY_MAPPING))
        return Identity(
            repository_name=feed.title,
            base_url=feed.links.get("self", ""),
            deleted_record="no",
            granularity="YYYY-MM-DDThh:mm:ssZ",
        )

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        """Return the one format that feeds are registered with; the format of an item is recognised when it is read."""
        return (MetadataFormat(prefix=FEED_ITEM.prefix, namespace=FEED_ITEM.namespace),)

    def sets(self) -> tuple[OaiSet, ...]:
        return ()

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """Yield the items in batches. A full harvest reads the feed of all items.

        An incremental harvest reads the feed only if it has changed.
        """
        full = request.full and bool(self._source.full_url)
        start = self._source.full_url if full else self._source.base_url
        position = read_position(request.resumption_token, start) if request.resumption_token else Position(start)
        if request.identifier:
            yield self._one(request.identifier)
            return
        read_always = request.full or request.resumption_token
        page = self._page(position.url, EMPTY_MAPPING if read_always else request.memory)
        if page.download.unchanged:
            yield Batch(
                records=(), response_date=page.download.date, memory=page.memory, observations=page.observations()
            )
            return
        if position.fingerprint and position.fingerprint != page.feed.fingerprint:
            position = Position(start)  # the feed has changed since, and items may have moved to other pages
            page = self._page(start, EMPTY_MAPPING)
        yield from self._pages(page, position, exhaustive=full)

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        """Yield the items of at most SAMPLED_PAGES pages; those of one page cost no further request."""
        for batch in self.batches(request):
            yield batch
            if batch.resumption_token and json.loads(batch.resumption_token)[1] >= SAMPLED_PAGES:
                return

    def _pages(self, page: "_Page", position: Position, *, exhaustive: bool) -> Iterator[Batch]:
        seen = {position.url}
        contents: Counter[str] = Counter()
        incomplete = False
        while True:
            contents[page.feed.content] += 1
            if contents[page.feed.content] > (1 if page.feed.size else MAX_EMPTY_PAGES):
                raise TransportError("the same page again", "rss.loop", permanent=True, url=position.url)
            next_position = page.next_position(position, seen)
            incomplete = incomplete or page.incomplete
            for batch, offset in _batches(page, position.offset):
                is_end = offset >= page.feed.size
                token = Position(position.url, position.page, offset, page.feed.fingerprint).token()
                token = (next_position.token() if next_position else "") if is_end else token
                yield Batch(
                    records=batch,
                    resumption_token=token,
                    response_date=page.download.date or datetime.now(UTC),
                    complete_list_size=page.feed.size if position.page == 0 and not next_position else None,
                    exhaustive=exhaustive and not token and not incomplete,
                    observations=page.observations(),
                    memory=page.memory if position.page == 0 else EMPTY_MAPPING,
                )
            if next_position is None:
                return
            seen.add(next_position.url)
            position = next_position
            page = self._page(position.url, EMPTY_MAPPING)

    def _one(self, identifier: str) -> Batch:
        page = self._page(self._source.base_url, EMPTY_MAPPING)
        records = [record for record in page.feed.records() if record.identifier == identifier]
        if not records:
            raise TransportError(
                f"no item {identifier}", "rss.no_item", permanent=True, url=page.feed_url, identifier=identifier
            )
        return Batch(records=tuple(records), response_date=page.download.date, observations=page.observations())

    def _page(self, url: str, memory: Mapping[str, str]) -> "_Page":
        """Return a complete page. A broken page is requested again; the same damage twice is final."""
        last_error: TransportError | None = None
        for attempts in range(1, self._retry_policy.max_attempts + 1):
            downloaded = self._download(url, memory)
            if downloaded.unchanged:
                return _Page(downloaded, None, url)
            try:
                return _Page(downloaded, self._feed(downloaded), url)
            except TransportError as error:
                is_same_damage = last_error is not None and (error.code, error.facts) == (
                    last_error.code,
                    last_error.facts,
                )
                if error.code not in RETRIED_DAMAGE or is_same_damage:
                    error.permanent = error.permanent or error.code in RETRIED_DAMAGE
                    raise
                last_error = error
            wait = self._retry_policy.wait(last_error, attempts)
            if wait is not None:
                self._retry_policy.sleep(wait)
        raise last_error or TransportError("never asked", "rss.not_feed", permanent=True, url=url, found="")

    def _download(self, url: str, memory: Mapping[str, str]) -> Download:
        return download(self._fetch, self._retry_policy, url, memory)

    def _feed(self, downloaded: Download) -> FeedDocument:
        return FeedDocument(downloaded.stream, downloaded.url, self._source.encoding, downloaded.charset)


class _Page:
    """A page of a feed with its observations."""

    def __init__(self, download: Download, feed: FeedDocument | None, url: str) -> None:
        self.download = download
        self.feed_url = url
        self._feed = feed
        self._observations = [*download.observations, *(feed.observations if feed else ())]
        if feed and feed.is_atom:
            self._observations.append(Observation(code="rss.atom", facts={"url": url}))

    @property
    def feed(self) -> FeedDocument:
        if self._feed is None:
            raise TransportError("unchanged", "rss.not_feed", permanent=True, url=self.feed_url, found="304")
        return self._feed

    @property
    def incomplete(self) -> bool:
        return bool(self._feed and self._feed.unidentified) or any(
            observation.incomplete for observation in self._observations
        )

    @property
    def memory(self) -> Mapping[str, str]:
        """Validators for the next run's conditional request; hub and topic for a subscription (WebSub, section 4)."""
        links = {**dict(reversed(self.download.links)), **(self._feed.links if self._feed else {})}
        websub = {name: links[rel] for name, rel in (("hub", "hub"), ("topic", "self")) if links.get(rel)}
        return {**self.download.memory, **websub}

    def observations(self) -> tuple[Observation, ...]:
        """Return the observations that have not been returned before."""
        new_observations, self._observations = tuple(self._observations), []
        return new_observations

    def _loop(self, reason: str) -> TransportError:
        return TransportError(reason, "rss.loop", permanent=True, url=self.feed_url, reason=reason)

    def next_position(self, position: Position, seen: set[str]) -> Position | None:
        """Return the position of the next page (RFC 5005, section 3), None at the end or if it is on another server.

        TransportError "rss.loop" if the page has been read before or there are too many pages.
        """
        url = self.feed.links.get("next", "")
        if not url:
            return None
        facts = {"url": self.feed_url, "next": url[:500]}
        if url in seen:
            raise self._loop(f"{url} follows itself")
        if not same_origin(url, self.feed_url):
            self._observations.append(Observation(code="rss.next_elsewhere", facts=facts, incomplete=True))
            return None
        if position.page + 1 >= MAX_PAGES:
            raise self._loop(f"more than {MAX_PAGES} pages")
        return Position(url, position.page + 1)


def _batches(page: _Page, skip: int) -> Iterator[tuple[tuple[HarvestedRecord, ...], int]]:
    """Yield (records, number of records read so far) in batches; one empty batch if nothing is left to read."""
    records: list[HarvestedRecord] = []
    offset = 0
    for record in page.feed.records():
        offset += 1
        if offset <= skip:
            continue
        records.append(record)
        if len(records) == BATCH and offset < page.feed.size:
            yield tuple(records), offset
            records = []
    yield tuple(records), page.feed.size
