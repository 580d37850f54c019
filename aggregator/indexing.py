"""What the search index must learn, after the commit and repeatable from the database."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress

from aggregator.index_ledger import advance, announce, give_up, settle, written
from aggregator.models import Manifestation, Member
from aggregator.search import get_index
from aggregator.search.base import Document, IndexUnavailable, SearchIndex
from aggregator.search.documents import document
from harvesting.compression import unpack_record
from harvesting.turns import Work, turn
from harvesting.upsert import chunks

BATCH = 2000  # documents of one index commit


def index_pending() -> Iterator[int]:
    """Write what waits, batch by batch; yields the number after each. A row changed meanwhile stays marked.

    Nothing while another process is at it: two would write the same, and the slower perhaps what is no more.
    """
    with turn(Work.INDEX) as ours:
        while ours:
            generation = settle()
            rows = list(Manifestation.objects.to_index().values_list("pk", "record", "changed_at")[:BATCH])
            if not rows:
                get_index().tidy()
                return
            _write(get_index(), [(pk, bytes(record)) for pk, record, _moment in rows])
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
                build.update(documents(rows))
                advance(since, len(rows))
                yield len(rows)
    except BaseException:
        if since:
            give_up(since)
        raise
    settle()
    get_index().tidy()


def _all_rows() -> Iterator[list[tuple[int, bytes]]]:
    """Page by page: one long read would keep a database from tidying up for hours."""
    found, last = Manifestation.objects.exclude(record=b"").order_by("pk").values_list("pk", "record"), 0
    while rows := [(pk, bytes(record)) for pk, record in found.filter(pk__gt=last)[:BATCH]]:
        yield rows
        last = rows[-1][0]


def _write(index: SearchIndex, rows: list[tuple[int, bytes]]) -> None:
    gone = [pk for pk, record in rows if not record]
    if gone:
        index.delete(gone)
    index.update(documents((pk, record) for pk, record in rows if record))


def documents(rows: Iterable[tuple[int, bytes]]) -> Iterator[Document]:
    """Index documents of manifestations (number, packed merged record)."""
    for chunk in chunks(rows):
        holders: defaultdict[int, list[str]] = defaultdict(list)
        members = Member.objects.filter(manifestation__in=[pk for pk, _record in chunk]).values_list(
            "manifestation", "source_record__repository__number"
        )
        for manifestation, number in members:
            holders[manifestation].append(number)
        moments = dict(Manifestation.objects.filter(pk__in=list(holders)).values_list("pk", "changed_at"))
        for pk, record in chunk:
            numbers, moment = holders[pk], moments.get(pk)
            changed = int(moment.timestamp()) if moment else 0
            yield document(pk, unpack_record(record), tuple(sorted(set(numbers))), len(numbers), changed)
