"""Recognises that a provider has given its records new identifiers: old and new with the same content.

Content is what a cataloguer would compare: title, volume, edition, persons, year and ISBN, folded. A pair counts only
where the content is unique among the old and among the new. The old record's `successor` becomes the new one.
"""

import hashlib
from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from core.database.batches import select_in
from core.database.keyset import steps
from harvesting.models import Harvest, SourceRecord
from harvesting.records.compression import unpack_record
from harvesting.records.suppression import hand_on
from harvesting.runs.fencing import write_held
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight

PART = 200_000  # records compared at a time, which bounds the memory
CHUNK = 500
AMBIGUOUS = 0


def recognise(run: Harvest, absent: QuerySet[SourceRecord], size: int) -> int:
    """Point absent records to their successors among what has come since; returns how many have one.

    size: how many records there are at most; more than PART are compared in several passes.
    """
    renamed = 0
    parts = 1 + size // PART
    for part in range(parts):
        old = _by_content(absent, parts, part)
        new = _by_content(newcomers(run), parts, part, wanted=set(old))
        pairs = [(pk, new[content]) for content, pk in old.items() if pk and new.get(content)]
        _link(run, pairs)
        renamed += len(pairs)
    return renamed


def newcomers(run: Harvest) -> QuerySet[SourceRecord]:
    """What the run has seen and what has come or changed since the feed's last successful full run."""
    records = SourceRecord.objects.filter(repository=run.feed.repository_id, deleted=False, last_harvest=run.pk)
    since = _last_full(run)
    return records.filter(changed_at__gt=since) if since else records


def content_key(record: BibliographicRecord) -> int:
    """A number for what the record describes, AMBIGUOUS where it says too little to be recognised by."""
    names = [each.name for each in record.creators] or list(record.responsibility)
    isbn = record.values("ISBN")
    if not record.title or not (names or isbn or record.issued):
        return AMBIGUOUS
    parts = [record.title, record.volume, record.edition, record.issued, *sorted(names), *sorted(isbn)]
    text = "\x1f".join(map(fold_tight, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _last_full(run: Harvest) -> datetime | None:
    done = run.feed.harvests.filter(state=Harvest.State.SUCCEEDED, kind=Harvest.Kind.FULL, pk__lt=run.pk).first()
    return done.finished_at if done else None


def _by_content(
    records: QuerySet[SourceRecord], parts: int, part: int, wanted: set[int] | None = None
) -> dict[int, int]:
    """Content -> number of its record, AMBIGUOUS where several share it; only this part of all contents."""
    found: dict[int, int] = {}
    for pk, packed in _packed(records):
        key = content_key(unpack_record(packed)) if packed else AMBIGUOUS
        if key and key % parts == part and (wanted is None or key in wanted):
            found[key] = AMBIGUOUS if key in found else pk
    return found


def _packed(records: QuerySet[SourceRecord]) -> Iterator[tuple[int, bytes]]:
    """Numbers and canonical records, read piece by piece: no cursor stays open over our own writes."""
    for pks in steps(records.exclude(record=b""), CHUNK):
        yield from sorted((pk, bytes(packed)) for pk, packed in select_in(SourceRecord, ("id", "record"), "id", pks))


def _link(run: Harvest, pairs: list[tuple[int, int]]) -> None:
    for start in range(0, len(pairs), CHUNK):
        write_held(run)
        SourceRecord.objects.bulk_update(
            [SourceRecord(pk=old, successor_id=new) for old, new in pairs[start : start + CHUNK]], ["successor"]
        )
        hand_on(pairs[start : start + CHUNK])
