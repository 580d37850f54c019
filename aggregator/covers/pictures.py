"""Pictures of books at other addresses: fetched in the background through the guarded fetch, made small, and cached.

Nothing here waits for another machine: until a picture has come, and where none comes, a cover is drawn.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import blake2b
from urllib.parse import urlsplit

from django.core.cache import caches
from django.db import connections

from aggregator.covers.iiif import picture_in_manifest
from aggregator.covers.shrinking import MAX_PIXELS, UnusablePicture, shrink
from core.work.pool import Pool
from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.registry.transport import reader_policy
from harvesting.types import TransportError

logger = logging.getLogger(__name__)
CACHE = "pictures"  # in settings.CACHES
THREADS, MOST_WAITING = 4, 200  # of this process
MAX_BYTES = 5 * 1024 * 1024
DEADLINE, CONNECT_TIMEOUT, READ_TIMEOUT = 15.0, 3.0, 8.0  # seconds
TURN_WAIT, PAUSE = 10.0, 0.2  # seconds to wait for other requests to a host, and between them
PICTURE_SECONDS = 90 * 86400  # how long a picture is cached
NOTHING_SECONDS = 86400  # after which an address without a usable picture is tried again
ASKING_SECONDS = 60  # after which a picture that did not come is asked for again
ACCEPT = "image/webp, image/jpeg, image/png, image/gif, application/json;q=0.8, application/ld+json;q=0.8"
POOL = Pool(THREADS, MOST_WAITING, leave=connections.close_all)
_NONE = b"-"  # cached: no address has a usable picture
_ASKING = b"?"  # cached: the picture is being fetched


class State(StrEnum):
    THERE = "there"
    COMING = "coming"
    NONE = "none"
    REFUSED = "refused"  # not cached, and may not be fetched now


@dataclass(frozen=True, slots=True)
class Found:
    """data: the picture (JPEG), or whatever else was to be fetched; b"" if it is not there or not usable."""

    state: State
    data: bytes = b""


def look_up(addresses: Sequence[str], may_ask: Callable[[], bool]) -> Found:
    """Return the picture at the first of these addresses that has a usable one, as far as it has been fetched.

    may_ask: see `cached_or_asked`.
    """
    if not addresses:
        return Found(State.NONE)
    return cached_or_asked(_name(addresses), addresses[0], partial(_first_usable, tuple(addresses)), may_ask)


def cached_or_asked(name: str, address: str, fetch: Callable[[Fetcher], bytes], may_ask: Callable[[], bool]) -> Found:
    """Return what is cached under a name. If nothing is, have it fetched in the background.

    address: what is asked, so that one host gets one request at a time.
    fetch: returns what is to be cached; raises UnusablePicture or TransportError if there is nothing usable.
    may_ask: called if something has to be fetched; False forbids it.
    """
    key = _key(name)
    cached: bytes | None = caches[CACHE].get(key)
    if cached is None and not may_ask():
        return Found(State.REFUSED)
    if cached is None:
        caches[CACHE].set(key, _ASKING, ASKING_SECONDS)
        POOL.submit(urlsplit(address).netloc, partial(_fetch_into_cache, key, address, fetch))
        cached = caches[CACHE].get(key)
    if cached in (None, _ASKING):
        return Found(State.COMING)
    return Found(State.NONE) if cached == _NONE else Found(State.THERE, bytes(cached or b""))


def _fetch_into_cache(key: str, address: str, fetch: Callable[[Fetcher], bytes]) -> None:
    """Fetch a picture or document and cache it; if it is not usable, cache that."""
    try:
        with Fetcher(_policy()) as fetcher:
            caches[CACHE].set(key, fetch(fetcher), PICTURE_SECONDS)
    except (TransportError, UnusablePicture) as error:
        logger.info("no picture at %s: %s", address, error)
        caches[CACHE].set(key, _NONE, NOTHING_SECONDS)


def _first_usable(addresses: Sequence[str], fetcher: Fetcher) -> bytes:
    """Return the picture at the first address that has one; otherwise raises the error of the last one."""
    *others, last = addresses
    for address in others:
        try:
            return _fetch(fetcher, address)
        except (TransportError, UnusablePicture) as error:
            logger.info("no picture at %s: %s", address, error)
    return _fetch(fetcher, last)


def _fetch(fetcher: Fetcher, address: str) -> bytes:
    """Return the picture at an address, or the first one of a IIIF manifest there."""
    body = fetcher.fetch(address, headers={"Accept": ACCEPT}).checked().body
    if body.lstrip()[:1] == b"{":
        inside = picture_in_manifest(body)
        if not inside:
            raise UnusablePicture("the manifest names no picture")
        body = fetcher.fetch(inside, headers={"Accept": ACCEPT}).checked().body
    return shrink(body)


def _name(addresses: Sequence[str]) -> str:
    return "\n".join((str(MAX_PIXELS), *addresses))


def _key(name: str) -> str:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _policy() -> FetchPolicy:
    return reader_policy(
        "pictures",
        TURN_WAIT,
        min_pause=PAUSE,
        deadline=DEADLINE,
        connect_timeout=CONNECT_TIMEOUT,
        read_timeout=READ_TIMEOUT,
        max_bytes=MAX_BYTES,
    )
