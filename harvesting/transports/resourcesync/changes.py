"""Which change lists or dumps of a set tell everything since a moment, and up to when. Fetches lists only."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from harvesting.transports.resourcesync.discovery import Offer
from harvesting.transports.resourcesync.documents import moment, read_entries
from harvesting.transports.resourcesync.lists import Part, last_changes, part_of, parts
from harvesting.transports.resourcesync.position import Task
from harvesting.transports.resourcesync.requests import Asking, Document
from harvesting.types import TransportError

OVERLAP = timedelta(days=7)  # how far `since` may lie before the position that the last run reached
FEW = 20  # up to here single requests are hardly more work than a package
UNREADABLE = frozenset(
    {"rs.not_resourcesync", "xml.malformed", "xml.forbidden", "http.404", "http.410", "rs.nested_index"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """tasks of one set. clock: up to when they are complete. whole: they are everything, not changes."""

    tasks: tuple[Task, ...]
    clock: datetime | None
    whole: bool


def changes_since(
    asking: Asking, offer: Offer, since: datetime, until: datetime | None, position: datetime | None
) -> Plan | None:
    """The change lists or dumps to read; None if none reach back far enough.

    position: what the last run has seen. `since` lies before it by an overlap that no list has to reach back for.
    """
    reference = position if position and since <= position <= since + OVERLAP else since
    for kind in _preferred(asking, offer, since, until):
        urls = offer.lists.get(kind, ())
        try:
            archived = _bridge(asking, offer, kind, reference)
            clocks = [clock_of_changes(asking, url) for url in urls]
        except TransportError as error:
            if error.code not in UNREADABLE:
                raise
            asking.note("rs.list_missing", url=str(error.facts.get("url", offer.spec)), reason=error.code)
            continue
        if archived is not None:
            tasks = tuple(Task(kind=kind, url=url, instead=_instead(offer, kind)) for url in (*archived, *urls))
            # What the last run had is had, however old the newest change is.
            clock = max(reference, min((each for each in clocks if each), default=reference))
            return Plan(tasks=tasks, clock=clock, whole=False)
    return None


def _instead(offer: Offer, kind: str) -> tuple[tuple[str, str], ...]:
    """What to read when a Change List or Dump turns out to be broken on the way, the best first."""
    others = ("changelist", "resourcelist") if kind == "changedump" else ("resourcelist",)
    return tuple((other, url) for other in others for url in offer.lists.get(other, ()))


def _preferred(asking: Asking, offer: Offer, since: datetime, until: datetime | None) -> tuple[str, ...]:
    """A Change Dump only where many changes are to be fetched."""
    offered = tuple(kind for kind in ("changelist", "changedump") if offer.lists.get(kind))
    if len(offered) < 2:
        return offered
    try:
        document = asking.document(offer.lists["changelist"][0])
        few = not document.head.is_index and len(last_changes(document, since, until)) <= FEW
    except TransportError as error:
        if not error.permanent:
            raise
        few = False
    return offered if few else ("changedump", "changelist")


def _bridge(asking: Asking, offer: Offer, kind: str, reference: datetime) -> tuple[str, ...] | None:
    """Archived lists to read before the current ones so that no change since the reference is missed; None if
    there is a gap."""
    begins = [_begin(asking, url) for url in offer.lists.get(kind, ())]
    if all(each and each <= reference for each in begins):
        return ()
    archived = [part for url in offer.lists.get(f"{kind}-archive", ()) for part in archive_parts(asking, url)]
    archived = sorted((part for part in archived if part.from_), key=lambda part: part.from_ or reference)
    if len(begins) == 1 and archived and (archived[0].from_ or reference) <= reference:
        return tuple(part.url for part in archived if not part.until or part.until >= reference)
    return None


def _begin(asking: Asking, url: str) -> datetime | None:
    """From when on a Change List (Index) has every change. Without `from` its oldest entry must do."""
    document = asking.document(url)
    said = moment(document.head.attributes.get("from", ""))
    if said:
        return said
    asking.note("rs.no_date", url=url)
    within = [part.from_ for part in parts(asking, document) if part.from_] if document.head.is_index else []
    return min(within) if within else document.head.oldest


def clock_of_changes(asking: Asking, url: str) -> datetime | None:
    """Up to when a Change List (Index) tells. An open one is written at intervals that nobody knows: it is
    complete up to its newest change at least, and that is all that can be relied upon."""
    document = asking.document(url)
    told = document.head
    if told.is_index and not told.attributes.get("until"):
        members = parts(asking, document)
        if members:
            told = asking.document(members[-1].url).head
    said = moment(told.attributes.get("until", ""))
    known = [each for each in (said or told.latest, moment(told.attributes.get("from", ""))) if each]
    return min(max(known), document.asked_at) if known else None


def clock_of_list(asking: Asking, url: str) -> datetime | None:
    """`at`: all changes up to then are in the list (section 7). Without it the newest date in the list is the most
    that can be said; never later than our own clock when we asked."""
    document = asking.document(url)
    said = moment(document.head.attributes.get("at", ""))
    if said is None:
        asking.note("rs.no_date", url=document.url)
        within = [each.at for each in parts(asking, document) if each.at]
        said = min(within) if within else document.head.latest
    return min(said, document.asked_at) if said else None


def archive_parts(asking: Asking, url: str) -> tuple[Part, ...]:
    """What an archive names: it is a list of lists, and may have an index above it."""
    document = asking.document(url)
    if document.head.is_index:
        return tuple(each for part in parts(asking, document) for each in _named(asking, asking.document(part.url)))
    return _named(asking, document)


def _named(asking: Asking, document: Document) -> tuple[Part, ...]:
    entries = read_entries(document.stream, document.url)
    return tuple(part_of(each.loc, each) for each in entries if each.loc and asking.is_own(each.loc))
