"""Takes stamped items over into the current resources and the lists of their changes. Writes tables, no documents.

Every step is one transaction and idempotent: an item that has already been taken over is no change any more. A change
gets the stamp of its item, but never one before the previous run. A run that was stopped goes on behind its last entry:
very many entries may share a second, because a site that was restored stamps everything at once. Only the second in
which a run has begun is read again by the next one, since items may still have been stamped in it.
"""

import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import transaction

from aggregator.models import ChangeList, Resource, ResourceChange, ResourceClock, ResourceSet
from aggregator.provision import listing
from aggregator.provision.contents import Content, all_terms, contents
from aggregator.provision.listing import Entry, Span
from aggregator.provision.pending import is_merged
from aggregator.provision.resourcesync import blocks
from aggregator.provision.resourcesync.blocks import Difference
from aggregator.provision.resourcesync.described_pages import pages
from aggregator.provision.resourcesync.naming import MERGED
from aggregator.provision.resourcesync.serialization import length_and_digest
from aggregator.provision.written_records import code_digest
from core.database.batches import add, insert, select_in, upsert
from core.database.locks import Work, try_lock
from core.database.pacing import Pace
from harvesting.records.compression import pack_record
from metadata.links import safe_href

STEP = 1000  # entries per transaction, at most
PACE = Pace(STEP)
MAX_CHANGES = 10_000  # per list
BEFORE_ALL = listing.START[1]  # in the place of an item: before all items of a second
DAY = 86_400  # a list is closed when a day (UTC) is over
CREATED, UPDATED, DELETED = ResourceChange.Kind.CREATED, ResourceChange.Kind.UPDATED, ResourceChange.Kind.DELETED


class Body(NamedTuple):
    """The content of a resource: its packed record, length and SHA-256 of its bytes, addresses of its licences."""

    packed: bytes
    length: int
    digest: bytes
    licences: str = ""


NO_BODY = Body(b"", 0, b"")


@dataclass(frozen=True, slots=True)
class Change:
    """One change, with the content of the resource after it."""

    entry: Entry
    stamp: int
    kind: str
    body: Body = NO_BODY


def update_resources() -> Generator[int]:
    """Take over all items stamped since the last run. Yield the number of entries of every step.

    Does nothing while another process is doing it. Raises stamps.barrier.StampingTimeout.
    """
    with try_lock(Work.RESOURCES) as acquired:
        if acquired:
            yield from _update_all()


def _update_all() -> Iterator[int]:
    clock = _clock()
    blocks.count_again()
    until = listing.begin_list()
    span, place = Span(until=until), _place(clock)
    while entries := listing.page(span, PACE.size(STEP), place):
        place = entries[-1].place
        _update(entries, clock.at, until)
        yield len(entries)
    ResourceClock.objects.filter(pk=1, at__lte=until).update(at=until, seen=until, blocks=until, last_stamp=None)
    close_lists(until)


def _place(clock: ResourceClock) -> tuple[int, int]:
    """Return the place behind which the next run begins: that of the last entry, or before the second `seen`."""
    if _was_stopped(clock) and clock.last_item is not None:
        return clock.seen, clock.last_item
    return clock.seen, BEFORE_ALL


def _was_stopped(clock: ResourceClock) -> bool:
    return clock.last_stamp == clock.seen


def _clock() -> ResourceClock:
    """Return the row that says up to which second items were taken over.

    It is set back to the beginning if the code has changed, since the bytes of all resources may differ.
    """
    clock, _new = ResourceClock.objects.get_or_create(pk=1)
    if clock.code != code_digest():
        clock.code, clock.seen = code_digest(), 0
        clock.save(update_fields=["code", "seen"])
    return clock


def has_changes() -> bool:
    """Return whether `update_resources` has work."""
    clock = ResourceClock.objects.filter(pk=1, code=code_digest()).first()
    place = listing.START
    if clock:
        place = _place(clock) if _was_stopped(clock) else (clock.seen + 1, BEFORE_ALL)
    return bool(listing.page(Span(until=int(time.time())), 1, place))


def close_lists(now: int, everything: bool = False) -> int:
    """Close the lists of earlier days that have changes; with `everything` all that have changes. Return how many."""
    open_lists = ChangeList.objects.filter(until=None, count__gt=0)
    if not everything:
        open_lists = open_lists.filter(since__lt=now - now % DAY)
    closed = list(open_lists)
    for change_list in closed:
        with transaction.atomic():
            _close(change_list, now)
    return len(closed)


def _close(change_list: ChangeList, until: int) -> ChangeList:
    """Close a list and return its successor."""
    ChangeList.objects.filter(pk=change_list.pk).update(until=until)
    return ChangeList.objects.create(origin=change_list.origin, since=until)


