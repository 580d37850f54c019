"""Reads lists and their indexes as units of entries, and decides which entries count. Never fetches resources."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from harvesting.transports.resourcesync.documents import Entry, last_modified, parse_datetime, read_entries
from harvesting.transports.resourcesync.requests import LIST_MISSING, Document, SourceClient
from harvesting.types import TransportError


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry. read: for an entry of a package, a function from a path in the package to the bytes."""

    entry: Entry
    read: Callable[[str], bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A list, or a package of a dump.

    entries: starts reading it. wanted: whether the entry with this number counts. read: as in `Item`.
    """

    url: str
    entries: Callable[[], Iterator[Entry]]
    wanted: Callable[[int, Entry], bool] = lambda number, entry: True
    read: Callable[[str], bytes] | None = None


# Fetches a unit. Returns None if there is nothing in it to read.
type UnitOpener = Callable[[], Unit | None]


class Trail:
    """A hash of the entries of a unit that have been read. If it is the same in the next run, the unit can be resumed.

    The dates of the list are no substitute: some sources change them with every request.
    """

    def __init__(self, url: str) -> None:
        self._digest = hashlib.sha256(url.encode())

    def add(self, entry: Entry) -> None:
        self._digest.update(b"\n" + entry.loc.encode())

    def __str__(self) -> str:
        return self._digest.hexdigest()[:24]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A document of a list: the list itself, or one that its index names.

    at: when it was complete. from_, until: the time of the changes in it. None if not stated.
    """

    url: str
    at: datetime | None = None
    from_: datetime | None = None
    until: datetime | None = None


def parts(client: SourceClient, document: Document) -> tuple[Part, ...]:
    """Return the lists of an index in order, without duplicates; a list that is no index is its only part.

    Lists on hosts that are not the source's are among them; requesting one fails (`SourceClient.document`).
    """
    if not document.head.is_index:
        return (make_part(document.url, Entry(loc=document.url, attributes=document.head.attributes)),)
    found_parts: dict[str, Part] = {}
    for entry in read_entries(document.stream, document.url):
        if not entry.loc:
            client.note(LIST_MISSING, incomplete=True, url=document.url, reason="rs.bad_entry")
        elif entry.loc in found_parts or entry.loc == document.url:
            client.note("rs.loop", url=entry.loc)
        else:
            found_parts[entry.loc] = make_part(entry.loc, entry)
    return tuple(found_parts.values())


def part_document(client: SourceClient, url: str, kind: str) -> Document:
    """Return a list that an index names.

    TransportError if it is missing, broken or no list; its fact "url" is the address of the list.
    """
    try:
        document = client.document(url)
    except TransportError as error:
        error.facts["url"] = url
        raise
    if document.head.is_index:
        raise TransportError(f"{url} is an index in an index", "rs.nested_index", permanent=True, url=url)
    if document.capability in {"description", "capabilitylist"}:
        found = f"capability “{document.capability}”"
        raise TransportError(f"{url} is no list", "rs.not_resourcesync", permanent=True, url=url, found=found)
    if document.capability != kind:
        client.note("rs.wrong_capability", url=url, capability=document.capability[:60], expected=kind)
    return document


def resource_units(client: SourceClient, url: str, wanted: Callable[[Entry], bool]) -> Iterator[UnitOpener]:
    """Yield the lists of a Resource List (Index); they are fetched when they are opened, as in `open_resource_list`."""
    for part in parts(client, client.document(url)):
        yield partial(open_resource_list, client, part.url, wanted)


def change_units(
    client: SourceClient, url: str, since: datetime | None, until: datetime | None
) -> Iterator[UnitOpener]:
    """Yield the lists of a Change List (Index); opening one returns None if it has no changes in the window.

    Opening raises TransportError for a list that cannot be read, because its changes would be lost.
    """
    for part in parts(client, client.document(url)):
        yield partial(_open_change_list, client, part, since, until)


def open_resource_list(client: SourceClient, url: str, wanted: Callable[[Entry], bool]) -> Unit:
    """Fetch a Resource List that is no index. TransportError as in `part_document`."""
    return _unit(part_document(client, url, "resourcelist"), lambda _, entry: wanted(entry))


def _open_change_list(client: SourceClient, part: Part, since: datetime | None, until: datetime | None) -> Unit | None:
    if (since and part.until and part.until < since) or (until and part.from_ and part.from_ > until):
        return None
    document = client.document(part.url)
    if document.head.is_index:
        raise TransportError(f"{part.url} is an index in an index", "rs.nested_index", permanent=True, url=part.url)
    latest = latest_changes(document, since, until)
    return _unit(document, lambda number, entry: number in latest)


def _unit(document: Document, wanted: Callable[[int, Entry], bool]) -> Unit:
    return Unit(url=document.url, entries=lambda: read_entries(document.stream, document.url), wanted=wanted)


def latest_changes(document: Document, since: datetime | None, until: datetime | None) -> frozenset[int]:
    """Return the numbers of the entries that count: for each resource the latest change in the window.

    Latest by datetime, by lastmod if no entry has a datetime (sources before version 1.1), else by the order of the
    entries. An entry without a time is never outside the window, and replaces the entries before it.
    """
    time_of = change_time_reader(document)
    latest: dict[int, tuple[datetime | None, int]] = {}
    for number, entry in enumerate(read_entries(document.stream, document.url)):
        changed = time_of(entry)
        if changed and ((since and changed < since) or (until and changed > until)):
            continue
        earlier = latest.get(hash(entry.loc))
        if earlier is None or not changed or not earlier[0] or changed >= earlier[0]:
            latest[hash(entry.loc)] = (changed, number)
    return frozenset(number for _, number in latest.values())


def change_time_reader(document: Document) -> Callable[[Entry], datetime | None]:
    """Return the function that gives the time of a change in this list.

    It reads datetime if any entry has one, because lastmod may be years older than the change (section 12.1).
    """
    for entry in read_entries(document.stream, document.url):
        if parse_datetime(entry.attributes.get("datetime", "")):
            return lambda entry: parse_datetime(entry.attributes.get("datetime", ""))
    return last_modified


def modified_since(since: datetime | None) -> Callable[[Entry], bool]:
    """Return a filter for sources without Change Lists: entries that have changed, as far as lastmod tells."""

    def wanted(entry: Entry) -> bool:
        modified = last_modified(entry)
        return since is None or modified is None or modified >= since

    return wanted


def make_part(url: str, entry: Entry) -> Part:
    attributes = entry.attributes
    return Part(
        url=url,
        at=parse_datetime(attributes.get("at", "")),
        from_=parse_datetime(attributes.get("from", "")),
        until=parse_datetime(attributes.get("until", "")),
    )
