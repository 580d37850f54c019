"""Asking for one file or feed over HTTP: with patience, only if it changed, within its size. Knows no format."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import IO, Protocol
from urllib.parse import urlsplit

from harvesting.http.fetch import Fetched
from harvesting.transports.documents.feed_items import complete
from harvesting.transports.patience import Patience
from harvesting.types import NOTHING, Observation, TransportError

# What a feed remembers of the answer for the next run (RFC 9110, sections 8.8 and 13.1).
_VALIDATORS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_LINK = re.compile(r"<([^<>]*)>\s*((?:;\s*[\w*-]+\s*=\s*(?:\"[^\"]*\"|[^\s;,]+)\s*)*)")
_REL = re.compile(r"rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))", re.IGNORECASE)


class Fetch(Protocol):
    """`Fetcher.fetch`."""

    def __call__(
        self,
        url: str,
        parameters: Mapping[str, str] = NOTHING,
        *,
        headers: Mapping[str, str] = NOTHING,
        max_bytes: int | None = None,
        spool: bool = False,
    ) -> Fetched: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file that was asked for. unchanged: it is as the last run saw it, and the stream is empty."""

    url: str
    stream: IO[bytes]
    unchanged: bool = False
    date: datetime | None = None
    charset: str = ""
    links: tuple[tuple[str, str], ...] = ()  # (rel, URL) of the Link header
    memory: Mapping[str, str] = NOTHING
    observations: tuple[Observation, ...] = ()


def download(
    fetch: Fetch, patience: Patience, url: str, memory: Mapping[str, str] = NOTHING, max_bytes: int | None = None
) -> Download:
    """GET the URL, asked again while that may help. memory: of the last run, () to have it in any case."""
    headers = {}
    if memory.get("url") == url:
        headers = {header: memory[name] for name, header in _VALIDATORS.items() if memory.get(name)}
    tried = 0
    while True:
        try:
            return _downloaded(fetch(url, headers=headers, max_bytes=max_bytes, spool=True), url, memory)
        except TransportError as error:
            tried += 1
            error.facts.setdefault("url", url)
            wait = patience.wait(error, tried)
            if wait is None:
                raise
        patience.sleep(wait)


def _downloaded(fetched: Fetched, url: str, memory: Mapping[str, str]) -> Download:
    unchanged = fetched.status == 304
    if not unchanged:
        fetched = fetched.checked()
    found = {name: fetched.headers.get(name, "") for name in _VALIDATORS}
    return Download(
        url=fetched.final_url,
        stream=BytesIO(fetched.body) if fetched.body else fetched.stream,
        unchanged=unchanged,
        date=_moment(fetched.headers.get("date", "")),
        charset=fetched.charset,
        links=header_links(fetched.headers.get("link", ""), fetched.final_url),
        memory=dict(memory) if unchanged else {"url": url, **found},
        observations=fetched.observations,
    )


def header_links(value: str, base: str) -> tuple[tuple[str, str], ...]:
    """(rel, absolute URL) of each link in a Link header (RFC 8288); several rels of one are told apart."""
    found = ((_REL.search(parameters), target) for target, parameters in _LINK.findall(value[:8192]))
    return tuple(
        (rel, url)
        for match, target in found
        if match and (url := complete(target, base))
        for rel in (match[1] or match[2] or "").lower().split()
    )


def same_origin(one: str, other: str) -> bool:
    """Whether credentials for one URL may be sent to the other."""
    return urlsplit(one)[:2] == urlsplit(other)[:2]


def _moment(value: str) -> datetime | None:
    """The server's clock in UTC."""
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, IndexError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
