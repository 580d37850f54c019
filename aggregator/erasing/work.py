"""The long work of an erasure, phase by phase. After a crash it continues where it stopped.

bury          empty the records and mark them as deleted
settle        match and merge their books again without them
delete        delete the rows of the records
surroundings  delete everything else about the provider
files         delete or rewrite files
compact       rewrite the search index and the database
"""

import time
from collections.abc import Callable
from datetime import timedelta

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from aggregator.erasing import files, libraries, records, surroundings
from aggregator.erasing.records import Heartbeat
from aggregator.indexing.build import reindex
from aggregator.models import Erasure
from aggregator.search.base import IndexUnavailable
from core.database.dialects import dialect
from core.database.pacing import Pace
from harvesting.audit.trail import note

Phase = Erasure.Phase
PACE = Pace(records.BATCH)
WORKER_TIMEOUT = timedelta(minutes=30)  # a worker without heartbeat for this long is considered dead

type Progress = Callable[[int], object]  # called with the number of records since the last call


def open_erasures() -> list[Erasure]:
    """Return the unfinished erasures on which no worker is working, oldest first."""
    timed_out = timezone.now() - WORKER_TIMEOUT
    unfinished = Erasure.objects.exclude(phase=Phase.DONE).select_related("repository").order_by("pk")
    return [erasure for erasure in unfinished if erasure.seen is None or erasure.seen < timed_out]


def erase(erasure: Erasure, progress: Progress) -> bool:
    """Do all remaining work. Return False if only the last phase could not be done now; then call it again later."""
    overwrite_deleted()

    def heartbeat() -> None:
        Erasure.objects.filter(pk=erasure.pk).update(seen=timezone.now())

    while erasure.phase != Phase.DONE:
        heartbeat()
        if not _run_step(erasure, heartbeat, progress):
            Erasure.objects.filter(pk=erasure.pk).update(seen=None)
            return False
        erasure.refresh_from_db()
    return True


def _run_step(erasure: Erasure, heartbeat: Heartbeat, progress: Progress) -> bool:
    """Do one batch, or one phase. Return False if it could not be done now."""
    match Phase(erasure.phase):
        case Phase.BURY:
            _batch(erasure, _bury(erasure), Phase.SETTLE, progress)
        case Phase.SETTLE:
            records.remove_from_books(erasure, heartbeat)
            _enter_phase(erasure, Phase.DELETE)
        case Phase.DELETE:
            _batch(erasure, _delete_counted(erasure), Phase.SURROUNDINGS, progress)
        case Phase.SURROUNDINGS:
            surroundings.erase(erasure)
            _enter_phase(erasure, Phase.FILES)
        case Phase.FILES:
            files.erase(erasure, heartbeat)
            _enter_phase(erasure, Phase.COMPACT)
        case _:
            return _compact(erasure, heartbeat)
    return True


def _batch(erasure: Erasure, work: Callable[[list[int]], None], next_phase: str, progress: Progress) -> None:
    """Process the next records, and store the new position in the same transaction."""
    with transaction.atomic():
        started = time.monotonic()
        current = Erasure.objects.select_for_update().get(pk=erasure.pk)
        if (current.phase, current.position) != (erasure.phase, erasure.position):
            return  # another worker has done it
        pks, reached = records.next_records(current, PACE.size(records.BATCH))
        if pks:
            work(pks)
        if reached:
            Erasure.objects.filter(pk=current.pk).update(position=reached)
        else:
            _enter_phase(current, next_phase)
    PACE.learn(len(pks), time.monotonic() - started)
    progress(len(pks))


def _bury(erasure: Erasure) -> Callable[[list[int]], None]:
    def work(pks: list[int]) -> None:
        libraries.note_held(erasure, pks)
        records.make_tombstones(pks)

    return work


def _delete_counted(erasure: Erasure) -> Callable[[list[int]], None]:
    def work(pks: list[int]) -> None:
        records.delete(pks)
        Erasure.objects.filter(pk=erasure.pk).update(records=erasure.records + len(pks))

    return work


def _enter_phase(erasure: Erasure, phase: str) -> None:
    Erasure.objects.filter(pk=erasure.pk, phase=erasure.phase).update(phase=phase, position=0, seen=timezone.now())


def _compact(erasure: Erasure, heartbeat: Heartbeat) -> bool:
    """Rewrite the search index and the database, which keep deleted data until then. Return False if not possible."""
    try:
        for _step in reindex():
            heartbeat()
    except IndexUnavailable as problem:
        if problem.code == "rebuilding":
            return False
        raise
    with transaction.atomic():
        if not Erasure.objects.filter(pk=erasure.pk, finished=None).update(
            finished=timezone.now(), names=[], libraries=[]
        ):
            pass  # already recorded; only the wiping is tried again
        else:
            note(None, "provider.erased", erasure.repository, details={"records": erasure.records})
    if not wipe():
        return False
    _enter_phase(erasure, Phase.DONE)
    return True


def overwrite_deleted() -> None:
    """Make this connection overwrite what it deletes from now on, where the database can do so.

    SQLite keeps deleted data in free pages until these are reused; so data is overwritten as it is deleted, and the
    file is rewritten at the end. PostgreSQL keeps it in dead rows until the tables are vacuumed.
    """
    dialect().overwrite_deleted()


def wipe() -> bool:
    """Rewrite the database without the deleted data. Return False if other connections make that impossible now."""
    if connection.in_atomic_block:
        return False
    try:
        return dialect().wipe()
    except OperationalError:
        return False
