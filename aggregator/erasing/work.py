"""The long work of erasing, phase by phase; what a kill cuts short goes on where it was.

bury → settle → delete → surroundings → files → compact → done
"""

import time
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from aggregator.erasing import files, records, surroundings, wiping
from aggregator.erasing.records import Beat
from aggregator.indexing.build import reindex
from aggregator.models import Erasure
from aggregator.search.base import IndexUnavailable
from core.database.pacing import Pace
from harvesting.audit.trail import note

Phase = Erasure.Phase
PACE = Pace(records.BATCH)
AT_WORK = timedelta(minutes=30)  # a worker that says nothing for so long is dead

type Told = Callable[[int], object]  # is called with the records that were done


def open_erasures() -> list[Erasure]:
    """Those that nobody works at, oldest first."""
    dead = timezone.now() - AT_WORK
    found = Erasure.objects.exclude(phase=Phase.DONE).select_related("repository").order_by("pk")
    return [each for each in found if each.seen is None or each.seen < dead]


def erase(erasure: Erasure, told: Told) -> bool:
    """Do all that is left. False if only the last phase could not be done now; then it is to be asked for again."""
    wiping.overwrite_deleted()

    def beat() -> None:
        Erasure.objects.filter(pk=erasure.pk).update(seen=timezone.now())

    while erasure.phase != Phase.DONE:
        beat()
        if not _do(erasure, beat, told):
            Erasure.objects.filter(pk=erasure.pk).update(seen=None)
            return False
        erasure.refresh_from_db()
    return True


def _do(erasure: Erasure, beat: Beat, told: Told) -> bool:
    """One batch, or one phase. False if it could not be done now."""
    match Phase(erasure.phase):
        case Phase.BURY:
            _batch(erasure, records.bury, Phase.SETTLE, told)
        case Phase.SETTLE:
            records.settle(erasure, beat)
            _go_on(erasure, Phase.DELETE)
        case Phase.DELETE:
            _batch(erasure, _delete_counted(erasure), Phase.SURROUNDINGS, told)
        case Phase.SURROUNDINGS:
            surroundings.erase(erasure)
            _go_on(erasure, Phase.FILES)
        case Phase.FILES:
            files.erase(erasure, beat)
            _go_on(erasure, Phase.COMPACT)
        case _:
            return _compact(erasure, beat)
    return True


def _batch(erasure: Erasure, work: Callable[[list[int]], None], following: str, told: Told) -> None:
    """The next records in one transaction with the position."""
    with transaction.atomic():
        begun = time.monotonic()
        held = Erasure.objects.select_for_update().get(pk=erasure.pk)
        if (held.phase, held.position) != (erasure.phase, erasure.position):
            return  # somebody else has done it
        pks, reached = records.next_records(held, PACE.size(records.BATCH))
        if pks:
            work(pks)
        if reached:
            Erasure.objects.filter(pk=held.pk).update(position=reached)
        else:
            _go_on(held, following)
    PACE.learn(len(pks), time.monotonic() - begun)
    told(len(pks))


def _delete_counted(erasure: Erasure) -> Callable[[list[int]], None]:
    def work(pks: list[int]) -> None:
        records.delete(pks)
        Erasure.objects.filter(pk=erasure.pk).update(records=erasure.records + len(pks))

    return work


def _go_on(erasure: Erasure, phase: str) -> None:
    Erasure.objects.filter(pk=erasure.pk, phase=erasure.phase).update(phase=phase, position=0, seen=timezone.now())


def _compact(erasure: Erasure, beat: Beat) -> bool:
    """The index keeps what was deleted until it is written anew, and so does the database."""
    try:
        for _step in reindex():
            beat()
    except IndexUnavailable as problem:
        if problem.code == "rebuilding":
            return False
        raise
    with transaction.atomic():
        if not Erasure.objects.filter(pk=erasure.pk, finished=None).update(finished=timezone.now(), names=[]):
            pass  # a second try at wiping
        else:
            note(None, "provider.erased", erasure.repository, details={"records": erasure.records})
    if not wiping.wipe():
        return False
    _go_on(erasure, Phase.DONE)
    return True
