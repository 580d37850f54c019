"""What the search index must learn, after the commit and repeatable from the database."""

from collections import defaultdict
from collections.abc import Buffer, Iterable, Iterator
from contextlib import suppress
from datetime import datetime

from aggregator.indexing.ledger import advance, announce, give_up, settle, written
from aggregator.models import Manifestation, Member
from aggregator.search import get_index
from aggregator.search.base import Document, IndexUnavailable, SearchIndex
from aggregator.search.documents import document
from core.database.batches import chunks
from core.database.locks import Work, turn
from core.work.garbage import no_cycles
from harvesting.records.compression import unpack_record

BATCH = 5000  # documents of one index commit: with smaller ones the engine merges the same documents more often
COLUMNS = ("pk", "record", "changed_at")

type Row = tuple[int, Buffer, datetime]  # COLUMNS; record: the merged one, packed, empty where there is none any more


def index_pending() -> Iterator[int]:
    """Write what waits, batch by batch; yields the number after each. A row changed meanwhile stays marked.

    Nothing while another process is at it: two would write the same, and the slower perhaps what is no more.
    """
    with turn(Work.INDEX) as ours:
        while ours:
            generation = settle()
            rows: list[Row] = list(Manifestation.objects.to_index().values_list(*COLUMNS)[:BATCH])
            if not rows:
                get_index().tidy()
                return
            with no_cycles():
                _write(get_index(), rows)
            written(generation, [(pk, changed_at) for pk, _record, changed_at in rows])
            yield len(rows)


def reindex() -> Iterator[int]:
    """Build the index anew beside the live one, which serves meanwhile; yields the number after each batch.

    What changes during the build waits again after the switch and is written by `index_pending`. One that is killed
    is begun anew by the next.
    """
    since = None
    try:
        with get_index().build_beside() as build:
            with suppress(IndexUnavailable):  # one that cannot be used is what many builds are for
                settle()
            since = announce(Manifestation.objects.exclude(record=b"").count())
            for rows in _all_rows():
                with no_cycles():
                    build.update(documents(rows))
                advance(since, len(rows))
                yield len(rows)
    except BaseException:
        if since:
            give_up(since)
        raise
    settle()
    get_index().tidy()


def _all_rows() -> Iterator[list[Row]]:
    """Page by page: one long read would keep a database from tidying up for hours."""
    found, last = Manifestation.objects.exclude(record=b"").order_by("pk").values_list(*COLUMNS), 0
    while rows := list(found.filter(pk__gt=last)[:BATCH]):
        yield rows
        last = rows[-1][0]


def _write(index: SearchIndex, rows: Iterable[Row]) -> None:
    gone = [pk for pk, record, _changed in rows if not record]
    if gone:
        index.delete(gone)
    index.update(documents(each for each in rows if each[1]))


def documents(rows: Iterable[Row]) -> Iterator[Document]:
    """Index documents of manifestations."""
    for chunk in chunks(rows):
        holders: defaultdict[int, list[str]] = defaultdict(list)
        members = Member.objects.filter(manifestation__in=[pk for pk, _record, _changed in chunk]).values_list(
            "manifestation", "source_record__repository__number"
        )
        for manifestation, number in members:
            holders[manifestation].append(number)
        for pk, record, changed_at in chunk:
            numbers = holders[pk]
            changed = int(changed_at.timestamp())
            yield document(pk, unpack_record(record), tuple(sorted(set(numbers))), len(numbers), changed)
