"""What the search index must learn, after the commit and repeatable from the database."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from aggregator.models import Manifestation, Member
from aggregator.search import get_index
from aggregator.search.base import Document, SearchIndex
from aggregator.search.documents import document
from harvesting.compression import unpack_record
from harvesting.upsert import chunks

BATCH = 2000  # documents of one index commit


def index_pending() -> Iterator[int]:
    """Write what waits, batch by batch; yields the number after each. A row changed meanwhile stays marked."""
    while True:
        rows = list(Manifestation.objects.to_index().values_list("pk", "record", "changed_at")[:BATCH])
        if not rows:
            get_index().tidy()
            return
        _write(get_index(), [(pk, bytes(record)) for pk, record, _moment in rows])
        for moment in {each[2] for each in rows}:
            for chunk in chunks(pk for pk, _record, changed_at in rows if changed_at == moment):
                Manifestation.objects.filter(pk__in=chunk, changed_at=moment).update(index_pending=False)
        yield len(rows)


def reindex() -> Iterator[int]:
    """Build the index anew beside the live one, which serves meanwhile; yields the number after each batch.

    What changes during the build stays marked and is written by `index_pending` afterwards.
    """
    rows = Manifestation.objects.exclude(record=b"").order_by("pk").values_list("pk", "record")
    with get_index().build_beside() as build:
        for chunk in chunks(rows.iterator(chunk_size=BATCH), BATCH):
            build.update(documents((pk, bytes(record)) for pk, record in chunk))
            yield len(chunk)
    get_index().tidy()


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
