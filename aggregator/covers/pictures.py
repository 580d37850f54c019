"""Pictures of books at other addresses: fetched in the background through the guarded fetch, made small, and cached.

Nothing here waits for another machine: until a picture has come, and where none comes, a cover is drawn.
"""

import logging
from collections.abc import Sequence
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


@dataclass(frozen=True, slots=True)
class Found:
    """jpeg: the picture, b"" if there is none now."""

    state: State
    jpeg: bytes = b""


def look_up(addresses: Sequence[str]) -> Found:
    """Return the picture at the first of these addresses that has a usable one, as far as it has been fetched."""
    if not addresses:
        return Found(State.NONE)
    key = _key(addresses)
    cached: bytes | None = caches[CACHE].get(key)
    if cached is None:
        caches[CACHE].set(key, _ASKING, ASKING_SECONDS)
        POOL.submit(urlsplit(addresses[0]).netloc, partial(fetch_into_cache, tuple(addresses)))
        cached = caches[CACHE].get(key)
    if cached in (None, _ASKING):
        return Found(State.COMING)
    return Found(State.NONE) if cached == _NONE else Found(State.THERE, bytes(cached or b""))


def fetch_into_cache(addresses: Sequence[str]) -> None:
    """Fetch the first usable picture; cache it, or that there is none."""
    with Fetcher(_policy()) as fetcher:
        for address in addresses:
            try:
                jpeg = _fetch(fetcher, address)
            except (TransportError, UnusablePicture) as error:
                logger.info("no picture at %s: %s", address, error)
            else:
                caches[CACHE].set(_key(addresses), jpeg, PICTURE_SECONDS)
                return
    caches[CACHE].set(_key(addresses), _NONE, NOTHING_SECONDS)


def _fetch(fetcher: Fetcher, address: str) -> bytes:
    """Return the picture at an address, or the first one of a IIIF manifest there."""
    body = fetcher.fetch(address, headers={"Accept": ACCEPT}).checked().body
    if body.lstrip()[:1] == b"{":
        inside = picture_in_manifest(body)
        if not inside:
            raise UnusablePicture("the manifest names no picture")
        body = fetcher.fetch(inside, headers={"Accept": ACCEPT}).checked().body
    return shrink(body)


def _key(addresses: Sequence[str]) -> str:
    return blake2b(
        "\n".join((str(MAX_PIXELS), *addresses)).encode("utf-8", "surrogatepass"), digest_size=16
    ).hexdigest()


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
