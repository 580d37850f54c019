"""Lists and their indexes as units of entries, and which entries of a list count. Fetches lists, never resources."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from harvesting.transports.resourcesync.documents import Entry, moment, moment_of, read_entries
from harvesting.transports.resourcesync.requests import Asking, Document
from harvesting.types import TransportError

MOST_PARTS = 50_000  # of an index (section 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry. read: its bytes, where a package has them; the argument is a path."""

    entry: Entry
    read: Callable[[str], bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A list, or a package of a dump. entries: starts reading it. wanted: whether an entry, with its number, counts.

    read: gives the bytes at a path of the package, where there is one.
    """

    url: str
    entries: Callable[[], Iterator[Entry]]
    wanted: Callable[[int, Entry], bool] = lambda number, entry: True
    read: Callable[[str], bytes] | None = None


# Fetches a unit and begins it. None: there is nothing in it to read, which is told where it matters.
type Opening = Callable[[], Unit | None]


class Trail:
    """What has been read of a unit so far: the same trail means that the rest can be read on, nothing is lost.

    Dates of the list itself tell less: some sources write them anew for every request.
    """

    def __init__(self, url: str) -> None:
        self._digest = hashlib.sha256(url.encode())

    def add(self, entry: Entry) -> None:
        self._digest.update(b"\n" + entry.loc.encode())

    def __str__(self) -> str:
        return self._digest.hexdigest()[:24]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A document of a list: itself, or one of those that its index names. from_, until: what it covers, if said."""

    url: str
    at: datetime | None = None
    from_: datetime | None = None
    until: datetime | None = None


def parts(asking: Asking, document: Document) -> tuple[Part, ...]:
    """The lists of an index in their order, each once; a list itself is its only part."""
    if not document.head.is_index:
        return (part_of(document.url, Entry(loc=document.url, attributes=document.head.attributes)),)
    found: dict[str, Part] = {}
    for entry in read_entries(document.stream, document.url):
        if not entry.loc:
            asking.note("rs.bad_entry", incomplete=True, url=document.url)
        elif entry.loc in found or entry.loc == document.url:
            asking.note("rs.loop", url=entry.loc)
        elif not asking.is_own(entry.loc):
            asking.note("rs.other_host", incomplete=True, url=entry.loc)
        elif len(found) < MOST_PARTS:
            found[entry.loc] = part_of(entry.loc, entry)
    return tuple(found.values())


def part_document(asking: Asking, url: str, kind: str) -> Document | None:
    """A list that an index names; None with a notice if it is missing, broken or an index itself.

    Errors that may pass are raised: the run waits and asks again.
    """
    try:
        document = asking.document(url)
    except TransportError as error:
        if not error.permanent:
            raise
        asking.note("rs.list_missing", incomplete=True, url=url, reason=error.code)
        return None
    if document.head.is_index:
        asking.note("rs.nested_index", incomplete=True, url=url)
        return None
    if document.capability != kind:
        asking.note("rs.wrong_capability", url=url, capability=document.capability[:60], expected=kind)
        if document.capability in {"description", "capabilitylist"}:
            return None
    return document


def resource_units(asking: Asking, url: str, wanted: Callable[[Entry], bool]) -> Iterator[Opening]:
    """The lists of a Resource List (Index), fetched as they are opened."""
    for part in parts(asking, asking.document(url)):
        yield partial(_resources, asking, part.url, wanted)


def change_units(asking: Asking, url: str, since: datetime | None, until: datetime | None) -> Iterator[Opening]:
    """The lists of a Change List (Index); None for one without changes in the window.

    Opening raises TransportError for one that cannot be read: what it lists would be lost.
    """
    for part in parts(asking, asking.document(url)):
        yield partial(_changes, asking, part, since, until)


def _resources(asking: Asking, url: str, wanted: Callable[[Entry], bool]) -> Unit | None:
    document = part_document(asking, url, "resourcelist")
    return _unit(document, lambda _, entry: wanted(entry)) if document else None


def _changes(asking: Asking, part: Part, since: datetime | None, until: datetime | None) -> Unit | None:
    if (since and part.until and part.until < since) or (until and part.from_ and part.from_ > until):
        return None
    document = asking.document(part.url)
    if document.head.is_index:
        raise TransportError(f"{part.url} is an index in an index", "rs.nested_index", permanent=True, url=part.url)
    last = last_changes(document, since, until)
    return _unit(document, lambda number, entry: number in last)


def _unit(document: Document, wanted: Callable[[int, Entry], bool]) -> Unit:
    return Unit(url=document.url, entries=lambda: read_entries(document.stream, document.url), wanted=wanted)


def last_changes(document: Document, since: datetime | None, until: datetime | None) -> frozenset[int]:
    """The numbers of the entries that count: of each resource the last change in the window.

    Last by datetime, else by lastmod where no entry has a datetime (sources before 1.1), else by the order. An entry
    without a time of its own always counts.
    """
    when = event_time(document)
    last: dict[int, tuple[datetime | None, int]] = {}
    for number, entry in enumerate(read_entries(document.stream, document.url)):
        time = when(entry)
        if time and ((since and time < since) or (until and time > until)):
            continue
        earlier = last.get(hash(entry.loc))
        if earlier is None or not time or not earlier[0] or time >= earlier[0]:
            last[hash(entry.loc)] = (time, number)
    return frozenset(number for _, number in last.values())


def event_time(document: Document) -> Callable[[Entry], datetime | None]:
    """How this list says when a change was: lastmod may be years older than the change (section 12.1)."""
    for entry in read_entries(document.stream, document.url):
        if moment(entry.attributes.get("datetime", "")):
            return lambda entry: moment(entry.attributes.get("datetime", ""))
    return moment_of


def modified_since(since: datetime | None) -> Callable[[Entry], bool]:
    """For sources without Change Lists: what has changed, as far as lastmod tells."""

    def wanted(entry: Entry) -> bool:
        modified = moment_of(entry)
        return since is None or modified is None or modified >= since

    return wanted


def part_of(url: str, entry: Entry) -> Part:
    said = entry.attributes
    return Part(
        url=url,
        at=moment(said.get("at", "")),
        from_=moment(said.get("from", "")),
        until=moment(said.get("until", "")),
    )
