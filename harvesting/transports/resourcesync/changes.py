"""Finds the change lists or dumps of a set with all changes since a given time. Fetches lists only, no resources."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from harvesting.transports.resourcesync.discovery import Offer
from harvesting.transports.resourcesync.documents import parse_datetime, read_entries
from harvesting.transports.resourcesync.lists import Part, latest_changes, make_part, parts
from harvesting.transports.resourcesync.position import Task
from harvesting.transports.resourcesync.requests import LIST_MISSING, Document, SourceClient
from harvesting.types import TransportError

OVERLAP = timedelta(days=7)  # by which `since` may precede the position that the last run reached
FEW_CHANGES = 20  # up to this number, single requests are hardly more work than a package
UNREADABLE = frozenset(
    {
        "rs.not_resourcesync",
        "xml.malformed",
        "xml.forbidden",
        "http.404",
        "http.410",
        "rs.nested_index",
        "rs.other_host",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The tasks of one set. clock: up to when they are complete. whole: they cover everything, not only changes.

    since: only if `whole`: the time from which on the change lists among the tasks are read, None = from their start.
    """

    tasks: tuple[Task, ...]
    clock: datetime | None
    whole: bool
    since: datetime | None = None


def changes_since(
    client: SourceClient, offer: Offer, since: datetime, until: datetime | None, position: datetime | None
) -> Plan | None:
    """Return the change lists or dumps to read; None if none of them reach back far enough.

    position: up to when the last run was complete. `since` may precede it by an overlap, which need not be covered.
    """
    reference = position if position and since <= position <= since + OVERLAP else since
    for kind in _preferred_kinds(client, offer, since, until):
        urls = offer.lists.get(kind, ())
        try:
            archived = _archives_to_read(client, offer, kind, reference)
            clocks = [changes_complete_until(client, url) for url in urls]
        except TransportError as error:
            if error.code not in UNREADABLE:
                raise
            client.note(LIST_MISSING, url=str(error.facts.get("url", offer.spec)), reason=error.code)
            continue
        if archived is not None:
            tasks = tuple(Task(kind=kind, url=url, instead=_fallbacks(offer, kind)) for url in (*archived, *urls))
            # Not earlier than the position of the last run, even if the newest change is older.
            clock = max(reference, min((time for time in clocks if time), default=reference))
            return Plan(tasks=tasks, clock=clock, whole=False)
    return None


def _fallbacks(offer: Offer, kind: str) -> tuple[tuple[str, str], ...]:
    """Return the (kind, URL) of the lists to read if a Change List or Dump turns out to be broken, the best first."""
    others = ("changelist", "resourcelist") if kind == "changedump" else ("resourcelist",)
    return tuple((other, url) for other in others for url in offer.lists.get(other, ()))


def _preferred_kinds(client: SourceClient, offer: Offer, since: datetime, until: datetime | None) -> tuple[str, ...]:
    """Return the kinds of change lists in order of preference: a Change Dump first only if there are many changes."""
    offered = tuple(kind for kind in ("changelist", "changedump") if offer.lists.get(kind))
    if len(offered) < 2:
        return offered
    try:
        document = client.document(offer.lists["changelist"][0])
        has_few_changes = not document.head.is_index and len(latest_changes(document, since, until)) <= FEW_CHANGES
    except TransportError as error:
        if not error.permanent:
            raise
        has_few_changes = False
    return offered if has_few_changes else ("changedump", "changelist")


def _archives_to_read(client: SourceClient, offer: Offer, kind: str, reference: datetime) -> tuple[str, ...] | None:
    """Return the archived lists to read before the current ones so that no change since `reference` is missed.

    None if the archives leave a gap.
    """
    starts = [_start_of_changes(client, url) for url in offer.lists.get(kind, ())]
    if all(start and start <= reference for start in starts):
        return ()
    archived = [part for url in offer.lists.get(f"{kind}-archive", ()) for part in archive_parts(client, url)]
    archived = sorted((part for part in archived if part.from_), key=lambda part: part.from_ or reference)
    if len(starts) == 1 and archived and (archived[0].from_ or reference) <= reference:
        return tuple(part.url for part in archived if not part.until or part.until >= reference)
    return None


