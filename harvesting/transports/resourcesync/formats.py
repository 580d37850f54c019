"""Finds the metadata formats of a source by its links, else by fetching a few resources, and chooses one of them.

A source may list every record in several formats, each as a resource of its own. If all were stored, every book would
be stored several times. So if no format is requested, the richest one is chosen (NDL guideline 1.2.3: DC-NDL first),
and an observation states the choice.
"""

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from harvesting.transports.resourcesync.discovery import Discovered, Offer, choose_offers
from harvesting.transports.resourcesync.documents import Entry, read_entries
from harvesting.transports.resourcesync.entries import read_item
from harvesting.transports.resourcesync.linking import OTHER_FORMATS, Style, format_of, format_of_profile, format_uris
from harvesting.transports.resourcesync.lists import Item, parts
from harvesting.transports.resourcesync.requests import SourceClient
from harvesting.types import HarvestRequest, MetadataFormat, TransportError
from metadata.formats import BY_NAME, rank_of

MAX_INSPECTED_ENTRIES = 500  # whose links are read
MAX_FETCHED = 3  # resources that are fetched if no link names a format


def offered_formats(client: SourceClient, discovered: Discovered) -> tuple[MetadataFormat, ...]:
    """Return the formats of a source without duplicates.

    prefix: our metadataPrefix for the format, else its profile URI or the name of its root element.
    """
    uris = dict.fromkeys(profile for entry in _entries(client, discovered) for profile in format_uris(entry))
    formats = {_format_of_profile_uri(profile): None for profile in uris}
    if not formats:
        formats = dict.fromkeys(_formats_of_resources(client, discovered))
    return tuple(formats)


def preferred_format(client: SourceClient, discovered: Discovered, request: HarvestRequest) -> str:
    """Return the format to harvest if none is requested; "" if no record seems to be listed in several formats.

    The choice of the last run is kept, so that changes are harvested in the same format; a full harvest chooses anew.
    """
    remembered = request.memory.get("format", "")
    if remembered and not request.full:
        return remembered
    offers = choose_offers(discovered.offers, request.set_spec)
    formats = _formats_of_sets(offers) or _formats_of_entries(client, offers[0])
    if len(formats) < 2:
        return ""
    chosen = min(sorted(formats), key=_richness)
    client.note(
        "rs.formats",
        url=discovered.url,
        formats=", ".join(sorted(sorted(formats), key=_richness)),
        taken=chosen,
    )
    return chosen


def _richness(prefix: str) -> tuple[bool, int]:
    """Return a key by which the richest format sorts first, and those that cannot be read last."""
    return prefix not in BY_NAME, rank_of(prefix)


def _formats_of_sets(offers: tuple[Offer, ...]) -> set[str]:
    """Return the formats named in the URLs of the sets, if every set is for one format; otherwise an empty set."""
    prefixes = [
        next((part for part in offer.spec.split("/") if part in BY_NAME or part in OTHER_FORMATS), "")
        for offer in offers
    ]
    return set(prefixes) if all(prefixes) else set()


def _formats_of_entries(client: SourceClient, offer: Offer) -> set[str]:
    """Return the formats in which one resource has several descriptions, by their links (section 14.5)."""
    formats: dict[str, set[str]] = {}
    for entry in islice(_entries(client, Discovered(url=offer.spec, offers=(offer,))), MAX_INSPECTED_ENTRIES):
        for link in entry.linked("describes"):
            formats.setdefault(link.href, set()).add(format_of(entry))
    return set().union(
        *(described_formats - {""} for described_formats in formats.values() if len(described_formats - {""}) > 1)
    )


def _entries(client: SourceClient, discovered: Discovered) -> Iterator[Entry]:
    """Yield the first entries of the first list of each kind and set; unreadable lists are skipped."""
    for offer in discovered.offers:
        for kind in ("resourcelist", "changelist"):
            for url in offer.lists.get(kind, ())[:1]:
                try:
                    first_part = parts(client, client.document(url))[:1]
                    documents = [client.document(part.url) for part in first_part]
                except TransportError as error:
                    if not error.permanent:
                        raise
                    continue
                for document in documents:
                    yield from islice(read_entries(document.stream, document.url), MAX_INSPECTED_ENTRIES)


def _formats_of_resources(client: SourceClient, discovered: Discovered) -> Iterator[MetadataFormat]:
    entries = [entry for entry in _entries(client, discovered) if entry.loc and not entry.deleted]
    fetched = 0
    for entry in entries:
        if fetched >= MAX_FETCHED:
            return
        read = read_item(client, Item(entry=entry), Style.LINKED, "")
        fetched += bool(read.record or read.skipped == "page")
        if read.record is not None and read.record.root is not None:
            yield _format_of_root(read.record.root)


def _format_of_root(root: etree._Element) -> MetadataFormat:
    """Return the format of a root element; for rdf:RDF, which tells nothing, that of its first child."""
    name = etree.QName(root)
    inner = etree.QName(root[0]) if name.localname == "RDF" and len(root) else name
    namespace = inner.namespace or ""
    return MetadataFormat(prefix=format_of_profile(namespace) or name.localname, namespace=namespace)


def _format_of_profile_uri(profile: str) -> MetadataFormat:
    return MetadataFormat(prefix=format_of_profile(profile) or profile, namespace=profile)
