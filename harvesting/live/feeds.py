"""Reads answers in RSS and Atom, as OpenSearch sources give them. Pure."""

from collections.abc import Iterator

from lxml import etree

from harvesting.live.documents import local, parsed
from harvesting.live.types import MAX_HITS, Found, LiveError, LiveSource, RawHit, total_of
from harvesting.transports.documents.feed_items import TAGS, absolute_link, read_item
from harvesting.types import Observation
from metadata.links import safe_href

_ROOTS = ("rss", "RDF", "feed")


def find(source: LiveSource, body: bytes, content_type: str) -> Found:
    """Return the items of an answer; relative links refer to the address of the source. Raises LiveError: no feed."""
    root = parsed(body)
    if local(root) not in _ROOTS:
        raise LiveError("live.not_feed", f"<{local(root)}>")
    items = list(root.iter(*TAGS))
    stated = next((element.text or "" for element in root.iter("{*}totalResults")), "")
    total, observations = total_of(stated, len(items))
    hits = tuple(_hit(item, source.address) for item in items[:MAX_HITS])
    return Found(hits=hits, total=total, observations=(*_too_many(items), *observations))


def _hit(item: etree._Element, base: str) -> RawHit:
    read = read_item(item, base)
    link = safe_href(absolute_link(read.identifier, base))
    return RawHit(link=link, payload=read.payload, issues=read.issues)


def _too_many(items: list[etree._Element]) -> Iterator[Observation]:
    if len(items) > MAX_HITS:
        yield Observation(code="live.too_many", facts={"count": len(items)})
