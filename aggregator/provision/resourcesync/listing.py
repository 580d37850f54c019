"""The rows from which documents are made, read by key: current resources of a set, change lists, packages."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Max, OuterRef, QuerySet, Subquery

from aggregator.models import ChangeList, Resource, ResourceChange, ResourceClock, ResourcePackage, ResourceSet
from aggregator.provision.pending import is_merged, number_of
from aggregator.provision.resourcesync.naming import PART

RECENT = 30 * 86_400  # seconds; lists that were closed earlier are in the archive only
CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """A resource, or one change of it. kind: of the change, "" for a resource. page: the page that it describes.

    licences: addresses of the licences of the resource as it is now.
    """

    name: str
    stamp: int
    length: int
    sha256: bytes
    page: str = ""
    kind: str = ""
    item: int = 0
    packed: bytes = b""
    licences: tuple[str, ...] = ()


def sets() -> dict[str, int]:
    """Return name -> origin of all sets."""
    return dict(ResourceSet.objects.order_by("name").values_list("name", "origin"))


def origin_of(name: str) -> int | None:
    return ResourceSet.objects.filter(name=name).values_list("origin", flat=True).first()


def covered_until() -> int:
    """Return the second up to which all changes are in the lists."""
    return ResourceClock.objects.filter(pk=1).values_list("at", flat=True).first() or 0


def version() -> str:
    """Return a version string that changes whenever any document changes."""
    tables = (ResourceChange, ChangeList, ResourcePackage)
    last_keys = [table.objects.aggregate(last=Max("pk"))["last"] for table in tables]
    packed = ResourcePackage.objects.aggregate(last=Max("completed"))["last"]
    return "-".join(str(number or 0) for number in (covered_until(), *last_keys, packed))


def resources(origin: int, block: int) -> Iterator[Row]:
    """Yield the current resources of a set in a block, in the order of their items."""
    rows = _read(
        "SELECT r.id, p.public_id, r.stamp, r.length, r.sha256, r.page, r.licences FROM aggregator_resource r "
        "JOIN aggregator_provided p ON p.id = r.id "
        "WHERE r.origin = %s AND NOT r.deleted AND r.id >= %s AND r.id < %s ORDER BY r.id",
        [origin, block * PART, (block + 1) * PART],
    )
    for item, public_id, stamp, length, digest, page, licences in rows:
        known = tuple(licences.split())
        yield Row(_name(item, public_id), stamp, length, bytes(digest), page, item=item, licences=known)


def change_lists(origin: int) -> list[ChangeList]:
    """Return the change lists of a set that have changes, the oldest first, the open one last."""
    return list(ChangeList.objects.filter(origin=origin, count__gt=0).order_by("pk"))


def latest_lists(origin: int) -> list[ChangeList]:
    """Return the lists with recent changes, at least the last list that has any."""
    lists = change_lists(origin)
    after = int(time.time()) - RECENT
    return [change_list for change_list in lists if change_list.until is None or change_list.until > after] or lists[
        -1:
    ]


def empty_capabilities(origin: int) -> set[str]:
    """Return the capabilities for which a set has no content."""
    packages = ResourcePackage.objects.filter(origin=origin)
    content = {
        "resourcelist": Resource.objects.filter(origin=origin, deleted=False).exists(),
        "changelist": ChangeList.objects.filter(origin=origin, count__gt=0).exists(),
        "resourcedump": packages.filter(change_list=None).exists(),
        "changedump": packages.exclude(change_list=None).exists(),
        "changedump-archive": packages.exclude(change_list=None).exists(),
        "changelist-archive": ChangeList.objects.filter(origin=origin, until__isnull=False).exists(),
    }
    return {name for name, has_content in content.items() if not has_content}


def changes(change_list: ChangeList) -> Iterator[Row]:
    """Yield the changes of a list, in their order."""
    rows = _read(
        "SELECT c.item, p.public_id, c.stamp, c.length, c.sha256, COALESCE(r.page, ''), c.kind, c.packed, "
        "COALESCE(r.licences, '') "
        "FROM aggregator_resourcechange c JOIN aggregator_provided p ON p.id = c.item "
        "LEFT JOIN aggregator_resource r ON r.id = c.item WHERE c.change_list_id = %s ORDER BY c.id",
        [change_list.pk],
    )
    for item, public_id, stamp, length, digest, page, kind, packed, licences in rows:
        name, known = _name(item, public_id), tuple(licences.split())
        yield Row(name, stamp, length, bytes(digest), page, kind, item, bytes(packed), known)


def changes_after(origin: int, after: int, limit: int) -> tuple[list[Row], int]:
    """Return the next changes of a set after a change, across its lists, and the key of the last of them."""
    lists = lists_with_changes_after(origin, after).order_by("pk")
    found: list[tuple[int, Row]] = []
    for change_list in lists.values_list("pk", flat=True):
        found += _changes_of(change_list, after, limit - len(found))
        if len(found) >= limit:
            break
    return [row for _pk, row in found], (found[-1][0] if found else after)


def lists_with_changes_after(origin: int | OuterRef, after: int | OuterRef) -> QuerySet[ChangeList]:
    """Return the lists of a set in which there are changes after the change with the given key.

    The last change of each list is looked up. Asked whether a list has a later change, PostgreSQL may read all later
    changes, which are those of all sets.
    """
    last = ResourceChange.objects.filter(change_list=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    lists = ChangeList.objects.filter(origin=origin, count__gt=0)
    return lists.annotate(last_change=Subquery(last)).filter(last_change__gt=after)


def _changes_of(change_list: int, after: int, limit: int) -> list[tuple[int, Row]]:
    """Return the next changes of one list after a change, with their keys."""
    rows = _read(
        "SELECT c.id, c.item, p.public_id, c.stamp, c.length, c.sha256, COALESCE(r.page, ''), c.kind, "
        "COALESCE(r.licences, '') FROM aggregator_resourcechange c "
        "JOIN aggregator_provided p ON p.id = c.item LEFT JOIN aggregator_resource r ON r.id = c.item "
        "WHERE c.change_list_id = %s AND c.id > %s ORDER BY c.id LIMIT %s",
        [change_list, after, limit],
    )
    return [
        (pk, Row(_name(item, public_id), stamp, length, bytes(digest), page, kind, item, licences=tuple(known.split())))
        for pk, item, public_id, stamp, length, digest, page, kind, known in rows
    ]


def number_before_last(origin: int, count: int) -> int:
    """Return the key after which the last `count` changes of a set come."""
    return min(_newest_changes(origin, count), default=1) - 1


def last_change(origin: int) -> int:
    """Return the key of the last change of a set, 0 if it has none."""
    return max(_newest_changes(origin, 1), default=0)


def _newest_changes(origin: int, count: int) -> list[int]:
    """Return the keys of the last changes of a set. They are read list by list, because the table holds those of all
    sets: those of one that rests come only after all later changes of the others.
    """
    found: list[int] = []
    lists = ChangeList.objects.filter(origin=origin, count__gt=0).order_by("-pk")
    for change_list in lists.values_list("pk", flat=True).iterator():
        newest = ResourceChange.objects.filter(change_list=change_list).order_by("-pk")
        found += newest.values_list("pk", flat=True)[: count - len(found)]
        if len(found) >= count:
            break
    return found


def _name(item: int, public_id: str) -> str:
    return f"M{number_of(item)}" if is_merged(item) else public_id


def _read(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
