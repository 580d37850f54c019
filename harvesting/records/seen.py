"""Which records an unfinished run has received unchanged: noted page by page, so that the records need not be written.

A record that the run has changed says so itself (SourceRecord.last_harvest). Both together are what the run has seen.
Without this, a list of a million records in which nothing changed would write a million rows.
"""

from array import array
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from core.database.batches import insert
from core.database.keyset import FETCH_SIZE
from core.database.pk_set import PkSet
from harvesting.models import Harvest, SeenRecords


def note(run: Harvest, pks: Collection[int]) -> None:
    """Store that the run has seen these records, in the transaction of the batch. `remember` them after its commit."""
    if pks:
        insert(SeenRecords, ("harvest_id", "packed"), [(run.pk, array("q", pks).tobytes())])


def remember(run: Harvest, pks: Iterable[int]) -> None:
    """Add records that were noted to those that the worker of the run holds in memory."""
    seen_by(run).update(pks)


def seen_by(run: Harvest) -> PkSet:
    """The records that the run has noted: read once after each claim of the run."""
    if run.seen is None:
        run.seen = noted([run.pk])
    return run.seen


def noted(runs: Collection[int]) -> PkSet:
    """The records that these runs (ids) have noted."""
    found = PkSet()
    for packed in SeenRecords.objects.filter(harvest__in=runs).values_list("packed", flat=True).iterator():
        found.update(array("q", bytes(packed)))
    return found


def among(records: QuerySet[Any], runs: Collection[int], *, seen: bool) -> Sequence[int]:
    """The ids of those of the records that one of these runs (ids) has seen, or that none of them has; ascending."""
    marked, noted_pks = frozenset(runs), noted(runs)
    columns = records.order_by("pk").values_list("pk", "last_harvest").iterator(FETCH_SIZE)
    return array("q", (pk for pk, last in columns if (last in marked or pk in noted_pks) is seen))


def forget(run: Harvest) -> None:
    """Delete what this run and earlier ones of its feed have noted: they are not compared with any more."""
    SeenRecords.objects.filter(harvest__feed=run.feed_id, harvest__lte=run.pk).delete()
