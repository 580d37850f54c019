"""The RSS transport: which feed to ask, how its pages follow, what absence means. RSS 1.0, RSS 2.0, Atom. No Django.

NDL guideline 3.2. A feed tells what is new; there are no deletions in it. So the feed of everything, where the
provider has one, is asked by full runs, and only what is missing there may be taken for deleted.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from harvesting.transports.documents.requests import Download, Fetch, download, same_origin
from harvesting.transports.patience import Patience
from harvesting.transports.rss.document import Feed
from harvesting.types import (
    NOTHING,
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
from metadata.vocabularies.namespaces import RSS

BATCH = 200  # records of one transaction
MOST_EMPTY_PAGES = 10
MOST_PAGES = 1000  # of one paged feed (RFC 5005)
# Damage that may be an accident on the way: asked for once more, and the same twice is final.
DAMAGED = frozenset({"xml.malformed", "rss.cut", "rss.not_feed"})


@dataclass(frozen=True, slots=True)
class Position:
    """How far a list has been read. As a token it is opaque to everybody else."""

    url: str
    page: int = 0
    offset: int = 0  # records of this page that are done
    fingerprint: str = ""  # of the page they were counted in

    def token(self) -> str:
        return json.dumps([self.url, self.page, self.offset, self.fingerprint])


def read_position(token: str, start: str) -> Position:
    """The position in a token; the start of the list for a token that this version does not understand."""
    try:
        url, page, offset, fingerprint = json.loads(token)
        return Position(str(url), int(page), int(offset), str(fingerprint))
    except (ValueError, TypeError):
        return Position(start)


class RssTransport:
    """One feed, and perhaps the feed of everything beside it."""

    def __init__(self, source: Source, fetch: Fetch, patience: Patience | None = None) -> None:
        self._source = source
        self._fetch = fetch
        self._patience = patience or Patience()

    def identify(self) -> Identity:
        feed = self._feed(self._download(self._source.base_url, NOTHING))
        return Identity(
            repository_name=feed.title,
            base_url=feed.links.get("self", ""),
            deleted_record="no",
            granularity="YYYY-MM-DDThh:mm:ssZ",
        )

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        """What the items carry is told item by item; there is one format to register for."""
        return (MetadataFormat(prefix="rss", namespace=RSS),)

    def sets(self) -> tuple[OaiSet, ...]:
        return ()

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """The items of the feed in parts. A full run reads the feed of everything; others only if it has changed."""
        full = request.full and bool(self._source.full_url)
        start = self._source.full_url if full else self._source.base_url
        position = read_position(request.resumption_token, start) if request.resumption_token else Position(start)
        if request.identifier:
            yield self._one(request.identifier)
            return
        whole = request.full or request.resumption_token
        page = self._page(position.url, NOTHING if whole else request.memory)
        if page.download.unchanged:
            yield Batch(
                records=(), response_date=page.download.date, memory=page.memory, observations=page.observations()
            )
            return
        if position.fingerprint and position.fingerprint != page.feed.fingerprint:
            position = Position(start)  # the feed has changed meanwhile: items may have moved between its pages
            page = self._page(start, NOTHING)
        yield from self._pages(page, position, exhaustive=full)

    def _pages(self, page: "_Page", position: Position, *, exhaustive: bool) -> Iterator[Batch]:
        seen = {position.url}
        contents: Counter[str] = Counter()
        incomplete = False
        while True:
            contents[page.feed.content] += 1
            if contents[page.feed.content] > (1 if page.feed.size else MOST_EMPTY_PAGES):
                raise TransportError("the same page again", "rss.loop", permanent=True, url=position.url)
            following = page.following(position, seen)
            incomplete = incomplete or page.incomplete
            for batch, offset in _parts(page, position.offset):
                is_end = offset >= page.feed.size
                token = Position(position.url, position.page, offset, page.feed.fingerprint).token()
                token = (following.token() if following else "") if is_end else token
                yield Batch(
                    records=batch,
                    resumption_token=token,
                    response_date=page.download.date or datetime.now(UTC),
                    complete_list_size=page.feed.size if position.page == 0 and not following else None,
                    exhaustive=exhaustive and not token and not incomplete,
                    observations=page.observations(),
                    memory=page.memory if position.page == 0 else NOTHING,
                )
            if following is None:
                return
            seen.add(following.url)
            position = following
            page = self._page(position.url, NOTHING)

    def _one(self, identifier: str) -> Batch:
        page = self._page(self._source.base_url, NOTHING)
        found = [each for each in page.feed.records() if each.identifier == identifier]
        if not found:
            raise TransportError(
                f"no item {identifier}", "rss.no_item", permanent=True, url=page.feed_url, identifier=identifier
            )
        return Batch(records=tuple(found), response_date=page.download.date, observations=page.observations())

    def _page(self, url: str, memory: Mapping[str, str]) -> "_Page":
        """A page that is whole. One that is broken is asked for again; the same damage twice is final."""
        last: TransportError | None = None
        for tried in range(1, self._patience.tries + 1):
            got = self._download(url, memory)
            if got.unchanged:
                return _Page(got, None, url)
            try:
                return _Page(got, self._feed(got), url)
            except TransportError as error:
                again = last is not None and (error.code, error.facts) == (last.code, last.facts)
                if error.code not in DAMAGED or again:
                    error.permanent = error.permanent or error.code in DAMAGED
                    raise
                last = error
            wait = self._patience.wait(last, tried)
            if wait is not None:
                self._patience.sleep(wait)
        raise last or TransportError("never asked", "rss.not_feed", permanent=True, url=url, found="")

    def _download(self, url: str, memory: Mapping[str, str]) -> Download:
        return download(self._fetch, self._patience, url, memory)

    def _feed(self, got: Download) -> Feed:
        return Feed(got.stream, got.url, self._source.encoding, got.charset)


class _Page:
    """A page of a feed with what was found out on the way."""

    def __init__(self, got: Download, feed: Feed | None, url: str) -> None:
        self.download = got
        self.feed_url = url
        self._feed = feed
        self._notices = [*got.observations, *(feed.observations if feed else ())]
        if feed and feed.is_atom:
            self._notices.append(Observation(code="rss.atom", facts={"url": url}))

    @property
    def feed(self) -> Feed:
        if self._feed is None:
            raise TransportError("unchanged", "rss.not_feed", permanent=True, url=self.feed_url, found="304")
        return self._feed

    @property
    def incomplete(self) -> bool:
        return bool(self._feed and self._feed.nameless) or any(each.incomplete for each in self._notices)

    @property
    def memory(self) -> Mapping[str, str]:
        """ETag and date for the next run; hub and topic for a subscription (WebSub, section 4)."""
        links = {**dict(reversed(self.download.links)), **(self._feed.links if self._feed else {})}
        found = {name: links[rel] for name, rel in (("hub", "hub"), ("topic", "self")) if links.get(rel)}
        return {**self.download.memory, **found}

    def observations(self) -> tuple[Observation, ...]:
        """Each told once."""
        told, self._notices = tuple(self._notices), []
        return told

    def _loop(self, reason: str) -> TransportError:
        return TransportError(reason, "rss.loop", permanent=True, url=self.feed_url, reason=reason)

    def following(self, position: Position, seen: set[str]) -> Position | None:
        """The next page that the feed names (RFC 5005, section 3), once each and on the same server only."""
        url = self.feed.links.get("next", "")
        if not url:
            return None
        facts = {"url": self.feed_url, "next": url[:500]}
        if url in seen:
            raise self._loop(f"{url} follows itself")
        if not same_origin(url, self.feed_url):
            self._notices.append(Observation(code="rss.next_elsewhere", facts=facts, incomplete=True))
            return None
        if position.page + 1 >= MOST_PAGES:
            raise self._loop(f"more than {MOST_PAGES} pages")
        return Position(url, position.page + 1)


def _parts(page: _Page, done: int) -> Iterator[tuple[tuple[HarvestedRecord, ...], int]]:
    """(records, how many are done with them); one empty part where there is nothing to give."""
    part: list[HarvestedRecord] = []
    offset = 0
    for record in page.feed.records():
        offset += 1
        if offset <= done:
            continue
        part.append(record)
        if len(part) == BATCH and offset < page.feed.size:
            yield tuple(part), offset
            part = []
    yield tuple(part), page.feed.size
