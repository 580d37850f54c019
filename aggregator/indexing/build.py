"""Update the search index after commits, or build it anew from the database. Repeatable."""

from collections.abc import Buffer, Generator, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from aggregator.indexing.holders import HolderReader
from aggregator.indexing.ledger import (
    abandon_build,
    begin_build,
    clear_changes,
    clear_marks,
    count_built,
    count_missing,
    sync_with_live_index,
)
from aggregator.indexing.place import writing_here
from aggregator.indexing.state import BACKLOG, changes_here, missing_books
from aggregator.models import Manifestation
from aggregator.search import get_index
from aggregator.search.base import Document, IndexUnavailable, SearchIndex
from aggregator.search.documents import document
from core.database.batches import chunks
from core.database.locks import Work, try_lock
from core.work.garbage import gc_paused
from harvesting.records.compression import unpack_record

BATCH = 5000  # documents per index commit: with smaller commits the engine merges the same documents more often


class Row(NamedTuple):
    """A row of Manifestation; the fields are columns. record: the merged one, packed, empty where there is none now."""

    pk: int
    record: Buffer
    changed_at: datetime


def index_pending() -> Generator[int]:
    """Index waiting manifestations batch by batch; yield the number after each batch.

    A row that changes meanwhile stays marked. So does one that a server did not take; it is sent again in the next
    round. Does nothing while another process indexes: both would write the same, and the slower one might write
    outdated data.
    """
    with try_lock(Work.INDEX) as alone, writing_here() as ours_here:
        ours = alone and ours_here
        if ours:
            yield from write_noted()
        if ours and Manifestation.objects.to_index()[BACKLOG:].exists():
            sync_with_live_index()
            count_missing()
        while ours:
            generation = sync_with_live_index()
            rows = _rows(Manifestation.objects.to_index())
            if not rows:
                if missing_books():
                    count_missing()
                get_index().tidy()
                return
            with gc_paused():
                written = _write(get_index(), rows)
            clear_marks(generation, [(row.pk, row.changed_at) for row in rows if row.pk in written])
            yield len(written)
            if len(written) < len(rows):
                return


def write_noted() -> Iterator[int]:
    """Write the changes that other machines have noted for this index; yield the number after each batch.

    The caller has the turn of `writing_here`.
    """
    while noted := list(changes_here().values_list("pk", "manifestation")[:BATCH]):
        generation = sync_with_live_index()
        numbers = {number for _pk, number in noted}
        with gc_paused():
            written = _write(get_index(), _rows(Manifestation.objects.filter(pk__in=numbers)))
        done = [(pk, number) for pk, number in noted if number in written]
        if not done or not clear_changes(generation, done):
            return
        yield len(done)


def reindex() -> Iterator[int]:
    """Build a new index beside the live one, which keeps serving; yield the number of documents after each batch.

    Changes made during the build wait again after the switch and are written by `index_pending`. A killed build is
    started from the beginning by the next call.
    """
    since = None
    try:
        with get_index().build_beside() as build:
            with suppress(IndexUnavailable):  # an unusable live index is the reason for many builds
                sync_with_live_index()
            since = begin_build(Manifestation.objects.exclude(record=b"").count())
            reader = HolderReader()
            for rows in _all_rows():
                with gc_paused():
                    build.update(documents(rows, reader))
                count_built(since, len(rows))
                yield len(rows)
    except BaseException:
        if since:
            abandon_build(since)
        raise
    sync_with_live_index()
    get_index().tidy()


def _all_rows() -> Iterator[list[Row]]:
    """The rows, page by page: one long read would keep a database from cleaning up old row versions for hours."""
    manifestations, last = Manifestation.objects.exclude(record=b"").order_by("pk"), 0
    while rows := _rows(manifestations.filter(pk__gt=last)):
        yield rows
        last = rows[-1].pk


def _rows(manifestations: QuerySet[Manifestation]) -> list[Row]:
    """The first rows, a batch of them."""
    return list(map(Row._make, manifestations.values_list(*Row._fields)[:BATCH]))


def _write(index: SearchIndex, rows: Iterable[Row]) -> frozenset[int]:
    """Write the rows; return the ids of those that the index has taken."""
    gone = [row.pk for row in rows if not row.record]
    deleted = index.delete(gone) if gone else frozenset()
    return deleted | index.update(documents((row for row in rows if row.record), HolderReader()))


def documents(rows: Iterable[Row], reader: HolderReader) -> Iterator[Document]:
    """The index documents of manifestations."""
    for chunk in chunks(rows):
        holders = reader.holders([row.pk for row in chunk])
        for row in chunk:
            yield document(row.pk, unpack_record(row.record), holders[row.pk], int(row.changed_at.timestamp()))
