"""The rows that documents are made of, read by key: what a set has now, its lists of changes, its packages."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Max

from aggregator.models import ChangeList, Resource, ResourceChange, ResourceClock, ResourcePackage, ResourceSet
from aggregator.provision.pending import is_merged, number_of
from aggregator.provision.resourcesync.naming import PART

LATELY = 30 * 86_400  # seconds; lists that were closed before are in the archive only
CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """A resource or one change of it. kind: "" or what happened. page: what it describes."""

    name: str
    stamp: int
    length: int
    sha256: bytes
    page: str = ""
    kind: str = ""
    item: int = 0
    packed: bytes = b""


def sets() -> dict[str, int]:
    """Every set by its name."""
    return dict(ResourceSet.objects.order_by("name").values_list("name", "origin"))


def origin_of(name: str) -> int | None:
    return ResourceSet.objects.filter(name=name).values_list("origin", flat=True).first()


def moment() -> int:
    """All up to this second is in the lists."""
    return ResourceClock.objects.filter(pk=1).values_list("at", flat=True).first() or 0


def version() -> str:
    """Changes when any document does."""
    marks = [each.objects.aggregate(last=Max("pk"))["last"] for each in (ResourceChange, ChangeList, ResourcePackage)]
    return "-".join(str(each or 0) for each in (moment(), *marks))


def parts(origin: int) -> list[tuple[int, int, int]]:
    """The spans of numbers in which a set has or had something: number of the span, last stamp, resources in it."""
    return [
        (int(block), stamp, int(live))
        for block, stamp, live in _read(
            f"SELECT id / {PART} AS block, max(stamp), sum(CASE WHEN deleted THEN 0 ELSE 1 END) "  # noqa: S608 a number
            "FROM aggregator_resource WHERE origin = %s GROUP BY block ORDER BY block",
            [origin],
        )
    ]


def resources(origin: int, block: int) -> Iterator[Row]:
    """What a set has now in a span of numbers, in their order."""
    rows = _read(
        "SELECT r.id, p.public_id, r.stamp, r.length, r.sha256, r.page FROM aggregator_resource r "
        "JOIN aggregator_provided p ON p.id = r.id "
        "WHERE r.origin = %s AND NOT r.deleted AND r.id >= %s AND r.id < %s ORDER BY r.id",
        [origin, block * PART, (block + 1) * PART],
    )
    for item, public_id, stamp, length, digest, page in rows:
        yield Row(_name(item, public_id), stamp, length, bytes(digest), page, item=item)


def change_lists(origin: int) -> list[ChangeList]:
    """The lists of a set that tell something, the oldest first, the open one last."""
    return list(ChangeList.objects.filter(origin=origin, count__gt=0).order_by("pk"))


def latest_lists(origin: int) -> list[ChangeList]:
    """The lists that tell what happened lately: at least the last one that tells something."""
    lists = change_lists(origin)
    after = int(time.time()) - LATELY
    return [each for each in lists if each.until is None or each.until > after] or lists[-1:]


def empty_capabilities(origin: int) -> set[str]:
    """What a set cannot offer so far."""
    packages = ResourcePackage.objects.filter(origin=origin)
    has = {
        "resourcelist": Resource.objects.filter(origin=origin, deleted=False).exists(),
        "changelist": ChangeList.objects.filter(origin=origin, count__gt=0).exists(),
        "resourcedump": packages.filter(change_list=None).exists(),
        "changedump": packages.exclude(change_list=None).exists(),
        "changelist-archive": ChangeList.objects.filter(origin=origin, until__isnull=False).exists(),
    }
    return {name for name, something in has.items() if not something}


def changes(change_list: ChangeList) -> Iterator[Row]:
    """The changes of a list, in their order."""
    rows = _read(
        "SELECT c.item, p.public_id, c.stamp, c.length, c.sha256, COALESCE(r.page, ''), c.kind, c.packed "
        "FROM aggregator_resourcechange c JOIN aggregator_provided p ON p.id = c.item "
        "LEFT JOIN aggregator_resource r ON r.id = c.item WHERE c.change_list_id = %s ORDER BY c.id",
        [change_list.pk],
    )
    for item, public_id, stamp, length, digest, page, kind, packed in rows:
        yield Row(_name(item, public_id), stamp, length, bytes(digest), page, kind, item, bytes(packed))


def changes_after(origin: int, told: int, limit: int) -> tuple[list[Row], int]:
    """The next changes of a set behind one, over its lists, and the number of the last of them."""
    rows = _read(
        "SELECT c.id, c.item, p.public_id, c.stamp, c.length, c.sha256, COALESCE(r.page, ''), c.kind "
        "FROM aggregator_resourcechange c JOIN aggregator_changelist l ON l.id = c.change_list_id "
        "JOIN aggregator_provided p ON p.id = c.item LEFT JOIN aggregator_resource r ON r.id = c.item "
        "WHERE l.origin = %s AND c.id > %s ORDER BY c.id LIMIT %s",
        [origin, told, limit],
    )
    found = [
        Row(_name(item, public_id), stamp, length, bytes(digest), page, kind, item)
        for _id, item, public_id, stamp, length, digest, page, kind in rows
    ]
    return found, (rows[-1][0] if rows else told)


def before_last(origin: int, count: int) -> int:
    """The number before the last so many changes of a set."""
    newest = ResourceChange.objects.filter(change_list__origin=origin).order_by("-pk")
    return min(newest.values_list("pk", flat=True)[:count], default=1) - 1


def _name(item: int, public_id: str) -> str:
    return f"M{number_of(item)}" if is_merged(item) else public_id


def _read(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
