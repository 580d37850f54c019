"""The blocks of item numbers in which a set has resources: how many, and when the last of them changed.

The index of a list of resources needs this of every block. Finding it in the resources themselves takes seconds for a
large set, so it is kept in a table, which `changes` writes in the transaction in which it writes resources. Only one
process does that at a time, so nobody waits for these rows.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import F

from aggregator.models import ResourceBlock, ResourceClock
from aggregator.provision.resourcesync.naming import PART
from core.database.batches import tally

_COLUMNS = ("origin", "block", "live", "stamp")


class Difference(NamedTuple):
    """A change of a resource. live: 1 for one that is new or again there, -1 for one that is deleted, else 0."""

    origin: int
    item: int
    live: int
    stamp: int


def parts(origin: int) -> list[tuple[int, int, int]]:
    """Return (number, last stamp, number of resources) of the blocks of items in which a set has or had resources."""
    if ResourceClock.objects.filter(pk=1, blocks=F("seen")).exists():
        rows = ResourceBlock.objects.filter(origin=origin).order_by("block")
        return list(rows.values_list("block", "stamp", "live"))
    return grouped(origin)


def grouped(origin: int) -> list[tuple[int, int, int]]:
    """Return the same from the resources themselves, which takes time in proportion to their number."""
    with connection.cursor() as cursor:
        cursor.execute(f"{_grouped('WHERE origin = %s')} ORDER BY block", [origin])
        return [(int(block), stamp, int(live)) for _origin, block, live, stamp in cursor.fetchall()]


def add(differences: Iterable[Difference]) -> None:
    """Add changes of resources, in the transaction in which they are written."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for origin, item, live, stamp in differences:
        before, last = found.get((origin, item // PART), (0, 0))
        found[origin, item // PART] = (before + live, max(last, stamp))
    rows = [(*key, *values) for key, values in sorted(found.items())]
    tally(ResourceBlock, _COLUMNS, rows, unique=("origin", "block"), raised=("stamp",))


def count_again() -> None:
    """Count all resources, unless the table has all changes so far: those of an older release are not in it.

    For the process that takes changes over, before it does.
    """
    with transaction.atomic():
        clock = ResourceClock.objects.select_for_update().get(pk=1)
        if clock.blocks == clock.seen:
            return
        ResourceBlock.objects.all().delete()
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO aggregator_resourceblock ({', '.join(_COLUMNS)}) {_grouped()}")
        ResourceClock.objects.filter(pk=1).update(blocks=clock.seen)


def _grouped(where: str = "") -> str:
    return (
        f"SELECT origin, id / {PART} AS block, SUM(CASE WHEN deleted THEN 0 ELSE 1 END), MAX(stamp) "  # noqa: S608
        f"FROM aggregator_resource {where} GROUP BY origin, block"
    )
