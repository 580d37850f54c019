"""Which metadata formats a source has: as its links say, else as a few of its resources are."""

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from harvesting.transports.base import MetadataFormat, TransportError
from harvesting.transports.resourcesync_asking import Asking
from harvesting.transports.resourcesync_discovery import Discovered
from harvesting.transports.resourcesync_documents import Entry, read_entries
from harvesting.transports.resourcesync_linking import Style, format_of_profile, profiles
from harvesting.transports.resourcesync_lists import Item, parts
from harvesting.transports.resourcesync_reading import read_item

LOOKED_AT = 500  # entries whose links are read
FETCHED = 3  # resources that are fetched where no link tells


def offered_formats(asking: Asking, found: Discovered) -> tuple[MetadataFormat, ...]:
    """Each format once. prefix: the metadataPrefix that it is known by here, else the name of its root element."""
    said = dict.fromkeys(profile for entry in _entries(asking, found) for profile in profiles(entry))
    formats = {_format(profile): None for profile in said}
    if not formats:
        formats = dict.fromkeys(_looked_up(asking, found))
    return tuple(formats)


def _entries(asking: Asking, found: Discovered) -> Iterator[Entry]:
    """The first entries of the first list of each set that can be read."""
    for offer in found.offers:
        for kind in ("resourcelist", "changelist"):
            for url in offer.lists.get(kind, ())[:1]:
                try:
                    members = parts(asking, asking.document(url))[:1]
                    documents = [asking.document(each.url) for each in members]
                except TransportError as error:
                    if not error.permanent:
                        raise
                    continue
                for document in documents:
                    yield from islice(read_entries(document.stream, document.url), LOOKED_AT)


def _looked_up(asking: Asking, found: Discovered) -> Iterator[MetadataFormat]:
    entries = [entry for entry in _entries(asking, found) if entry.loc and not entry.deleted]
    fetched = 0
    for entry in entries:
        if fetched >= FETCHED:
            return
        read = read_item(asking, Item(entry=entry), Style.LINKED, "")
        fetched += bool(read.record or read.skipped == "page")
        if read.record is not None and read.record.root is not None:
            yield _of_root(read.record.root)


def _of_root(root: etree._Element) -> MetadataFormat:
    """RDF says nothing: what lies in it does."""
    name = etree.QName(root)
    inner = etree.QName(root[0]) if name.localname == "RDF" and len(root) else name
    namespace = inner.namespace or ""
    return MetadataFormat(prefix=format_of_profile(namespace) or name.localname, namespace=namespace)


def _format(profile: str) -> MetadataFormat:
    return MetadataFormat(prefix=format_of_profile(profile) or profile, namespace=profile)
