"""Lists the resources of a source, now or at a past time, from its lists alone (ResourceSync 1.1, section 5.2).

This serves to compare coverage and accuracy without fetching a single resource: the sha256 in a list is that of the
stored payload. Past states are read from the Archives documents.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from harvesting.transports.resourcesync.changes import archive_parts
from harvesting.transports.resourcesync.discovery import Offer
from harvesting.transports.resourcesync.documents import Entry, datestamp_of, parse_datetime
from harvesting.transports.resourcesync.fixity import listed_hashes
from harvesting.transports.resourcesync.lists import UnitOpener, change_units, modified_since, resource_units
from harvesting.transports.resourcesync.requests import SourceClient
from harvesting.types import TransportError


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedResource:
    """One resource as described in a list. Of several with one identifier the last counts. sha256: b"" if not given."""

    identifier: str
    datestamp: str = ""
    deleted: bool = False
    sha256: bytes = b""
    length: str = ""
    type: str = ""


def list_resources(
    client: SourceClient, offers: Iterable[Offer], until: datetime | None = None
) -> Iterator[ListedResource]:
    """Yield the resources of the newest list not newer than `until` and of the changes since.

    TransportError "rs.no_list" if there is no such list.
    """
    for offer in offers:
        url, at = _list_at(client, offer, until)
        yield from _wanted_entries(resource_units(client, url, modified_since(None)))
        for changes in offer.lists.get("changelist", ()):
            yield from _wanted_entries(change_units(client, changes, at, until))


def _wanted_entries(openers: Iterator[UnitOpener]) -> Iterator[ListedResource]:
    for unit in (opener() for opener in openers):
        for number, entry in enumerate(unit.entries() if unit else ()):
            if unit and entry.loc and unit.wanted(number, entry):
                yield _to_listed_resource(entry)


def _list_at(client: SourceClient, offer: Offer, until: datetime | None) -> tuple[str, datetime | None]:
    """Return the URL and the time of the newest list not newer than `until`."""
    dated = [
        (part.at, part.url)
        for archive in offer.lists.get("resourcelist-archive", ())
        for part in archive_parts(client, archive)
        if part.at
    ]
    for url in offer.lists.get("resourcelist", ()):
        at = parse_datetime(client.document(url).head.attributes.get("at", ""))
        if until is None or at is None:
            return url, at
        dated.append((at, url))
    candidates = [dated_list for dated_list in dated if until is None or dated_list[0] <= until]
    if not candidates:
        raise TransportError(f"{offer.spec} has no list of that time", "rs.no_list", permanent=True, url=offer.spec)
    at, url = max(candidates)
    return url, at


def _to_listed_resource(entry: Entry) -> ListedResource:
    hashes = dict(listed_hashes(entry.attributes.get("hash", "")))
    return ListedResource(
        identifier=entry.loc,
        datestamp=datestamp_of(entry),
        deleted=entry.deleted,
        sha256=hashes.get("sha256", b""),
        length=entry.attributes.get("length", ""),
        type=entry.type,
    )
