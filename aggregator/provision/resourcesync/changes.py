"""What was stamped is taken over: resources as they are now, and lists of their changes. Writes tables; no document.

In steps of one transaction each, repeatable: what was taken over already is no change any more. A change is told with
the stamp of the item, but never one from before the last time; a second that was only begun is looked at again.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from aggregator.models import ChangeList, Resource, ResourceChange, ResourceClock, ResourceSet
from aggregator.provision import listing
from aggregator.provision.contents import Content, all_terms, contents
from aggregator.provision.listing import Entry, Span
from aggregator.provision.pending import is_merged
from aggregator.provision.resourcesync.bytes_of import measured
from aggregator.provision.resourcesync.described import pages
from aggregator.provision.resourcesync.naming import MERGED
from aggregator.provision.written_records import code
from core.database.batches import select_in, upsert
from core.database.locks import Work, turn
from core.database.pacing import Pace

STEP = 1000  # entries of one transaction, at most
PACE = Pace(STEP)
MOST = 10_000  # changes of one list
DAY = 86_400  # a list is closed when a day (UTC) is over
CREATED, UPDATED, DELETED = ResourceChange.Kind.CREATED, ResourceChange.Kind.UPDATED, ResourceChange.Kind.DELETED


class Body(NamedTuple):
    """A resource as it is: its packed record, and length and SHA-256 of what is written of it."""

    packed: bytes
    length: int
    digest: bytes


GONE = Body(b"", 0, b"")


@dataclass(frozen=True, slots=True)
class Change:
    """One change, and what the resource is after it."""

    entry: Entry
    stamp: int
    kind: str
    body: Body = GONE


def take_over() -> Iterator[int]:
    """Take over what was stamped since the last time; yields how many entries each step looked at.

    Nothing while another process is at it. Raises barrier.StampingHangs.
    """
    with turn(Work.RESOURCES) as ours:
        if ours:
            yield from _take_all()


def _take_all() -> Iterator[int]:
    clock = _clock()
    until = listing.began()
    span, place = Span(until=until, from_=clock.seen), listing.START
    while entries := listing.page(span, PACE.size(STEP), place):
        place = entries[-1].place
        _take(entries, clock.at)
        yield len(entries)
    ResourceClock.objects.filter(pk=1, at__lt=until).update(at=until, seen=until)
    close_lists(until)


def _clock() -> ResourceClock:
    """Other code may write other bytes: then all is looked at again."""
    clock, _new = ResourceClock.objects.get_or_create(pk=1)
    if clock.code != code():
        clock.code, clock.seen = code(), 0
        clock.save(update_fields=["code", "seen"])
    return clock


def something_changed() -> bool:
    """Whether `take_over` would find anything."""
    clock = ResourceClock.objects.filter(pk=1, code=code()).first()
    return bool(listing.page(Span(until=int(time.time()), from_=clock.seen + 1 if clock else 0), 1))


def close_lists(now: int, everything: bool = False) -> int:
    """Close the lists that have changes and are of an earlier day, or all that have changes; returns how many."""
    open_lists = ChangeList.objects.filter(until=None, count__gt=0)
    if not everything:
        open_lists = open_lists.filter(since__lt=now - now % DAY)
    closed = list(open_lists)
    for each in closed:
        with transaction.atomic():
            _close(each, now)
    return len(closed)


def _close(change_list: ChangeList, until: int) -> ChangeList:
    """The list that follows it."""
    ChangeList.objects.filter(pk=change_list.pk).update(until=until)
    return ChangeList.objects.create(origin=change_list.origin, since=until)


def _take(entries: Sequence[Entry], at: int) -> None:
    """Decide, then write: nobody else takes over meanwhile, and what is changed meanwhile is stamped later."""
    before = {pk: (gone, bytes(digest)) for pk, gone, digest in _stored([each.item for each in entries])}
    found = contents([each.item for each in entries if not each.deleted], all_terms())
    bodies = _bodies(found)
    changes = [change for each in entries if (change := _judge(each, at, before.get(each.item), bodies.get(each.item)))]
    described = pages([each.entry for each in changes if each.kind != DELETED], found)
    by_origin: dict[int, list[Change]] = {}
    for change in changes:
        by_origin.setdefault(change.entry.origin, []).append(change)
    with PACE.transaction(len(entries)):
        ResourceClock.objects.select_for_update().get(pk=1)
        for origin, some in by_origin.items():
            _add(origin, some)
        _write(changes, described)
        ResourceClock.objects.filter(pk=1).update(seen=entries[-1].stamp)


def _stored(items: Sequence[int]) -> list[tuple[int, bool, bytes]]:
    return select_in(Resource, ("id", "deleted", "sha256"), "id", items)


def _bodies(found: Mapping[int, Content]) -> dict[int, Body]:
    """By item. A book with one record is met twice, as its record and as itself, and written once."""
    of_packed = {packed: Body(packed, *measured(packed)) for packed in {each.packed for each in found.values()}}
    return {item: of_packed[each.packed] for item, each in found.items()}


def _judge(entry: Entry, at: int, before: tuple[bool, bytes] | None, body: Body | None) -> Change | None:
    """What differs; None where nothing does."""
    stamp = max(entry.stamp, at)
    was_there = before is not None and not before[0]
    if body is None:
        return Change(entry, stamp, DELETED) if was_there else None
    if was_there and before and before[1] == body.digest:
        return None
    return Change(entry, stamp, UPDATED if was_there else CREATED, body)


def _add(origin: int, changes: Sequence[Change]) -> None:
    """Put changes of one set into its open list, and begin a new one where it is full."""
    current = _open_list(origin, changes[0].entry, changes[0].stamp)
    while changes:
        some, changes = changes[: MOST - current.count], changes[MOST - current.count :]
        ResourceChange.objects.bulk_create(
            ResourceChange(
                change_list=current,
                item=each.entry.item,
                kind=each.kind,
                stamp=each.stamp,
                length=each.body.length,
                sha256=each.body.digest,
                packed=each.body.packed,
            )
            for each in some
        )
        ChangeList.objects.filter(pk=current.pk).update(count=F("count") + len(some))
        current.count += len(some)
        if current.count >= MOST:
            current = _close(current, some[-1].stamp)


def _open_list(origin: int, entry: Entry, stamp: int) -> ChangeList:
    """The list of a set that is open. A set begins with its first change."""
    found = ChangeList.objects.filter(origin=origin, until=None).first()
    if found:
        return found
    ResourceSet.objects.get_or_create(origin=origin, defaults={"name": _set_name(entry)})
    return ChangeList.objects.create(origin=origin, since=stamp)


def _set_name(entry: Entry) -> str:
    return MERGED if is_merged(entry.item) else entry.public_id.partition("-")[0]


def _write(changes: Sequence[Change], described: Mapping[int, str]) -> None:
    rows = [
        (
            each.entry.item,
            each.entry.origin,
            each.stamp,
            each.kind == DELETED,
            each.body.length,
            each.body.digest,
            described.get(each.entry.item, ""),
        )
        for each in changes
    ]
    columns = ("id", "origin", "stamp", "deleted", "length", "sha256", "page")
    upsert(Resource, columns, rows, unique=("id",), replaced=columns[2:])
