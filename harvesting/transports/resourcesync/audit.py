"""What a source says it has, now or at a moment in the past, from its lists alone (ResourceSync 1.1, section 5.2).

For comparing coverage and accuracy without fetching a single resource: the sha256 that a list names is that of the
payload as it is stored. The past is told by the Archives documents.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from harvesting.transports.resourcesync.changes import archive_parts
from harvesting.transports.resourcesync.discovery import Offer
from harvesting.transports.resourcesync.documents import Entry, datestamp_of, moment
from harvesting.transports.resourcesync.fixity import listed_hashes
from harvesting.transports.resourcesync.lists import Opening, change_units, modified_since, resource_units
from harvesting.transports.resourcesync.requests import Asking
from harvesting.types import TransportError


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One resource as a list describes it. Of several with one identifier the last counts. sha256: b"" if not said."""

    identifier: str
    datestamp: str = ""
    deleted: bool = False
    sha256: bytes = b""
    length: str = ""
    type: str = ""


def listed(asking: Asking, offers: Iterable[Offer], until: datetime | None = None) -> Iterator[Listed]:
    """The newest list that is not newer than `until`, and the changes from then on. TransportError "rs.no_list"."""
    for offer in offers:
        url, at = _list_at(asking, offer, until)
        yield from _entries(resource_units(asking, url, modified_since(None)))
        for changes in offer.lists.get("changelist", ()):
            yield from _entries(change_units(asking, changes, at, until))


def _entries(openings: Iterator[Opening]) -> Iterator[Listed]:
    for unit in (opening() for opening in openings):
        for number, entry in enumerate(unit.entries() if unit else ()):
            if unit and entry.loc and unit.wanted(number, entry):
                yield _listed(entry)


def _list_at(asking: Asking, offer: Offer, until: datetime | None) -> tuple[str, datetime | None]:
    """The list to begin with, and its moment."""
    dated = [
        (part.at, part.url)
        for archive in offer.lists.get("resourcelist-archive", ())
        for part in archive_parts(asking, archive)
        if part.at
    ]
    for url in offer.lists.get("resourcelist", ()):
        at = moment(asking.document(url).head.attributes.get("at", ""))
        if until is None or at is None:
            return url, at
        dated.append((at, url))
    fitting = [each for each in dated if until is None or each[0] <= until]
    if not fitting:
        raise TransportError(f"{offer.spec} has no list of that time", "rs.no_list", permanent=True, url=offer.spec)
    at, url = max(fitting)
    return url, at


def _listed(entry: Entry) -> Listed:
    hashes = dict(listed_hashes(entry.attributes.get("hash", "")))
    return Listed(
        identifier=entry.loc,
        datestamp=datestamp_of(entry),
        deleted=entry.deleted,
        sha256=hashes.get("sha256", b""),
        length=entry.attributes.get("length", ""),
        type=entry.type,
    )
