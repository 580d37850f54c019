"""Downloads one file or feed over HTTP, with retries, conditional requests and a size limit."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import IO, Protocol
from urllib.parse import urlsplit

from harvesting.http.fetch import Fetched, Spool
from harvesting.transports.documents.feed_items import absolute_link
from harvesting.transports.retries import RetryPolicy
from harvesting.types import EMPTY_MAPPING, Observation, TransportError

# Validators of a response that are stored for the next run: header -> header of the conditional request (RFC 9110,
# sections 8.8 and 13.1).
_VALIDATORS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_LINK = re.compile(r"<([^<>]*)>\s*((?:;\s*[\w*-]+\s*=\s*(?:\"[^\"]*\"|[^\s;,]+)\s*)*)")
_REL = re.compile(r"rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))", re.IGNORECASE)


class Fetch(Protocol):
    """The type of `Fetcher.fetch`."""

    def __call__(
        self,
        url: str,
        parameters: Mapping[str, str] = EMPTY_MAPPING,
        *,
        headers: Mapping[str, str] = EMPTY_MAPPING,
        max_bytes: int | None = None,
        spool: Spool = False,
    ) -> Fetched: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A downloaded file. unchanged: it has not changed since the last run, and the stream is empty."""

    url: str
    stream: IO[bytes]
    unchanged: bool = False
    date: datetime | None = None
    charset: str = ""
    links: tuple[tuple[str, str], ...] = ()  # (rel, URL) of the Link header
    memory: Mapping[str, str] = EMPTY_MAPPING
    observations: tuple[Observation, ...] = ()


def download(
    fetch: Fetch,
    retry_policy: RetryPolicy,
    url: str,
    memory: Mapping[str, str] = EMPTY_MAPPING,
    max_bytes: int | None = None,
    cut: bool = False,
) -> Download:
    """GET the URL, with retries.

    memory: of the last run; with an empty one the file is downloaded even if it has not changed. cut: of a
    larger file, the beginning is downloaded.
    """
    headers = {}
    if memory.get("url") == url:
        headers = {header: memory[name] for name, header in _VALIDATORS.items() if memory.get(name)}
    attempts = 0
    while True:
        try:
            return _to_download(
                fetch(url, headers=headers, max_bytes=max_bytes, spool="beginning" if cut else True), url, memory
            )
        except TransportError as error:
            attempts += 1
            error.facts.setdefault("url", url)
            wait = retry_policy.wait(error, attempts)
            if wait is None:
                raise
        retry_policy.sleep(wait)


def _to_download(fetched: Fetched, url: str, memory: Mapping[str, str]) -> Download:
    unchanged = fetched.status == 304
    if not unchanged:
        fetched = fetched.checked()
    validators = {name: fetched.headers.get(name, "") for name in _VALIDATORS}
    return Download(
        url=fetched.final_url,
        stream=BytesIO(fetched.body) if fetched.body else fetched.stream,
        unchanged=unchanged,
        date=_http_date(fetched.headers.get("date", "")),
        charset=fetched.charset,
        links=header_links(fetched.headers.get("link", ""), fetched.final_url),
        memory=dict(memory) if unchanged else {"url": url, **validators},
        observations=fetched.observations,
    )


def header_links(value: str, base: str) -> tuple[tuple[str, str], ...]:
    """Return the (rel, absolute URL) pairs of a Link header (RFC 8288), one for each rel of a link."""
    links = ((_REL.search(parameters), target) for target, parameters in _LINK.findall(value[:8192]))
    return tuple(
        (rel, url)
        for match, target in links
        if match and (url := absolute_link(target, base))
        for rel in (match[1] or match[2] or "").lower().split()
    )


def same_origin(one: str, other: str) -> bool:
    """Whether both URLs have the same scheme and host, so that credentials for one may be sent to the other."""
    return urlsplit(one)[:2] == urlsplit(other)[:2]


def _http_date(value: str) -> datetime | None:
    """Return the date of an HTTP header in UTC, None if it is unusable."""
    try:
        moment = parsedate_to_datetime(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, IndexError, OverflowError):
        return None