def _update(entries: Sequence[Entry], at: int, until: int) -> None:
    """Compare entries with the resources, then write the changes. at: the time of the previous run; until: of this one.

    The comparison needs no lock: only one process takes over, and what changes meanwhile gets a later stamp.
    """
    before = {
        pk: (gone, bytes(digest), known) for pk, gone, digest, known in _stored([entry.item for entry in entries])
    }
    by_item = contents([entry.item for entry in entries if not entry.deleted], all_terms())
    bodies = _bodies(by_item)
    changes = [
        change for entry in entries if (change := _compare(entry, at, before.get(entry.item), bodies.get(entry.item)))
    ]
    described = pages([entry.entry for entry in changes if entry.kind != DELETED], by_item)
    by_origin: dict[int, list[Change]] = {}
    for change in changes:
        by_origin.setdefault(change.entry.origin, []).append(change)
    with PACE.transaction(len(entries)):
        ResourceClock.objects.select_for_update().get(pk=1)
        _add(by_origin)
        _write(changes, described)
        blocks.add(_difference(change) for change in changes)
        _set_clock(entries[-1], until)


def _set_clock(last: Entry, until: int) -> None:
    """Note the last entry of a step. Its second is read again unless it was over when the run began."""
    item = last.item if last.stamp < until else None
    clock = ResourceClock.objects.filter(pk=1)
    clock.update(seen=last.stamp, blocks=last.stamp, last_stamp=last.stamp, last_item=item)


def _stored(items: Sequence[int]) -> list[tuple[int, bool, bytes, str]]:
    return select_in(Resource, ("id", "deleted", "sha256", "licences"), "id", items)


def _bodies(by_item: Mapping[int, Content]) -> dict[int, Body]:
    records = ((item, content, content.record()) for item, content in by_item.items())
    return {
        item: Body(pack_record(record), *length_and_digest(record), _addresses(content.licences))
        for item, content, record in records
    }


def _addresses(licences: Iterable[str]) -> str:
    """Return the licences that are addresses, with blanks between them; those in words cannot be linked."""
    return " ".join(licence for licence in licences if safe_href(licence) and " " not in licence)


def _compare(entry: Entry, at: int, before: tuple[bool, bytes, str] | None, body: Body | None) -> Change | None:
    """Return the change of a resource, or None."""
    stamp = max(entry.stamp, at)
    was_there = before is not None and not before[0]
    if body is None:
        return Change(entry, stamp, DELETED) if was_there else None
    if was_there and before and before[1:] == (body.digest, body.licences):
        return None
    return Change(entry, stamp, UPDATED if was_there else CREATED, body)


def _difference(change: Change) -> Difference:
    live = int(change.kind == CREATED) - int(change.kind == DELETED)
    return Difference(change.entry.origin, change.entry.item, live, change.stamp)


class _ChangeRow(NamedTuple):
    """A row of ResourceChange; the fields are columns."""

    change_list_id: int
    item: int
    kind: str
    stamp: int
    length: int
    sha256: bytes
    packed: bytes


def _add(by_origin: Mapping[int, Sequence[Change]]) -> None:
    """Add the changes of each set to its open list. A full list is closed and continued in a new one."""
    open_lists = {one.origin: one for one in ChangeList.objects.filter(until=None, origin__in=by_origin)}
    rows: list[_ChangeRow] = []
    for origin, changes in by_origin.items():
        current = open_lists.get(origin) or _first_list(changes[0])
        while changes:
            batch, changes = changes[: MAX_CHANGES - current.count], changes[MAX_CHANGES - current.count :]
            rows += [_change_row(current.pk, change) for change in batch]
            current.count += len(batch)
            if current.count >= MAX_CHANGES:
                current = _close(current, batch[-1].stamp)
    insert(ResourceChange, _ChangeRow._fields, rows)
    add(ChangeList, "count", [(count, pk) for pk, count in Counter(row.change_list_id for row in rows).items()])


def _change_row(change_list: int, change: Change) -> _ChangeRow:
    body = change.body
    return _ChangeRow(change_list, change.entry.item, change.kind, change.stamp, body.length, body.digest, body.packed)


def _first_list(change: Change) -> ChangeList:
    """Return the first list of a set, which is created with its first change."""
    origin = change.entry.origin
    ResourceSet.objects.get_or_create(origin=origin, defaults={"name": _set_name(change.entry)})
    return ChangeList.objects.create(origin=origin, since=change.stamp)


def _set_name(entry: Entry) -> str:
    return MERGED if is_merged(entry.item) else entry.public_id.partition("-")[0]


class _Row(NamedTuple):
    """A row of Resource; the fields are columns."""

    id: int
    origin: int
    stamp: int
    deleted: bool
    length: int
    sha256: bytes
    licences: str
    page: str


def _write(changes: Sequence[Change], described: Mapping[int, str]) -> None:
    rows = [
        _Row(
            change.entry.item,
            change.entry.origin,
            change.stamp,
            change.kind == DELETED,
            change.body.length,
            change.body.digest,
            change.body.licences,
            described.get(change.entry.item, ""),
        )
        for change in changes
    ]
    replaced = ("stamp", "deleted", "length", "sha256", "licences", "page")
    upsert(Resource, _Row._fields, rows, unique=("id",), replaced=replaced)
