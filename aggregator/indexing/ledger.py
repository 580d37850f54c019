"""Which manifestations the index that is searched knows, whatever is built, killed or removed. Writes marks, no index.

A change is written to the live index, and then its mark is taken away. While another index is built beside the live
one, that would lose the change: the new index may have read the manifestation before. So as long as one is built, who
takes a mark away notes the manifestation, and when the new index has taken its place all that were noted are marked
again. No clock decides anything:

* marks are taken away only if the index that was written to is still the one that is searched (`written`);
* whoever comes first after a switch marks again what was noted (`settle`), so a kill right after it loses nothing;
* a build reads the catalogue after it has been announced (`announce`): what was written before, it reads as it is now.

All of it goes through one row, locked for milliseconds.
"""

import time
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from aggregator.models import IndexedMeanwhile, IndexLedger, Manifestation
from aggregator.search import get_index
from core.database.batches import chunks, upsert
from core.database.pacing import Pace

_ROW = 1
PACE = Pace(5000, least=100)  # manifestations of one transaction
Written = Sequence[tuple[int, datetime]]  # manifestations with the moment of the change that was written


def settle() -> str:
    """The generation of the live index; after a switch what was noted during the build waits again.

    Raises IndexUnavailable.
    """
    generation = get_index().facts().generation
    if IndexLedger.objects.filter(pk=_ROW, generation=generation).exists():
        return generation
    while _noted_again(generation):
        pass
    return generation


def written(generation: str, rows: Written) -> None:
    """The rows were written to the index of this generation. What went to a former index waits on, and so does what has
    changed since: perhaps another process wrote the change before we wrote what was before it.
    """
    while rows:
        part, rows = rows[: PACE.size()], rows[PACE.size() :]
        _written(generation, part)


def _written(generation: str, rows: Written) -> None:
    with PACE.transaction(len(rows)):
        ledger = _locked()
        if ledger.generation != generation:
            return
        if ledger.building_since:
            upsert(IndexedMeanwhile, ("manifestation",), [(pk,) for pk, _moment in rows], ("manifestation",), ())
        for moment in {each[1] for each in rows}:
            for chunk in chunks(pk for pk, changed_at in rows if changed_at == moment):
                Manifestation.objects.filter(pk__in=chunk).exclude(changed_at=moment).update(index_pending=True)
                Manifestation.objects.filter(pk__in=chunk, changed_at=moment).update(index_pending=False)


def announce(to_build: int) -> datetime:
    """An index is being built from now on; only who is alone in building says so. Returns the moment, its name here."""
    now = timezone.now()
    with transaction.atomic():
        ledger = _locked()
        ledger.building_since, ledger.building_seen, ledger.built, ledger.to_build = now, now, 0, to_build
        ledger.save()
        IndexedMeanwhile.objects.all().delete()
    return now


def advance(since: datetime, documents: int) -> None:
    """So many more are in the index that is being built."""
    _of(since).update(built=F("built") + documents, building_seen=timezone.now())


def give_up(since: datetime) -> None:
    """The build has failed. What was noted stays noted, should it have taken its place after all."""
    _of(since).update(building_since=None, building_seen=None)


def _of(since: datetime) -> QuerySet[IndexLedger]:
    return IndexLedger.objects.filter(pk=_ROW, building_since=since)


def _noted_again(generation: str) -> bool:
    """Mark again some of what was noted; with the last ones the new index takes over. Whether more may be left.

    Until then nobody takes a mark away: the ledger names another index than the one that is searched.
    """
    with transaction.atomic():
        begun = time.monotonic()
        ledger = _locked()
        if ledger.generation == generation:
            return False
        noted = list(IndexedMeanwhile.objects.order_by("pk").values_list("pk", flat=True)[: PACE.size()])
        for chunk in chunks(noted):
            Manifestation.objects.filter(pk__in=chunk).update(index_pending=True)
            IndexedMeanwhile.objects.filter(pk__in=chunk).delete()
        if not noted:
            _take_over(ledger, generation)
    PACE.learn(len(noted), time.monotonic() - begun)
    return bool(noted)


def _take_over(ledger: IndexLedger, generation: str) -> None:
    """Another index is searched: one that was built, or one that began empty after the former was removed."""
    if ledger.building_since:
        ledger.incomplete, ledger.switched_at = False, timezone.now()
    elif ledger.generation:
        ledger.incomplete = True
    ledger.generation, ledger.building_since, ledger.building_seen = generation, None, None
    ledger.save()


def _locked() -> IndexLedger:
    """The row, this transaction's alone."""
    ledger = IndexLedger.objects.select_for_update().filter(pk=_ROW).first()
    if ledger is None:
        IndexLedger.objects.bulk_create([IndexLedger(pk=_ROW)], ignore_conflicts=True)
        ledger = IndexLedger.objects.select_for_update().get(pk=_ROW)
    return ledger
