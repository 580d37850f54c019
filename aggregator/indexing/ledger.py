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

All of this is coordinated through one row for each index, locked for milliseconds. Where several machines have indexes
of their own, a cleared mark is noted for each of the others (`IndexChange`), which follow (`indexing.following`).
"""

import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from aggregator.indexing.place import place
from aggregator.indexing.state import BACKLOG, BACKLOG_SHARE, changes_here
from aggregator.models import IndexChange, IndexedMeanwhile, IndexLedger, Manifestation
from aggregator.search import get_index
from core.database.batches import as_timestamp, chunks, note_differences, upsert
from core.database.pacing import Pace

FORGOTTEN = timedelta(days=7)  # after which an index that does not follow is forgotten; it is built anew if it returns
PACE = Pace(5000, least=100)  # manifestations per transaction
WrittenRows = Sequence[tuple[int, datetime]]  # manifestations with the time of the change that was written


def sync_with_live_index() -> str:
    """Return the generation of the live index. After a switch, first restore the marks noted during the build.

    Raises IndexUnavailable.
    """
    generation = get_index().facts().generation
    if IndexLedger.objects.filter(place=place(), generation=generation).exists():
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
            _note_for_build(pk for pk, _moment in rows)
        _note_for_others(ledger, [pk for pk, _moment in rows])
        note_differences(
            Manifestation, "index_pending", "changed_at", [(as_timestamp(moment), pk) for pk, moment in rows]
        )


def clear_changes(generation: str, written: Sequence[tuple[int, int]]) -> bool:
    """Forget changes that were written to the index of this generation. Return whether it is still the live one.

    written: numbers of the rows of IndexChange, and of the books. A later change of a book has a row of its own.
    """
    with transaction.atomic():
        ledger = _locked_ledger()
        if ledger.generation != generation:
            return False
        if ledger.building_since:
            _note_for_build([number for _pk, number in written])
        for chunk in chunks(pk for pk, _number in written):
            IndexChange.objects.filter(pk__in=chunk).delete()
    return True


def _note_for_build(numbers: Iterable[int]) -> None:
    upsert(IndexedMeanwhile, ("manifestation",), [(pk,) for pk in dict.fromkeys(numbers)], ("manifestation",), ())


def _note_for_others(ledger: IndexLedger, numbers: Sequence[int]) -> None:
    for other in IndexLedger.objects.exclude(place=ledger.place).values_list("place", flat=True):
        IndexChange.objects.bulk_create([IndexChange(place=other, manifestation=number) for number in numbers])


def forget_absent(now: datetime) -> None:
    """Forget the indexes that have not followed for a long time: what is noted for them would grow for ever."""
    for ledger in IndexLedger.objects.exclude(place="").filter(followed_at__lt=now - FORGOTTEN):
        ledger.delete()
        IndexChange.objects.filter(place=ledger.place).delete()


def begin_build(to_build: int) -> datetime:
    """Record that a build has begun (the caller holds the build lock); return the time that identifies this build."""
    now = timezone.now()
    with transaction.atomic():
        ledger = _locked_ledger()
        ledger.building_since, ledger.building_seen, ledger.built, ledger.to_build = now, now, 0, to_build
        ledger.save()
        if not IndexLedger.objects.exclude(place=ledger.place).filter(building_since__isnull=False).exists():
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

    A small number of missing books is normal and noted as 0. If many are missing that are not waiting to be indexed,
    the index has lost them: it is noted as incomplete, so that it is built anew. Nothing is noted while another index
    is being built. This counts all books, so it must not run for every request.
    """
    books = Manifestation.objects.exclude(record=b"")
    count = books.count()
    allowed = max(BACKLOG, count * BACKLOG_SHARE)
    facts = get_index().facts()
    missing = count - facts.documents
    is_lost = missing > allowed and missing - _waiting(books) > allowed
    with transaction.atomic():
        ledger = _locked_ledger()
        if ledger.building_since or ledger.generation != facts.generation:
            return ledger.missing
        ledger.missing = missing if missing > allowed else 0
        ledger.incomplete = ledger.incomplete or is_lost
        ledger.save(update_fields=["missing", "incomplete"])
    return ledger.missing


def _waiting(books: QuerySet[Manifestation]) -> int:
    """How many of the books wait to be indexed here. Reads the rows of all books."""
    return books.filter(index_pending=True).count() + changes_here().count()


def _ledger_of_build(since: datetime) -> QuerySet[IndexLedger]:
    return IndexLedger.objects.filter(place=place(), building_since=since)


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
    """The ledger's row, locked for this transaction. An index that begins to follow lacks what others have already."""
    own = place()
    ledger = IndexLedger.objects.select_for_update().filter(place=own).first()
    if ledger is None:
        new = IndexLedger(place=own, incomplete=bool(own), followed_at=timezone.now() if own else None)
        IndexLedger.objects.bulk_create([new], ignore_conflicts=True)
        ledger = IndexLedger.objects.select_for_update().get(place=own)
    return ledger
