"""Which metadata formats a source has: as its links say, else as a few of its resources are. And which one to take.

A source may list every record in several formats, each a resource of its own. Stored all, each book would be there
several times; so where nobody has named a format, the richest one is taken (`BEST`) and the choice is told.
"""

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from harvesting.transports.resourcesync.discovery import Discovered, Offer, chosen
from harvesting.transports.resourcesync.documents import Entry, read_entries
from harvesting.transports.resourcesync.entries import read_item
from harvesting.transports.resourcesync.linking import Style, format_of, format_of_profile, profiles
from harvesting.transports.resourcesync.lists import Item, parts
from harvesting.transports.resourcesync.requests import Asking
from harvesting.types import HarvestRequest, MetadataFormat, TransportError

LOOKED_AT = 500  # entries whose links are read
FETCHED = 3  # resources that are fetched where no link tells
# metadataPrefixes from the richest description to the poorest (guideline 1.2.3: DC-NDL first).
BEST = (
    *("dcndl", "dcndl_v3", "dcndl_simple", "jpcoar_2.1", "jpcoar_2.0", "jpcoar", "jpcoar_1.0", "junii2"),
    *("marcxml", "mods", "oai_dc", "dc", "lido", "datacite", "mets"),
)


def offered_formats(asking: Asking, found: Discovered) -> tuple[MetadataFormat, ...]:
    """Each format once. prefix: the metadataPrefix that it is known by here, else the name of its root element."""
    said = dict.fromkeys(profile for entry in _entries(asking, found) for profile in profiles(entry))
    formats = {_format(profile): None for profile in said}
    if not formats:
        formats = dict.fromkeys(_looked_up(asking, found))
    return tuple(formats)


def preferred(asking: Asking, found: Discovered, request: HarvestRequest) -> str:
    """The format to take where none is asked for; "" where no record seems to be listed in several.

    As the last run chose, so that changes go on in its format; a run that wants everything looks again.
    """
    known = request.memory.get("format", "")
    if known and not request.full:
        return known
    offers = chosen(found.offers, request.set_spec)
    formats = _of_sets(offers) or _of_entries(asking, offers[0])
    if len(formats) < 2:
        return ""
    best = min(formats, key=BEST.index)
    asking.note("rs.formats", url=found.url, formats=", ".join(sorted(formats, key=BEST.index)), taken=best)
    return best


def _of_sets(offers: tuple[Offer, ...]) -> set[str]:
    """The formats that the addresses of the sets name, if each set is that of a format."""
    named = [next((part for part in offer.spec.split("/") if part in BEST), "") for offer in offers]
    return set(named) if all(named) else set()


def _of_entries(asking: Asking, offer: Offer) -> set[str]:
    """The formats of several descriptions of one and the same resource, as their links say (section 14.5)."""
    formats: dict[str, set[str]] = {}
    for entry in islice(_entries(asking, Discovered(url=offer.spec, offers=(offer,))), LOOKED_AT):
        for link in entry.linked("describes"):
            formats.setdefault(link.href, set()).add(format_of(entry))
    return set().union(*(each - {""} for each in formats.values() if len(each - {""}) > 1))


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
