"""Keeps track of which manifestations the live index contains, even if an index is removed or a build is killed.

Sets the marks of manifestations (`index_pending`); does no indexing.

A change is written to the live index, and then its mark (`index_pending`) is cleared. While another index is being
built beside the live one, this alone would lose the change: the new index may have read the manifestation before it.
So as long as a build runs, every cleared manifestation is also noted, and when the new index has replaced the old
one, all noted manifestations are marked again. This never depends on clocks:

* marks are cleared only if the index that was written to is still the live one (`clear_marks`);
* the first process after a switch restores the noted marks (`sync_with_live_index`), so a kill right after the switch
  loses nothing;
* a build reads the catalogue after it was announced (`begin_build`), so it reads everything written before in its
  current state.

All of this is coordinated through one row, locked for milliseconds.
"""

import time
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from aggregator.indexing.state import BACKLOG, BACKLOG_SHARE
from aggregator.models import IndexedMeanwhile, IndexLedger, Manifestation
from aggregator.search import get_index
from core.database.batches import chunks, upsert
from core.database.pacing import Pace

_ROW = 1
PACE = Pace(5000, least=100)  # manifestations per transaction
WrittenRows = Sequence[tuple[int, datetime]]  # manifestations with the time of the change that was written


def sync_with_live_index() -> str:
    """Return the generation of the live index. After a switch, first restore the marks noted during the build.

    Raises IndexUnavailable.
    """
    generation = get_index().facts().generation
    if IndexLedger.objects.filter(pk=_ROW, generation=generation).exists():
        return generation
    while _restore_noted_marks(generation):
        pass
    return generation


def clear_marks(generation: str, rows: WrittenRows) -> None:
    """Clear the marks of rows that were written to the index of this generation.

    Marks stay if the rows went to a former index, or if a row has changed since: another process may have written the
    newer change before the older one was written here.
    """
    while rows:
        part, rows = rows[: PACE.size()], rows[PACE.size() :]
        _clear_marks_of_part(generation, part)


def _clear_marks_of_part(generation: str, rows: WrittenRows) -> None:
    with PACE.transaction(len(rows)):
        ledger = _locked_ledger()
        if ledger.generation != generation:
            return
        if ledger.building_since:
            upsert(IndexedMeanwhile, ("manifestation",), [(pk,) for pk, _moment in rows], ("manifestation",), ())
        for moment in {moment for _pk, moment in rows}:
            for chunk in chunks(pk for pk, changed_at in rows if changed_at == moment):
                Manifestation.objects.filter(pk__in=chunk).exclude(changed_at=moment).update(index_pending=True)
                Manifestation.objects.filter(pk__in=chunk, changed_at=moment).update(index_pending=False)


def begin_build(to_build: int) -> datetime:
    """Record that a build has begun (the caller holds the build lock); return the time that identifies this build."""
    now = timezone.now()
    with transaction.atomic():
        ledger = _locked_ledger()
        ledger.building_since, ledger.building_seen, ledger.built, ledger.to_build = now, now, 0, to_build
        ledger.save()
        IndexedMeanwhile.objects.all().delete()
    return now


def count_built(since: datetime, documents: int) -> None:
    """Add to the number of documents in the index that is being built."""
    _ledger_of_build(since).update(built=F("built") + documents, building_seen=timezone.now())


def abandon_build(since: datetime) -> None:
    """Record that the build failed. The noted manifestations are kept, in case the new index was put in place after
    all.
    """
    _ledger_of_build(since).update(building_since=None, building_seen=timezone.now())


def count_missing() -> int:
    """Compare the numbers of books in the catalogue and in the live index; note and return how many the index lacks.

    Those that wait for it are a usual backlog up to a limit. Where others are missing too, the index has lost them, and
    it is built anew. Nothing is noted while another index is being built. Counts all books: not for every request.
    """
    books = Manifestation.objects.exclude(record=b"")
    count = books.count()
    allowed = max(BACKLOG, count * BACKLOG_SHARE)
    facts = get_index().facts()
    missing = count - facts.documents
    is_lost = missing > allowed and missing - books.filter(index_pending=True).count() > allowed
    with transaction.atomic():
        ledger = _locked_ledger()
        if ledger.building_since or ledger.generation != facts.generation:
            return ledger.missing
        ledger.missing = missing if missing > allowed else 0
        ledger.incomplete = ledger.incomplete or is_lost
        ledger.save(update_fields=["missing", "incomplete"])
    return ledger.missing


def _ledger_of_build(since: datetime) -> QuerySet[IndexLedger]:
    return IndexLedger.objects.filter(pk=_ROW, building_since=since)


def _restore_noted_marks(generation: str) -> bool:
    """Restore some noted marks; after the last ones adopt the new index. Return whether more may be left.

    Until then no process clears marks, because the ledger names another index than the live one.
    """
    with transaction.atomic():
        begun = time.monotonic()
        ledger = _locked_ledger()
        if ledger.generation == generation:
            return False
        noted = list(IndexedMeanwhile.objects.order_by("pk").values_list("pk", flat=True)[: PACE.size()])
        for chunk in chunks(noted):
            Manifestation.objects.filter(pk__in=chunk).update(index_pending=True)
            IndexedMeanwhile.objects.filter(pk__in=chunk).delete()
        if not noted:
            _adopt(ledger, generation)
    PACE.learn(len(noted), time.monotonic() - begun)
    return bool(noted)


def _adopt(ledger: IndexLedger, generation: str) -> None:
    """Record that another index is live: one that was built, or one that began empty after the former was removed."""
    if ledger.building_since:
        ledger.incomplete, ledger.missing, ledger.switched_at = False, 0, timezone.now()
    elif ledger.generation:
        ledger.incomplete = True
    ledger.generation, ledger.building_since, ledger.building_seen = generation, None, None
    ledger.save()


def _locked_ledger() -> IndexLedger:
    """The ledger's row, locked for this transaction."""
    ledger = IndexLedger.objects.select_for_update().filter(pk=_ROW).first()
    if ledger is None:
        IndexLedger.objects.bulk_create([IndexLedger(pk=_ROW)], ignore_conflicts=True)
        ledger = IndexLedger.objects.select_for_update().get(pk=_ROW)
    return ledger
