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
from harvesting.transports.resourcesync.lists import Unit, UnitOpener, change_units, modified_since, resource_units
from harvesting.transports.resourcesync.requests import SourceClient
from harvesting.transports.sampling import EvenSample
from harvesting.types import TransportError

SAMPLED_LISTS = 10  # read for a sample


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


def spread_entries(client: SourceClient, urls: Iterable[str], size: int) -> tuple[list[Entry], bool]:
    """Return entries of Resource Lists, spread over them, and whether these are all that are listed.

    The order is such that any beginning is spread over the lists too. Of many lists only SAMPLED_LISTS are read.
    """
    indexes, lists = EvenSample[str](SAMPLED_LISTS), EvenSample[UnitOpener](SAMPLED_LISTS)
    for url in urls:
        indexes.add(url)
    for url in indexes.chosen():
        for opener in resource_units(client, url, modified_since(None)):
            lists.add(opener)
    sample = EvenSample[Entry](size)
    for entry in _entries(_readable_units(client, lists.chosen())):
        sample.add(entry)
    chosen, is_all = sample.chosen(), max(indexes.seen, lists.seen) <= SAMPLED_LISTS and sample.seen <= size
    return [entry for start in (0, 2, 1, 3) for entry in chosen[start::4]], is_all


def _readable_units(client: SourceClient, openers: Iterable[UnitOpener]) -> Iterator[Unit | None]:
    """Open lists; one that is missing or broken is noted, so that the others are read all the same."""
    for opener in openers:
        try:
            yield opener()
        except TransportError as error:
            if not error.permanent:
                raise
            client.note("rs.list_missing", incomplete=True, url=str(error.facts.get("url", "")), reason=error.code)


def _wanted_entries(openers: Iterator[UnitOpener]) -> Iterator[ListedResource]:
    yield from map(_to_listed_resource, _entries(opener() for opener in openers))


def _entries(units: Iterable[Unit | None]) -> Iterator[Entry]:
    for unit in units:
        for number, entry in enumerate(unit.entries() if unit else ()):
            if unit and entry.loc and unit.wanted(number, entry):
                yield entry


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
