"""The manifests and images of books, fetched in the background and cached like covers (`aggregator.covers.pictures`).

Readers only ever talk to this site. Per book, at most `manifest.MOST_IMAGES` images in the few widths of WIDTHS can be
asked for, each once until it leaves the cache.
"""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import msgspec

from aggregator.covers.choice import is_open
from aggregator.covers.pictures import ACCEPT, Found, State, cached_or_asked
from aggregator.covers.shrinking import UnusablePicture, shrink
from aggregator.viewer.manifest import Image, Manifest, address_in_size, read_manifest
from harvesting.http.fetch import Fetcher
from harvesting.types import TransportError

SMALL = 240  # pixels of width on the page with all images
LEVELS = (900, 1800, 3600)  # pixels of width, by level of magnification
WIDTHS = (SMALL, *LEVELS)
_TALLEST = 3  # the height of an image is at most so many times its width
_encoder, _decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Manifest)


def find_manifest(address: str, may_ask: Callable[[], bool]) -> tuple[State, Manifest]:
    """Return the manifest at an address; its state says whether it has been fetched yet."""
    found = cached_or_asked(f"manifest {address}", address, partial(_fetch_manifest, address), may_ask)
    return found.state, _decoder.decode(found.data) if found.data else Manifest()


def find_image(image: Image, width: int, may_ask: Callable[[], bool]) -> Found:
    """Return an image as JPEG in a width of WIDTHS, as far as it has been fetched."""
    source = image.service or image.address
    return cached_or_asked(f"image {width} {source}", source, partial(_fetch_image, image, width), may_ask)


def may_be_shown(manifest: Manifest) -> bool:
    """Whether the manifest says nothing of rights, or states a licence that allows copies. The record, which led to the
    manifest, has such a licence (`covers.choice.open_manifest_of`).
    """
    return not manifest.rights or is_open(manifest.rights)


def levels(image: Image) -> range:
    """Return the levels of magnification, from 1, that are worth offering: up to the first with the full width."""
    wider = [level for level, width in enumerate(LEVELS[:-1], 2) if not image.width or image.width > width]
    return range(1, 2 + len(wider))


def _fetch_manifest(address: str, fetcher: Fetcher) -> bytes:
    manifest = read_manifest(fetcher.fetch(address, headers={"Accept": ACCEPT}).checked().body)
    if manifest is None:
        raise UnusablePicture("the manifest lists no image")
    return _encoder.encode(manifest)


def _fetch_image(image: Image, width: int, fetcher: Fetcher) -> bytes:
    address = address_in_size(image, _info(image, fetcher), width)
    body = fetcher.fetch(address, headers={"Accept": ACCEPT}).checked().body
    return shrink(body, (width, _TALLEST * width))


def _info(image: Image, fetcher: Fetcher) -> bytes:
    """Return what the image service says of an image; b"" if there is no service, or it says nothing."""
    if not image.service or not urlsplit(image.service).netloc:
        return b""
    try:
        return fetcher.fetch(f"{image.service}/info.json", headers={"Accept": ACCEPT}).checked().body
    except TransportError:
        return b""