def _start_of_changes(client: SourceClient, url: str) -> datetime | None:
    """Return the time from which a Change List (Index) has every change; without `from`, that of its oldest entry."""
    document = client.document(url)
    stated = parse_datetime(document.head.attributes.get("from", ""))
    if stated:
        return stated
    client.note("rs.no_date", url=url)
    part_starts = [part.from_ for part in parts(client, document) if part.from_] if document.head.is_index else []
    return min(part_starts) if part_starts else document.head.oldest


def changes_complete_until(client: SourceClient, url: str) -> datetime | None:
    """Return the time up to which a Change List (Index) is complete.

    An open list is updated at unknown intervals, so one can only rely on it up to its newest change.
    """
    document = client.document(url)
    head = document.head
    if head.is_index and not head.attributes.get("until"):
        index_parts = parts(client, document)
        if index_parts:
            head = client.document(index_parts[-1].url).head
    stated = parse_datetime(head.attributes.get("until", ""))
    times = [time for time in (stated or head.latest, parse_datetime(head.attributes.get("from", ""))) if time]
    return min(max(times), document.asked_at) if times else None


def list_complete_until(client: SourceClient, url: str) -> datetime | None:
    """Return the time up to which a Resource List contains all changes.

    This is its `at` (section 7), else the earliest `at` in an index, else the newest date in the list; never later than
    the time of our request.
    """
    document = client.document(url)
    if not parse_datetime(document.head.attributes.get("at", "")):
        client.note("rs.no_date", url=document.url)
    stated = _stated_time(client, document) or document.head.latest
    return min(stated, document.asked_at) if stated else None


def _stated_time(client: SourceClient, document: Document) -> datetime | None:
    """Return the `at` of a Resource List or Dump, else the earliest that an index gives for its lists."""
    stated = parse_datetime(document.head.attributes.get("at", ""))
    if stated or not document.head.is_index:
        return stated
    return min((part.at for part in parts(client, document) if part.at), default=None)


def _earliest_of_parts(client: SourceClient, url: str) -> datetime | None:
    """Return the earliest `at` in the lists of an index that says nothing itself; None if no list states one."""
    document = client.document(url)
    if not document.head.is_index:
        return None
    times = []
    for part in parts(client, document):
        with suppress(TransportError):  # a list that cannot be read is a gap when its turn comes
            times.append(parse_datetime(client.document(part.url).head.attributes.get("at", "")))
    return min((time for time in times if time), default=None)


def outdated_at(
    client: SourceClient, urls: Iterable[str], position: datetime | None, *, inside: bool
) -> datetime | None:
    """Return the oldest `at` of these Resource Lists or Dumps if it is before the position of the last run, else None.

    inside: where an index gives no time, its lists are read for it. Lists without `at` are taken to be current.
    """
    if position is None:
        return None
    stated = [
        _stated_time(client, client.document(url)) or (_earliest_of_parts(client, url) if inside else None)
        for url in urls
    ]
    oldest = min((at for at in stated if at), default=None)
    return oldest if oldest and oldest < position else None


def readable_changes(client: SourceClient, offer: Offer) -> tuple[Task, ...]:
    """Return the change lists, else the change dumps, that can be read, however far they reach back."""
    for kind in ("changelist", "changedump"):
        tasks = tuple(Task(kind=kind, url=url) for url in offer.lists.get(kind, ()) if _is_readable(client, url))
        if tasks:
            return tasks
    return ()


def _is_readable(client: SourceClient, url: str) -> bool:
    """Whether a Change List can be read; of an index, also its newest list."""
    try:
        changes_complete_until(client, url)
    except TransportError as error:
        if error.code not in UNREADABLE:
            raise
        return False
    return True


def archive_parts(client: SourceClient, url: str) -> tuple[Part, ...]:
    """Return the lists in an archive; the archive document may be an index of further documents."""
    document = client.document(url)
    if document.head.is_index:
        return tuple(
            listed_part for part in parts(client, document) for listed_part in _listed_parts(client.document(part.url))
        )
    return _listed_parts(document)


def _listed_parts(document: Document) -> tuple[Part, ...]:
    entries = read_entries(document.stream, document.url)
    return tuple(make_part(entry.loc, entry) for entry in entries if entry.loc)
